// The last hours as stretches, from the history that this browser stores: of one device its states, of the fleet how
// many are away. A stretch that nobody saw or reported is unknown.
import type { StateChange, StateHistory } from './state-history.ts';

export interface StateStretch<Value> {
  from: number;
  to: number;
  value: Value | undefined;
}

interface Span {
  from: number;
  now: number;
  /** When the page at hand was looking, beside the history. */
  looked?: readonly (readonly [from: number, to: number])[];
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

const seenIn = ({ watched }: StateHistory, { from, now, looked = [] }: Span): (readonly [number, number])[] =>
  [...watched, ...looked]
    .map(([begin, end]) => [Math.max(begin, from), Math.min(end, now)] as const)
    .filter(([begin, end]) => begin < end)
    .sort((one, two) => one[0] - two[0]);

/** Whether a time is in one of these, which are sorted; asked for later and later times only. */
function within(stretches: readonly (readonly [number, number])[]): (at: number) => boolean {
  let index = 0;
  return (at) => {
    while ((stretches[index]?.[1] ?? Infinity) < at) index++;
    return (stretches[index]?.[0] ?? Infinity) <= at;
  };
}

/** Cuts the span at these times and asks for the value of each piece, at its middle. */
function cut<Value>({ from, now }: Span, times: Iterable<number>, valueAt: (at: number) => Value | undefined) {
  const edges = [...new Set([from, now, ...times])]
    .filter((at) => at >= from && at <= now)
    .sort((one, two) => one - two);
  return joined(
    edges.slice(1).map((to, index) => {
      const begin = edges[index] ?? from;
      return { from: begin, to, value: valueAt((begin + to) / 2) };
    }),
  );
}

export interface KnownDevice {
  id: string;
  state: string;
  /** When it was last there; NaN where that is not reported. */
  seen: number;
  /** When it was created; NaN where that is not reported. */
  created: number;
}

export function deviceStretches(history: StateHistory, device: KnownDevice, span: Span): StateStretch<string>[] {
  const { id, state, seen, created } = device;
  const changes = history.changes.filter((change) => change.id === id);
  const looked = seenIn(history, span);
  // Away since it was last seen, even if nobody looked since then.
  const reported: (readonly [number, number])[] = changes.flatMap(({ to, at, since }) => {
    const next = looked.find(([, end]) => end > at);
    return to !== 'Online' && since === at && next ? [[at, next[0]] as const] : [];
  });
  if (state === 'Offline' && Number.isFinite(seen)) reported.push([seen, span.now]);
  reported.sort((one, two) => one[0] - two[0]);
  const [isReported, isLooked] = [within(reported), within(looked)];
  const stateAt = (at: number): string => {
    const before = changes.findLast((change) => change.at <= at);
    if (before) return before.to;
    const [next] = changes;
    if (next) return next.to === 'Online' ? 'Offline' : 'Online';
    return state === 'Offline' && at < seen ? 'Online' : state;
  };
  const edges = [...looked, ...reported].flat().concat(
    changes.map(({ at }) => at),
    created,
    seen,
  );
  return cut(span, edges.filter(Number.isFinite), (at) => {
    if (at < created) return undefined;
    if (isReported(at)) return 'Offline';
    return isLooked(at) ? stateAt(at) : undefined;
  });
}

/** How many devices were away; `away`: how many there are now. */
export function awayStretches(history: StateHistory, away: number, span: Span): StateStretch<number>[] {
  const looked = seenIn(history, span);
  const changes = history.changes.filter(({ at }) => at >= span.from && at <= span.now);
  let count = away;
  /** From then on so many; the latest first, since only now it is known how many there are. */
  const counts: [at: number, count: number][] = [];
  for (const change of changes.toReversed()) {
    counts.push([change.at, count]);
    count = Math.max(0, count - step(change));
  }
  counts.reverse();
  const edges = [...looked.flat(), ...counts.map(([at]) => at)];
  const isLooked = within(looked);
  let index = 0;
  return cut(span, edges, (at) => {
    while (index < counts.length && (counts[index]?.[0] ?? 0) <= at) index++;
    return isLooked(at) ? (counts[index - 1]?.[1] ?? count) : undefined;
  });
}

const step = ({ to }: StateChange) => (to === 'Online' ? -1 : 1);
