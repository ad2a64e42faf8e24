// How long a device was in which state.
import { isOnline, type DeviceStates, type Span } from './state-history.ts';

/** Milliseconds; together they are the time that the device was there. */
export interface StateSums {
  online: number;
  offline: number;
  unknown: number;
  changes: number;
}

/** `gaps`: without overlaps. Before its first connection a device is Offline, in a gap nothing is known of it. */
export function sumStates(
  { created, was, changes }: Pick<DeviceStates, 'created' | 'was' | 'changes'>,
  { from, to }: Span,
  gaps: readonly Span[],
): StateSums {
  const begin = Math.min(Math.max(from, created), to);
  const unknownIn = (start: number, end: number) =>
    gaps.reduce((sum, gap) => sum + Math.max(0, Math.min(gap.to, end) - Math.max(gap.from, start)), 0);
  let online = 0;
  let since = was !== null && isOnline(was) ? begin : undefined;
  const endAt = (at: number) => {
    if (since !== undefined && at > since) online += at - since - unknownIn(since, at);
  };
  for (const { at, cause } of changes) {
    endAt(at);
    since = isOnline(cause) ? Math.max(at, begin) : undefined;
  }
  endAt(to);
  const unknown = unknownIn(begin, to);
  return { online, unknown, offline: to - begin - online - unknown, changes: changes.length };
}
