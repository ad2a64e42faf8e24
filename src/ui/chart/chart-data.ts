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
