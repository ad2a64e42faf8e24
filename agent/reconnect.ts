// When an agent dials again: at a random moment of a span, so that the agents of a service that comes back do not arrive
// in the same second. The service says how long the span is for a fleet of its size.

/** The first span without a word from the service, and with a fleet that is small. */
const FIRST_SPAN_MS = 500;
/** The longest span: short at first, so that a restarted service has its fleet back in seconds. */
const EARLY_SPAN_MS = 8_000;
const LATE_SPAN_MS = 60_000;
const LATE_AFTER_MS = 5 * 60_000;

interface Attempts {
  /** How many have failed since the last welcome. */
  tries: number;
  failingForMs: number;
  /** What the service asked for in its last welcome. */
  spreadMs: number;
}

/** The span within which to dial next. It doubles with each attempt that fails. */
export function spanOf({ tries, failingForMs, spreadMs }: Attempts): number {
  const first = Math.min(Math.max(FIRST_SPAN_MS, spreadMs), LATE_SPAN_MS);
  const longest = Math.max(failingForMs > LATE_AFTER_MS ? LATE_SPAN_MS : EARLY_SPAN_MS, first);
  return Math.min(longest, first * 2 ** Math.min(tries, 10));
}
