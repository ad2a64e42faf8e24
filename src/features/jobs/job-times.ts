// When a job was submitted, started and ended, and how long it took.
import type { Job } from '#/contract/jobs.ts';
import { awaitedOffline } from './outcome.ts';
import { sortRows } from '#/ui/table/sort.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';

export interface JobTimes {
  created: Date | undefined;
  started: Date | undefined;
  ended: Date | undefined;
}

// A long list is rendered and sorted at every refresh, and unchanged jobs are the same objects.
const known = new WeakMap<Job, JobTimes>();

export function timesOf(job: Job): JobTimes {
  let times = known.get(job);
  if (!times) {
    const read = (text: string | undefined) => (text ? parseTimestamp(text) : undefined);
    times = { created: read(job.CreatedTime), started: read(job.StartTime), ended: read(job.EndTime) };
    known.set(job, times);
  }
  return times;
}

const sortTimes = new WeakMap<Job, number>();

/** When a job was submitted, or else started. Parses only this time, once per job. */
function timeOf(job: Job): number {
  let time = sortTimes.get(job);
  if (time === undefined) {
    const text = job.CreatedTime || job.StartTime;
    time = text ? (parseTimestamp(text)?.getTime() ?? 0) : Number.MAX_SAFE_INTEGER;
    sortTimes.set(job, time);
  }
  return time;
}

/** Milliseconds from start to end, or until now while the job runs; undefined before the start. */
export function durationOf({ started, ended }: JobTimes, now: Date): number | undefined {
  return started && Math.max(0, (ended ?? now).getTime() - started.getTime());
}

/** How long a job took, or has been running. A job that only waits for Offline devices is not running. */
export const spanOf = (job: Job, now: Date): number | undefined =>
  awaitedOffline(job) > 0 ? undefined : durationOf(timesOf(job), now);

/**
 * Newest first, by submission or else start. A job without a readable time comes first if it has not started, since it
 * is probably new, and last otherwise. Equal times keep the order of the service.
 */
export const newestFirst = (jobs: readonly Job[]): Job[] => sortRows(jobs, timeOf, true);
