// The one error of the data layer: whatever went wrong with a request, in words a person can act on.
import { readRefusal } from '#/contract/refusal.ts';
import type { Refusal } from '#/contract/refusal.ts';
import { RequestError } from '#/lib/retry.ts';
import type { RequestErrorKind, RequestFacts } from '#/lib/retry.ts';

const TITLES: Record<number, string> = {
  400: 'The service refused the request',
  401: 'You are not signed in any more',
  403: 'Not allowed',
  404: 'Not found',
  409: 'That conflicts with something that exists',
  413: 'Too large',
  429: 'Too many requests',
  502: 'The service could not be reached',
  503: 'The service is busy',
};

interface RefusalFacts extends RequestFacts {
  /** What the service said, as text, at most 500 characters. */
  detail: string;
  /** The fields at fault, under their wire names. */
  fields: Refusal['fields'];
}

export class ApiError extends RequestError implements RefusalFacts {
  override readonly name = 'ApiError';
  readonly detail: string;
  readonly fields: Refusal['fields'];

  constructor(kind: RequestErrorKind, message: string, facts: Partial<RefusalFacts> = {}) {
    super(kind, message, facts);
    this.detail = facts.detail ?? '';
    this.fields = facts.fields ?? [];
  }
}

/** In seconds, at most a minute. */
const retryAfterOf = (header: string | null): number | undefined => {
  if (!header) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.min(60, Math.max(0, seconds)) : undefined;
};

/** The error for an answer with an error status. */
export function refusalError(status: number, body: string, retryAfter: string | null): ApiError {
  const { title: said, detail, fields } = readRefusal(body);
  const title = said ?? TITLES[status] ?? (status >= 500 ? 'The service failed' : 'The service refused the request');
  return new ApiError('refused', `${title} (${status})`, {
    status,
    detail,
    fields,
    retryAfter: retryAfterOf(retryAfter),
  });
}

/** A listing that cannot be read may still leak what its rows would have dropped. */
const withoutKeys = (body: string) => body.replaceAll(/("DeviceKey"\s*:\s*")[^"]*/gi, '$1…');

/** The error for a success answer that cannot be read as what the contract says. */
export const unexpectedError = (status: number, body: string): ApiError =>
  new ApiError('unexpected', `Unexpected response (${status})`, {
    status,
    detail: withoutKeys(body).trim().slice(0, 500) || 'The body was empty.',
  });

export const hasStatus = (error: unknown, status: number): boolean =>
  error instanceof ApiError && error.status === status;

/** Whether an error says that the session is over. */
export const isSignedOut = (error: unknown): boolean => hasStatus(error, 401);

/** Whether there is no such thing: a deleted one, or a path that this service does not have. */
export const isMissing = (error: unknown): boolean => hasStatus(error, 404);

/**
 * Whether the answer to an addition of ours says that the service does not have it. Some answer what they do not know with
 * 400, 403 or 405, others with something else of theirs: a page, or rows of another kind.
 */
export const isNotOffered = (error: unknown): boolean =>
  error instanceof ApiError && (error.kind === 'unexpected' || [400, 403, 404, 405, 501].includes(error.status));

/** Errors for a form, by field name; what belongs to no known field is left to the message above the form. */
export function fieldErrors(error: unknown, known: readonly string[]): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(
    error.fields.filter(({ field }) => known.includes(field)).map(({ field, message }) => [field, message]),
  );
}
