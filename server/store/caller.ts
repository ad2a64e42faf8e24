// Who asks for something, for handlers and the audit log.

export interface Caller {
  account: { id: number; email: string };
  /** `token:<id>`, `session:<id>` or `device:<id>`. */
  actor: string;
  /** Set for a signed-in browser. */
  sessionId?: string;
  /** The client's address, as far as TRUSTED_PROXY reveals it. */
  address: string;
}
