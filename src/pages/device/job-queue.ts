// One device's jobs as a queue: what runs now, what waits and in which order, what is done.
import type { Job } from '#/contract/jobs.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { jobState } from '#/contract/job-state.ts';

const endOf = ({ EndTime, StartTime, CreatedTime = '' }: Job): number =>
  parseTimestamp(EndTime || StartTime || CreatedTime)?.getTime() ?? Number.NaN;

/** Later first; jobs without a readable time stay where they are. */
const byEnd = (one: Job, two: Job) => endOf(two) - endOf(one) || 0;

/** `jobs` in the order of submission, as the service lists one device's jobs. */
export function jobQueueOf(jobs: readonly Job[]) {
  const inState = (state: string) => jobs.filter((job) => jobState(job) === state);
  const running = inState('Running');
  const waiting = inState('Waiting');
  const executed = jobs.filter((job) => !running.includes(job) && !waiting.includes(job));
  return {
    running,
    /** In the order in which they will run. */
    waiting,
    /** Newest first. */
    executed: executed.toReversed().sort(byEnd),
  };
}
