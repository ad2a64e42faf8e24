// What a chart shows, and the arithmetic of its axis, selection and keyboard.

/** A custom property of tokens.css, so that a chart has the colours of the states in both schemes. */
export type ChartColor =
  | 'online'
  | 'offline'
  | 'ok'
  | 'failed'
  | 'rolled-back'
  | 'no-answer'
  | 'waiting'
  | 'running'
  | 'brand';

export interface ChartSeries {
  label: string;
  color: ChartColor;
  /** One value for each x; null where nothing is known. */
  values: readonly (number | null)[];
}

/** A part of the x axis; `from` before `to`. */
export interface Span {
  from: number;
  to: number;
}

/** The y axis and the margin at the right, in pixels; chart.module.css places the overlays by the same numbers. */
export const LEFT = 48;
export const RIGHT = 8;

/** The sums of the series up to and including each one, in the order of `series`; null where a series is null. */
export function stacked(series: readonly ChartSeries[]): (number | null)[][] {
  const sums: number[] = [];
  return series.map(({ values }) =>
    values.map((value, index) => {
      if (value === null) return null;
      sums[index] = (sums[index] ?? 0) + value;
      return sums[index];
    }),
  );
}

/** The index of the point that x belongs to: the last one that does not lie after it. */
export function indexAt(xs: readonly number[], x: number): number {
  let [low, high] = [0, xs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((xs[middle] ?? 0) <= x) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

/** The part of the axis between two points that a pointer or a key went over, both buckets included. */
export function spanOf(xs: readonly number[], step: number, first: number, last: number): Span | undefined {
  const [low, high] = [xs[Math.min(first, last)], xs[Math.max(first, last)]];
  return low === undefined || high === undefined ? undefined : { from: low, to: high + step };
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Distances between two labels of a time axis. */
const DISTANCES = [
  ...[1, 5, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 5, 10, 30].map((days) => days * DAY),
];
/** Smaller numbers are not times of this century. */
const TIMES = 946_684_800_000;

/**
 * Where the labels of the axis go, at most `most`: at round times, or else at the beginning of every so many buckets.
 * `offset`: of the time zone, in milliseconds before UTC.
 */
export function labelsAt(
  xs: readonly number[],
  step: number,
  { most, offset = 0 }: { most: number; offset?: number },
): number[] {
  const [first = 0] = xs;
  const end = (xs.at(-1) ?? 0) + step;
  const every = Math.max(1, Math.ceil(xs.length / most));
  const distance = DISTANCES.find((each) => (end - first) / each <= most);
  // Buckets of a day are labelled themselves, wherever they begin.
  if (first < TIMES || step >= DAY || distance === undefined || distance < step)
    return xs.filter((_, index) => index % every === 0);
  const labels: number[] = [];
  for (let at = Math.ceil((first - offset) / distance) * distance + offset; at < end; at += distance) labels.push(at);
  return labels.length > 0 ? labels : [first];
}

/** The labels that the right edge does not cut off. `widthOf`: of a label, which is centred at its place, in pixels. */
export const wholeLabels = (
  labels: readonly number[],
  { from, to, width }: Span & { width: number },
  widthOf: (label: number) => number,
): number[] => labels.filter((label) => ((to - label) / (to - from)) * width + RIGHT >= widthOf(label) / 2);
