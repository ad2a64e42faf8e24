// The data layer's only error type: every failed request, with a message for the user.
import { withoutSecrets } from '#/contract/mask-secrets.ts';
import { readRefusal, type Refusal } from '#/contract/refusal.ts';
import { isSafeToResend } from '#/api/idempotency.ts';
import { RequestError, type RequestErrorKind, type RequestFacts } from '#/lib/retry.ts';

const UNREACHED = 'The service could not be reached';
const TITLES: Record<number, string> = {
  400: 'The service refused the request',
  401: 'You are no longer signed in',
  403: 'Not allowed',
  404: 'Not found',
  409: 'Conflicts with existing data',
  413: 'Too large',
  429: 'Too many requests',
  502: UNREACHED,
  503: 'The service is busy',
};
/** What a proxy answers that does not reach the service; from 520 on, Cloudflare's. */
const isOfGateway = (status: number) => [502, 503, 504].includes(status) || (status >= 520 && status <= 530);

interface RefusalFacts extends RequestFacts {
  /** The service's error text, at most 500 characters. */
  detail: string;
  /** The invalid fields, by their wire names. */
  fields: Refusal['fields'];
  /** The permission that the caller's role lacks, if that is why. */
  permission: string | undefined;
  /** What is missing for another attempt. */
  needs: string | undefined;
}

export class ApiError extends RequestError implements RefusalFacts {
  override readonly name = 'ApiError';
  readonly detail: string;
  readonly fields: Refusal['fields'];
  readonly permission: string | undefined;
  readonly needs: string | undefined;

  constructor(kind: RequestErrorKind, message: string, facts: Partial<RefusalFacts> = {}) {
    super(kind, message, facts);
    this.detail = facts.detail ?? '';
    this.fields = facts.fields ?? [];
    this.needs = facts.needs;
    this.permission = facts.permission;
  }
}

/** The Retry-After header in seconds, capped at one minute. */
const retryAfterOf = (header: string | null): number | undefined => {
  if (!header) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.min(60, Math.max(0, seconds)) : undefined;
};

const NO_ANSWER = 'This is not an answer of the API; a sign-in page or proxy may be in between.';
const TOO_LARGE_FOR_PROXY =
  'A proxy in front of the service refuses requests of this size; raise its limit (in nginx: client_max_body_size).';
/** What proxies say that send no page with a 413. */
const ONLY_TOO_LARGE = /^(?:(?:request entity|payload|content) too large)?$/i;

/** The error for a response with an error status. */
export function refusalError(status: number, body: string, retryAfter: string | null): ApiError {
  const { title: reported, detail: said, fields, permission, needs } = readRefusal(body);
  // A plain /v1 service may answer in text. One with additions sends problems only.
  const isForeign = !couldBeJson(body) && (isOfGateway(status) || isSafeToResend());
  const title =
    (isForeign && isOfGateway(status) ? UNREACHED : reported) ??
    TITLES[status] ??
    (status >= 500 ? 'The service failed' : 'The service refused the request');
  const detail = isForeign && said ? `${NO_ANSWER} It says: ${said}` : said;
  return new ApiError('refused', `${title} (${status})`, {
    status,
    detail: (status === 413 && ONLY_TOO_LARGE.test(said) ? TOO_LARGE_FOR_PROXY : detail) || (body.trim() && NO_ANSWER),
    fields,
    permission,
    needs,
    retryAfter: retryAfterOf(retryAfter),
  });
}

/** The error for a successful response that does not match the contract. */
export function unexpectedError(status: number, body: string): ApiError {
  // An unreadable listing may contain keys, which parsing its rows would have dropped.
  const shown = withoutSecrets(body).trim().slice(0, 500) || 'The body was empty.';
  return new ApiError('unexpected', `Unexpected response (${status})`, {
    status,
    detail: couldBeJson(body) ? shown : NO_ANSWER,
  });
}

/** Truncated JSON still counts as an answer of the API. */
function couldBeJson(body: string): boolean {
  if (/^\s*(?:[[{]|$)/.test(body)) return true;
  try {
    JSON.parse(body);
    return true;
  } catch {
    return false;
  }
}

/** Whether the caller's role is the reason: it may have changed since the page was opened. */
export const isBeyondRole = (error: unknown): boolean => error instanceof ApiError && error.permission !== undefined;

export const hasStatus = (error: unknown, status: number): boolean =>
  error instanceof ApiError && error.status === status;

/** Whether the session has ended. */
export const isSignedOut = (error: unknown): boolean => hasStatus(error, 401);

/** Whether the object does not exist: it was deleted, or this service does not have the path. */
export const isMissing = (error: unknown): boolean => hasStatus(error, 404);

/** Whether no request was sent because the account does not offer the feature (capabilities.ts). */
export const isNotOffered = (error: unknown): boolean => hasStatus(error, 501);

/** Errors for a form, by field name; unknown fields are left to the message above the form. */
export function fieldErrors(error: unknown, known: readonly string[]): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(
    error.fields.filter(({ field }) => known.includes(field)).map(({ field, message }) => [field, message]),
  );
}

export function errorLine(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  return [error.message, error.detail].filter(Boolean).join(': ');
}
