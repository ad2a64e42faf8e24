// Why a sign-in failed, for the page and for the dialog over a page.
import { ApiError } from '#/api/api-error.ts';
import type { Credential } from '#/api/session.ts';

/** @param upstream the upstream service, if there is one: then its own reasons count */
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
        'Each link works once, for ten minutes. Paste an API token; or get a new link by "npm run token -- link" on the machine of the service.',
    };
  if (error.status === 401 && upstream === undefined)
    return {
      title: 'The service does not know this token',
      detail:
        'Check that it was copied whole and has not been revoked. "npm run token" on the service lists and makes tokens.',
    };
  if (error.status === 429 && upstream === undefined)
    return {
      title: 'Too many failed attempts',
      detail: `Check that it was copied whole: the right one works at once. Otherwise try again in ${Math.ceil(error.retryAfter ?? 60)} seconds.`,
    };
  return { title: error.message, detail: error.detail };
}
