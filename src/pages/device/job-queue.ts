// One device's jobs as a queue: what runs now, what waits and in which order, what is done.
import type { Job } from '#/contract/jobs.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { jobState } from '#/contract/job-state.ts';

const timeOf = (text: string | undefined): number => parseTimestamp(text ?? '')?.getTime() ?? Number.NaN;

/** Sorts by a time where both have one; else the order stays as it was given. */
const byTime = (read: (job: Job) => number, direction: 1 | -1) => (one: Job, two: Job) => {
  const difference = direction * (read(one) - read(two));
  return Number.isNaN(difference) ? 0 : difference;
};

const ended = (job: Job): number => timeOf(job.EndTime || job.StartTime || job.CreatedTime);

/**
 * `jobs` in the order of submission, as the service lists one device's jobs. `byTimes`: in any order, so that times
 * decide as far as they are reported.
 */
export function jobQueueOf(jobs: readonly Job[], byTimes: boolean) {
  const inState = (...states: string[]) => jobs.filter((job) => states.includes(jobState(job)));
  const running = inState('Running');
  const waiting = inState('Waiting');
  const executed = jobs.filter((job) => !running.includes(job) && !waiting.includes(job));
  return {
    running,
    /** In the order in which they will run. */
    waiting: byTimes ? waiting.sort(byTime((job) => timeOf(job.CreatedTime), 1)) : waiting,
    /** Newest first. */
    executed: executed.toReversed().sort(byTime(ended, -1)),
  };
}

/** Without a list of the device's own: the jobs aimed at it alone, out of all. Group and tag jobs are not among them. */
export const jobsAimedAt = (deviceId: string, jobs: readonly Job[]): Job[] =>
  jobs.filter((job) => job.DeviceId === deviceId);
