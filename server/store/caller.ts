// Who sent a request, for handlers and the audit log.

export interface Caller {
  account: { id: number; email: string };
  /** `token:<id>`, `session:<id>` or `device:<id>`. */
  actor: string;
  /** Set for a signed-in browser. */
  sessionId?: string;
  /** The client's address, as far as TRUSTED_PROXY reveals it. */
  address: string;
  /** The token or the session's value; never stored, logged or sent. Undefined if no request is behind the action. */
  secret?: {
    value: string;
    /** False if another node has just replaced the session's value and this node does not know the new one. */
    isCurrent: boolean;
  };
}
