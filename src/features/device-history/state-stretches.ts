// State history as stretches of time: the states of a device, or how many devices of the fleet were away.
import type { StateEvent } from '#/api/history.ts';

export interface Span {
  from: number;
  to: number;
}

/** `value`: undefined where nothing is known. */
export interface StateStretch<Value> extends Span {
  value: Value | undefined;
}

function joined<Value>(stretches: readonly StateStretch<Value>[]): StateStretch<Value>[] {
  const found: StateStretch<Value>[] = [];
  for (const stretch of stretches) {
    const last = found.at(-1);
    if (last && last.value === stretch.value) last.to = stretch.to;
    else if (stretch.to > stretch.from) found.push({ ...stretch });
  }
  return found;
}

/**
 * The states of a device. `events`: newest first; `created`: NaN if it is not reported. A device is Offline before its first
 * connection.
 */
export function deviceStretches(
  events: readonly StateEvent[],
  { from, to }: Span,
  created: number,
): StateStretch<string>[] {
  const stretches: StateStretch<string>[] = [];
  if (created > from) stretches.push({ from, to: Math.min(created, to), value: undefined });
  let at = Math.max(from, created || from);
  let state: string | undefined = 'Offline';
  let isDown = false;
  for (const event of events.toReversed()) {
    const until = Math.min(event.at, to);
    if (until > at) {
      stretches.push({ from: at, to: until, value: state });
      at = until;
    }
    // While the service is down nothing is known, although a change may still have been recorded.
    if (event.cause === 'ServiceDown') isDown = true;
    if (event.cause === 'ServiceUp') isDown = false;
    state = isDown ? undefined : event.state;
  }
  stretches.push({ from: at, to, value: state });
  return joined(stretches);
}

/** How many devices were away. `events`: of the fleet, newest first; `away`: how many are away now. */
export function awayStretches(
  events: readonly StateEvent[],
  gaps: readonly Span[],
  away: number,
  { from, to }: Span,
): StateStretch<number>[] {
  // Counted backwards, since only the current number is known.
  const stretches: StateStretch<number>[] = [];
  let [end, count] = [to, away];
  for (const { at, state } of events) {
    if (at < from) break;
    if (at < end) {
      stretches.push({ from: at, to: end, value: count });
      end = at;
    }
    count = Math.max(0, count + (state === 'Online' ? 1 : -1));
  }
  if (end > from) stretches.push({ from, to: end, value: count });
  return joined(stretches.toReversed().flatMap((stretch) => withoutGaps(stretch, gaps)));
}

/** `gaps`: sorted by time. */
function withoutGaps<Value>(stretch: StateStretch<Value>, gaps: readonly Span[]): StateStretch<Value>[] {
  const parts: StateStretch<Value>[] = [];
  let at = stretch.from;
  for (const gap of gaps) {
    const [from, to] = [Math.max(gap.from, at), Math.min(gap.to, stretch.to)];
    if (to <= from) continue;
    if (from > at) parts.push({ ...stretch, from: at, to: from });
    parts.push({ from, to, value: undefined });
    at = to;
  }
  return at < stretch.to ? [...parts, { ...stretch, from: at }] : parts;
}
