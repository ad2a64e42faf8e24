// One device's jobs as a queue: what is running, what is waiting and in which order, and what is done.
import type { Job } from '#/contract/jobs.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { jobState } from '#/contract/job-state.ts';

const timeOf = (text: string | undefined): number => parseTimestamp(text ?? '')?.getTime() ?? Number.NaN;

/** Sorts by a time if both have one, and keeps the given order otherwise. */
const byTime = (read: (job: Job) => number, direction: 1 | -1) => (one: Job, two: Job) => {
  const difference = direction * (read(one) - read(two));
  return Number.isNaN(difference) ? 0 : difference;
};

const ended = (job: Job): number => timeOf(job.EndTime || job.StartTime || job.CreatedTime);

/**
 * `jobs` is in the order of submission, as the service lists one device's jobs. `byTimes`: it is in any order, and sorted
 * by the times that are reported.
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

/** The jobs for this device alone, from the list of all jobs. Jobs to its group or tags are not among them. */
export const jobsAimedAt = (deviceId: string, jobs: readonly Job[]): Job[] =>
  jobs.filter((job) => job.DeviceId === deviceId);
