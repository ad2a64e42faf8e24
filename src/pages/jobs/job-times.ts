// When a job was submitted, started and ended, and how long it took.
import type { Job } from '#/contract/jobs.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';

export interface JobTimes {
  created: Date | undefined;
  started: Date | undefined;
  ended: Date | undefined;
}

// A list of 10,000 jobs is sorted at every refresh; jobs that did not change are the same objects.
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

/** Milliseconds from the start to the end, or to now while it runs; undefined before the start. */
export function durationOf({ started, ended }: JobTimes, now: Date): number | undefined {
  return started && Math.max(0, (ended ?? now).getTime() - started.getTime());
}

/**
 * Newest first, by submission or else start. A job without any readable time comes first when it has not started (it is
 * among the latest), last otherwise; the order of the service stays between equals.
 */
export function newestFirst(jobs: Job[]): Job[] {
  const at = (job: Job) => {
    const { created, started } = timesOf(job);
    return (created ?? started)?.getTime() ?? (job.CreatedTime || job.StartTime ? 0 : Number.MAX_SAFE_INTEGER);
  };
  return jobs.toSorted((one, two) => at(two) - at(one));
}
