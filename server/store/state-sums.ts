// Sums up how long a device was in each state.
import { isOnline, type Cause, type Span, type StateChange } from './state-history.ts';

export interface DeviceStates {
  created: number;
  /** The last change before the span; null if the device had never connected. */
  was: Cause | null;
  /** Within the span, oldest first. */
  changes: StateChange[];
}

/** Milliseconds, which add up to the time that the device has existed in the span. */
export interface StateSums {
  online: number;
  offline: number;
  unknown: number;
  changes: number;
}

/** How much of a time span lies in gaps, which must not overlap. */
export const unknownIn = (gaps: readonly Span[], from: number, to: number): number =>
  gaps.reduce((sum, gap) => sum + Math.max(0, Math.min(gap.to, to) - Math.max(gap.from, from)), 0);

/** `gaps` must not overlap. A device is Offline before its first connection, and unknown during a gap. */
export function sumStates(
  { created, was, changes }: DeviceStates,
  { from, to }: Span,
  gaps: readonly Span[],
): StateSums {
  const begin = Math.min(Math.max(from, created), to);
  let online = 0;
  let since = was !== null && isOnline(was) ? begin : undefined;
  const endAt = (at: number) => {
    if (since !== undefined && at > since) online += at - since - unknownIn(gaps, since, at);
  };
  for (const { at, cause } of changes) {
    endAt(at);
    since = isOnline(cause) ? Math.max(at, begin) : undefined;
  }
  endAt(to);
  const unknown = unknownIn(gaps, begin, to);
  return { online, unknown, offline: to - begin - online - unknown, changes: changes.length };
}
