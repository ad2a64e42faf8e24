// The types of a benchmark section, and what all sections compute with.

/** How much is measured. */
export interface Sizes {
  devices: number;
  agents: number;
  points: number[];
  logMegabytes: number;
  artifactMegabytes: number;
  /** Whether the service keeps its data in PostgreSQL instead of SQLite. */
  postgres: boolean;
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

export const percentile = (values: number[], share: number): number =>
  values.toSorted((one, two) => one - two)[Math.floor(values.length * share)] ?? Number.NaN;

export function median(values: number[]): number {
  const sorted = values.toSorted((one, two) => one - two);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
