// When a read that failed is sent again, and after how long. Writes never are.
import { ApiError } from '#/api/api-error.ts';

/** At most three times, when no answer came or the service said "later". */
export const shouldRetry = (failures: number, error: Error): boolean =>
  failures < 3 &&
  error instanceof ApiError &&
  (error.kind === 'network' || [429, 502, 503, 504].includes(error.status));

/** Full jitter, doubling from half a second; a Retry-After of the service counts as the least. */
export const retryDelay = (failures: number, error: Error): number =>
  ((error instanceof ApiError && error.retryAfter) || 0) * 1000 + Math.random() * Math.min(8_000, 500 * 2 ** failures);
