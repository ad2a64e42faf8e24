// What a failed request means, and whether and when to repeat it: one policy for reads and for writes.

/**
 * - `network`: no answer arrived.
 * - `timeout`: the time limit passed.
 * - `refused`: the service answered with an error status.
 * - `unexpected`: the answer was a success whose body does not match the contract.
 */
export type RequestErrorKind = 'network' | 'timeout' | 'refused' | 'unexpected';

export interface RequestFacts {
  /** HTTP status; 0 where no answer arrived. */
  status: number;
  /** Seconds that the service asked to wait. */
  retryAfter: number | undefined;
}

export class RequestError extends Error implements RequestFacts {
  override readonly name: string = 'RequestError';
  readonly kind: RequestErrorKind;
  readonly status: number;
  readonly retryAfter: number | undefined;

  constructor(kind: RequestErrorKind, message: string, { status = 0, retryAfter }: Partial<RequestFacts> = {}) {
    super(message);
    this.kind = kind;
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/**
 * - `refused`: the service did nothing, and repeating the request would not help.
 * - `later`: the service did nothing, and the request may be repeated later.
 * - `unknown`: a write may have been carried out.
 * - `signed-out`: no further request will be answered.
 */
export type ErrorMeaning = 'refused' | 'later' | 'unknown' | 'signed-out';

export function meaningOf(error: unknown): ErrorMeaning {
  if (!(error instanceof RequestError)) return 'refused';
  const { kind, status } = error;
  if (kind !== 'refused') return 'unknown';
  if (status === 401) return 'signed-out';
  if (status === 429 || status === 503) return 'later';
  return status >= 500 && status !== 501 ? 'unknown' : 'refused';
}

/** Whether the service itself gave no answer: it may still be working on the request. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof RequestError && (error.kind !== 'refused' || error.status === 502 || error.status === 504);

/** Whether the same read may succeed later. */
export const isTemporary = (error: unknown): boolean => ['later', 'unknown'].includes(meaningOf(error));

/** How often a request is repeated at most. */
const MOST_RETRIES = { read: 3, write: 5 };

/** A write is repeated only if the service said that it did nothing, a read also if its answer was lost. */
export function shouldRetry(failures: number, error: unknown, request: 'read' | 'write' = 'read'): boolean {
  if (failures >= MOST_RETRIES[request] || !(error instanceof RequestError)) return false;
  if (meaningOf(error) === 'later') return true;
  return request === 'read' && (error.kind === 'network' || error.status === 502 || error.status === 504);
}

/** Milliseconds before the next attempt: full jitter, doubling from half a second, plus any Retry-After. */
export const retryDelay = (failures: number, error: unknown): number =>
  ((error instanceof RequestError && error.retryAfter) || 0) * 1000 +
  Math.random() * Math.min(8_000, 500 * 2 ** failures);
