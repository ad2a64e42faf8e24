// Who sent a request, for handlers and the audit log.
import type { Rights } from '#/contract/permissions.ts';

/** Whoever an action is recorded as done by. */
export interface Actor {
  account: { id: number; email: string };
  /** `person:<id>` wherever a person acts, by a token of theirs too; else `token:<id>`, `session:<id>`, `device:<id>`, or `rollout:<id>` for its waves. */
  actor: string;
  /** The client's address, as far as TRUSTED_PROXY reveals it. */
  address: string;
  /** The bulk action that this is a part of. */
  bulkId?: string;
}

/** Who submits or stops jobs: a caller, or the service for whoever set it to do so, without limits. */
export type Submitter = Actor & Pick<Rights, 'groups'>;

/** The sender of a request, and what they may do. */
export interface Caller extends Actor, Rights {
  /** What they showed: `token:<id>` or `session:<id>`. */
  credential: string;
  personId?: string | undefined;
  /** The token that they showed, or that their browser signed in with. */
  tokenId?: string | undefined;
  /** Set for a signed-in browser. */
  sessionId?: string;
  /** The token or the session's value; never stored, logged or sent. */
  secret: {
    value: string;
    /** False if another node has just replaced the session's value and this node does not know the new one. */
    isCurrent: boolean;
  };
}
