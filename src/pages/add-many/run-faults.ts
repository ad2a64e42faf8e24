// What errors mean for a run: which ones say that a request may be sent again, which leave it open whether it was
// carried out, and how they are told.
import { ApiError } from '#/api/api-error.ts';

/** The service asks to come again later, and says with it that nothing was done. */
export const isBusy = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.status === 429 || error.status === 503);

/** No answer that can be read: the write may have been carried out all the same. */
export const mayHaveActed = (error: unknown): boolean =>
  error instanceof ApiError && (error.kind !== 'refused' || (error.status >= 500 && error.status !== 503));

export const hasStatus = (error: unknown, status: number): boolean =>
  error instanceof ApiError && error.status === status;

/** One line for a row. */
export function faultText(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  return [error.message, error.detail].filter(Boolean).join(': ');
}

/** What the service says about its limit, without the words for its status. */
export const limitText = (error: unknown): string =>
  error instanceof ApiError && error.detail ? error.detail : faultText(error);
