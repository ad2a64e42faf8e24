// Explains why a sign-in failed, for the sign-in page and for the dialog over a page.
import { ApiError } from '#/api/api-error.ts';
import type { Credential } from '#/api/session.ts';

/** @param upstream the upstream service, if any, whose own reasons are then shown */
export function signInRefusal(
  error: unknown,
  credential: Credential,
  upstream: string | undefined,
): { title: string; detail: string } {
  if (!(error instanceof ApiError)) return { title: 'Sign-in failed', detail: String(error) };
  if (error.status === 401 && 'Code' in credential)
    return {
      title: 'This sign-in link no longer works',
      detail:
        'A link works once and expires after ten minutes. Paste an API token, or get a new link with "npm run token -- link" on the service’s machine.',
    };
  if (error.status === 401 && upstream === undefined)
    return {
      title: 'Invalid token',
      detail:
        'Check that you copied all of it and that it was not revoked. "npm run token" on the service’s machine lists and creates tokens.',
    };
  if (error.status === 429 && upstream === undefined)
    return {
      title: 'Too many failed attempts',
      detail: `Check that you copied all of it: a valid token works at once. Otherwise try again in ${Math.ceil(error.retryAfter ?? 60)} seconds.`,
    };
  return { title: error.message, detail: error.detail };
}
