// The waves of a rollout under one row of the list of jobs.
import type { Job } from '#/contract/jobs.ts';
import { isMoving } from '#/contract/job-state.ts';
import { timesOf } from '#/features/jobs/job-times.ts';
import { nameWithoutWave } from '#/features/jobs/job-words.ts';

const keyOf = (rolloutId: string) => `rollout ${rolloutId}`;

/** The key of the row that a wave may be under. */
export const parentOf = ({ JobId, RolloutId }: Job): string | undefined =>
  RolloutId && JobId !== keyOf(RolloutId) ? keyOf(RolloutId) : undefined;

export interface FoldedJobs {
  rows: Job[];
  /** The waves of each row that stands for a rollout, by its key. */
  waves: ReadonlyMap<string, readonly Job[]>;
}

/** One row in place of the first listed wave of a rollout that has several in the list; `opened` rows have them below. */
export function foldWaves(jobs: readonly Job[], opened: ReadonlySet<string>): FoldedJobs {
  const waves = new Map<string, readonly Job[]>();
  for (const [key, of] of Map.groupBy(jobs, parentOf)) if (key !== undefined && of.length > 1) waves.set(key, of);
  const rows = jobs.flatMap((job) => {
    const key = parentOf(job) ?? '';
    const of = waves.get(key);
    if (!of) return [job];
    return job === of[0] ? [summed(key, of), ...(opened.has(key) ? of : [])] : [];
  });
  return { rows, waves };
}

/** A job with the figures of all of these; no device is in two waves. */
function summed(key: string, waves: readonly Job[]): Job {
  const inOrder = waves.toSorted((one, other) => (one.Wave ?? 0) - (other.Wave ?? 0));
  const [first = waves[0]] = inOrder;
  const last = waves.reduce((one, other) => ((timesOf(other).ended ?? 0) > (timesOf(one).ended ?? 0) ? other : one));
  return {
    ...(first as Job),
    JobId: key,
    JobName: nameWithoutWave(first as Job),
    StartTime: inOrder.find(({ StartTime }) => StartTime)?.StartTime ?? '',
    EndTime: waves.some(isMoving) ? '' : last.EndTime,
    Counts: sum(waves.map(({ Counts }) => Counts)),
    ...(waves.some(({ VerdictCounts }) => VerdictCounts) && {
      VerdictCounts: sum(waves.map(({ Counts, VerdictCounts }) => VerdictCounts ?? Counts)),
    }),
    WaitingOffline: waves.reduce((count, { WaitingOffline = 0 }) => count + WaitingOffline, 0),
  };
}

function sum(all: readonly Job['Counts'][]): Record<string, number> {
  const total = new Map<string, number>();
  for (const counts of all)
    for (const [state, count] of Object.entries(counts ?? {})) total.set(state, (total.get(state) ?? 0) + count);
  return Object.fromEntries(total);
}
