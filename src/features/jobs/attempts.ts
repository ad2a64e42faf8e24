// The children of a parent by device: a retry adds another attempt, and the last one counts.
import type { Job } from '#/contract/jobs.ts';

export interface Attempts {
  /** The last attempt of each device, at the place of its first. The same array if there was no retry. */
  last: Job[];
  /** The earlier attempts by device, oldest first. */
  earlier: ReadonlyMap<string, readonly Job[]>;
}

const NONE: Attempts['earlier'] = new Map();

export const attemptOf = ({ Attempt = 1 }: Job): number => Attempt;

export function byAttempt(rows: Job[]): Attempts {
  if (!rows.some((row) => attemptOf(row) > 1)) return { last: rows, earlier: NONE };
  const byDevice = Map.groupBy(rows, ({ DeviceId, JobId }) => DeviceId || JobId);
  const earlier = new Map<string, Job[]>();
  const last = Array.from(byDevice, ([id, attempts]) => {
    const sorted = attempts.toSorted((one, two) => attemptOf(one) - attemptOf(two));
    if (sorted.length > 1) earlier.set(id, sorted.slice(0, -1));
    return sorted.at(-1)!;
  });
  return { last, earlier };
}
