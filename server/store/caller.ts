// Who asks for something, for handlers and the audit log.

export interface Caller {
  account: { id: number; email: string };
  /** `token:<id>`, `session:<id>` or `device:<id>`. */
  actor: string;
  /** Set for a signed-in browser. */
  sessionId?: string;
  /** The client's address, as far as TRUSTED_PROXY reveals it. */
  address: string;
  /** The token or the session's value; never stored, logged or sent. Missing where no request is behind it. */
  secret?: {
    value: string;
    /** False if another node has just replaced the session's value: the new one is not known here. */
    isCurrent: boolean;
  };
}
