// When an agent redials: at a random moment within a span, so that not all agents reconnect in the same second when a
// service comes back. The service sets a span to suit the size of its fleet.

/** The first span, if the service has not set a longer one. */
const FIRST_SPAN_MS = 500;
/** The longest span. It is short at first, so that a restarted service has its fleet back within seconds. */
const EARLY_SPAN_MS = 8_000;
const LATE_SPAN_MS = 60_000;
const LATE_AFTER_MS = 5 * 60_000;

/** A service never asks for a longer pause: a larger number is that of something in between. */
const LONGEST_RETRY_AFTER_S = 300;

/** The pause that an answer asks for, in milliseconds; 0 if it asks for none that counts. */
export function retryAfterMs(header: string | undefined): number {
  const seconds = /^\d+$/.test(header ?? '') ? Number(header) : 0;
  return seconds <= LONGEST_RETRY_AFTER_S ? seconds * 1000 : 0;
}

interface Attempts {
  /** The number of failed attempts since the last welcome. */
  tries: number;
  failingForMs: number;
  /** The span that the service set in its last welcome. */
  spreadMs: number;
}

/** The span within which to redial. It doubles with each failed attempt. */
export function spanOf({ tries, failingForMs, spreadMs }: Attempts): number {
  const first = Math.min(Math.max(FIRST_SPAN_MS, spreadMs), LATE_SPAN_MS);
  const longest = Math.max(failingForMs > LATE_AFTER_MS ? LATE_SPAN_MS : EARLY_SPAN_MS, first);
  return Math.min(longest, first * 2 ** Math.min(tries, 10));
}
