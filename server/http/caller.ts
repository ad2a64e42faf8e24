// The caller of a request, as handlers and the audit log know it.

/** Known for every authenticated request. */
export interface Caller {
  account: { id: number; email: string };
  /** `token:<id>`, `session:<id>` or `device:<id>`. */
  actor: string;
  /** Of a browser that is signed in. */
  sessionId?: string;
  /** Where the request came from, as far as TRUSTED_PROXY lets it be known. */
  address: string;
}
