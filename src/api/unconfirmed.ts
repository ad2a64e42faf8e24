// A create whose answer was lost, truncated or replaced by a proxy's may have been accepted.
import { meaningOf } from '#/lib/retry.ts';
import { UnconfirmedWrite } from '#/lib/unconfirmed-write.ts';
import { ApiError } from './api-error.ts';
import { isSafeToResend } from './idempotency.ts';

/** Adds to the error of such a create what to do now; returns any other error unchanged. `what`: "device". */
export const unconfirmed =
  (what: string, list?: UnconfirmedWrite['list']) =>
  (error: Error): Error => {
    if (!(error instanceof ApiError) || meaningOf(error) !== 'unknown') return error;
    const { kind, message, status, retryAfter, fields } = error;
    const detail = (advice: string) => `${error.detail} The ${what} may have been accepted${advice}.`.trim();
    return isSafeToResend()
      ? new ApiError(kind, message, {
          status,
          retryAfter,
          fields,
          detail: detail('. You can send it again: the service creates it only once'),
        })
      : new UnconfirmedWrite(message, detail(': look for it in the list before you send it again'), list);
  };
