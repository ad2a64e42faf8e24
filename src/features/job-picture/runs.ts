// When each device of a job began and ended, as the numbers of a picture: how many ran and had ended over time, and how long
// they took.
import type { ChartColor, ChartSeries, Span } from '#/ui/chart/chart-data.ts';

/**
 * `finished`: the service does not report how it ended. `other`: it ended, but not well and not as a failure, such as one that was cancelled.
 */
export type RunState = 'succeeded' | 'finished' | 'failed' | 'rolled-back' | 'no-answer' | 'other' | 'running';

/** What one device ran, in milliseconds since 1970. */
export interface Run {
  key: string;
  name: string;
  from: number;
  /** Undefined while it runs. */
  to: number | undefined;
  state: RunState;
}

/** In the order in which they are stacked. */
export const RUN_STATES: readonly { state: RunState; label: string; color: ChartColor }[] = [
  { state: 'succeeded', label: 'Succeeded', color: 'ok' },
  { state: 'finished', label: 'Finished', color: 'waiting' },
  { state: 'other', label: 'Ended otherwise', color: 'waiting' },
  { state: 'no-answer', label: 'No answer', color: 'no-answer' },
  { state: 'rolled-back', label: 'Rolled back', color: 'rolled-back' },
  { state: 'failed', label: 'Failed', color: 'failed' },
  { state: 'running', label: 'Running', color: 'running' },
];

export interface Picture {
  /** The beginning of each bucket; the last one also counts what lies beyond the axis. */
  x: number[];
  step: number;
  /** The largest value, on the axis or beyond it. */
  most: number;
  series: ChartSeries[];
}

/** The shortest step: a service may report whole seconds. */
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
];

/** The shortest round step that divides a time into at most so many parts. */
export function roundStep(length: number, parts: number): number {
  const least = length / parts;
  return STEPS.find((step) => step >= least) ?? Math.ceil(least / DAY) * DAY;
}

const PARTS = 96;
/** While a job runs, its axis ends at a multiple of so many buckets, so that it does not move with each of them. */
const AHEAD = 8;

/** So many make a rest that stragglers would squeeze. */
const REST = 5;
/** A straggler takes more than so many times as long as 95 of 100. */
const FAR = 4;

/** Where an axis ends that leaves out stragglers, so that the rest can be told apart: at the longest of the others. */
function endWithoutStragglers(lengths: readonly number[]): number {
  const sorted = Float64Array.from(lengths).sort();
  const longest = sorted.at(-1) ?? 0;
  if (sorted.length < REST) return longest;
  const usual = sorted[Math.floor(0.95 * (sorted.length - 1))] ?? 0;
  return longest > FAR * Math.max(usual, SECOND)
    ? (sorted.findLast((each) => each <= FAR * usual) ?? longest)
    : longest;
}

const isRunning = ({ to }: Run) => to === undefined;

export interface Axis {
  begin: number;
  end: number;
  step: number;
  /** When the last device ended, or until when it runs so far: after `end` if it is a straggler. */
  last: number;
}

/** The time from the first beginning to the last end, in buckets. */
export function axisOf(runs: readonly Run[], now: number): Axis {
  let first = runs.length === 0 ? now : Number.POSITIVE_INFINITY;
  for (const { from } of runs) first = Math.min(first, from);
  const lengths = runs.map(({ from, to }) => (to ?? Math.max(now, from)) - first);
  const last = first + lengths.reduce((most, length) => Math.max(most, length), 0);
  const until = endWithoutStragglers(lengths);
  const step = roundStep(until, PARTS);
  const begin = Math.floor(first / step) * step;
  const unit = runs.some(isRunning) ? AHEAD * step : step;
  return { begin, end: begin + Math.max(1, Math.floor((first + until - begin) / unit) + 1) * unit, step, last };
}

/** A selection up to the end of an axis takes what lies beyond it, too. */
export function withBeyond(span: Span | undefined, { x, step, most }: Omit<Picture, 'series'>): Span | undefined {
  const end = (x.at(-1) ?? 0) + step;
  return span && span.to >= end && most >= end ? { ...span, to: most + step } : span;
}

/** Only states that occur, so that the legend names no others. */
const seriesOf = (byState: ReadonlyMap<RunState, (number | null)[]>): ChartSeries[] =>
  RUN_STATES.flatMap(({ state, label, color }) => {
    const values = byState.get(state);
    return values ? [{ label, color, values }] : [];
  });

/** How many devices ran, and how many had ended in each way, at the end of each bucket; null in the future. */
export function timeline(runs: readonly Run[], now: number): Picture {
  const { begin, end, step, last } = axisOf(runs, now);
  const count = Math.round((end - begin) / step);
  const x = Array.from({ length: count }, (_, index) => begin + index * step);
  const bucketOf = (at: number) => Math.min(count - 1, Math.max(0, Math.floor((at - begin) / step)));
  const changes = new Map<RunState, number[]>();
  const change = (state: RunState, at: number, by: number) => {
    const values = changes.get(state) ?? Array.from({ length: count }, () => 0);
    changes.set(state, values);
    values[bucketOf(at)] = (values[bucketOf(at)] ?? 0) + by;
  };
  for (const { from, to, state } of runs) {
    change('running', from, 1);
    if (to === undefined) continue;
    change('running', to, -1);
    change(state, to, 1);
  }
  const known = bucketOf(last);
  const sums = new Map<RunState, (number | null)[]>();
  for (const [state, values] of changes) {
    let sum = 0;
    sums.set(
      state,
      values.map((value, index) => {
        sum += value;
        return index > known ? null : sum;
      }),
    );
  }
  return { x, step, most: last, series: seriesOf(sums) };
}

const DURATIONS = 28;

/** How many of the ended devices took how long. */
export function durations(runs: readonly Run[]): Picture {
  const lengths = runs.flatMap(({ from, to }) => (to === undefined ? [] : [to - from]));
  const most = lengths.reduce((longest, length) => Math.max(longest, length), 0);
  const until = endWithoutStragglers(lengths);
  const step = roundStep(until, DURATIONS);
  // Stragglers have a bucket of their own.
  const count = Math.floor(until / step) + (most > until ? 2 : 1);
  const values = new Map<RunState, number[]>();
  for (const { from, to, state } of runs) {
    if (to === undefined) continue;
    const of = values.get(state) ?? Array.from({ length: count }, () => 0);
    values.set(state, of);
    const at = Math.min(count - 1, Math.max(0, Math.floor((to - from) / step)));
    of[at] = (of[at] ?? 0) + 1;
  }
  return { x: Array.from({ length: count }, (_, index) => index * step), step, most, series: seriesOf(values) };
}

/** Of the devices that have ended. */
export function medianAndSlowest(runs: readonly Run[]): { median: number; slowest: Run } | undefined {
  const ended = runs
    .flatMap((run) => (run.to === undefined ? [] : [{ run, took: run.to - run.from }]))
    .toSorted((one, other) => one.took - other.took);
  const [middle, slowest] = [ended[(ended.length - 1) >> 1], ended.at(-1)];
  return middle && slowest && { median: middle.took, slowest: slowest.run };
}

/** The selected parts of both axes; undefined selects all. */
export interface Brush {
  /** Devices that ran at some moment of it. */
  time: Span | undefined;
  /** Devices that have ended and took so long. */
  took: Span | undefined;
}

export const isBrushed = ({ time, took }: Brush): boolean => time !== undefined || took !== undefined;

/** `from`: undefined before it began. */
export function isInBrush({ from, to }: { from: number | undefined; to: number | undefined }, brush: Brush): boolean {
  const { time, took } = brush;
  if (from === undefined) return !isBrushed(brush);
  if (time && (from >= time.to || (to !== undefined && to < time.from))) return false;
  return !took || (to !== undefined && to - from >= took.from && to - from < took.to);
}
