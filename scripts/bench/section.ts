// The types of a benchmark section, and the two ways to measure time.

/** How much is measured. */
export interface Sizes {
  devices: number;
  agents: number;
  points: number[];
  logMegabytes: number;
  /** Of the history of all devices. */
  days: number;
}

export interface Figure {
  value: number;
  unit: string;
}

export interface Row {
  what: string;
  figure: Figure;
  /** The figure to compare with. */
  against?: { what: string; figure: Figure };
}

/** Measures; `subject` describes what was measured. */
export type Section = (sizes: Sizes) => Promise<{ subject: string; rows: Row[] }>;

export const milliseconds = (value: number): Figure => ({ value, unit: 'ms' });
export const kilobytes = (bytes: number): Figure => ({ value: bytes / 1000, unit: 'kB' });
export const perSecond = (count: number, elapsed: number, unit: string): Figure => ({
  value: (count * 1000) / elapsed,
  unit: `${unit}/s`,
});

export function median(values: number[]): number {
  const sorted = values.toSorted((one, two) => one - two);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Milliseconds that `work` takes: the median of several runs, after one that does not count. */
export function timeOf(work: () => unknown, runs = 5): number {
  work();
  return median(
    Array.from({ length: runs }, () => {
      const begun = performance.now();
      work();
      return performance.now() - begun;
    }),
  );
}
