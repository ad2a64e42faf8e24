// A create whose answer was lost, cut, or replaced by a proxy's: the object may exist, and sending it again may make two.
import { ApiError } from './api-error.ts';
import { meaningOf } from '#/lib/retry.ts';

/** The error with that sentence, where it applies. `what`: "device". */
export const mayExist =
  (what: string) =>
  (error: Error): Error => {
    if (!(error instanceof ApiError) || meaningOf(error) !== 'unknown') return error;
    const { kind, message, status, retryAfter, fields } = error;
    const detail = `${error.detail} The ${what} may exist all the same: look for it in the list before you try again.`;
    return new ApiError(kind, message, { status, retryAfter, fields, detail: detail.trim() });
  };
