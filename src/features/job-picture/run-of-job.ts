// What a job's picture shows of each of its jobs.
import type { Job } from '#/contract/jobs.ts';
import { timesOf } from '#/features/jobs/job-times.ts';
import { verdictOf, type Verdict } from '#/features/jobs/verdict.ts';
import type { Run, RunState } from './runs.ts';

const STATES: Partial<Record<Verdict, RunState>> = {
  Succeeded: 'succeeded',
  Finished: 'finished',
  Failed: 'failed',
  Interrupted: 'no-answer',
  'No answer': 'no-answer',
  'Rolled back': 'rolled-back',
};

/** Undefined if the device has not begun. */
export function runOf(job: Job, key: string, name: string): Run | undefined {
  const { started, ended } = timesOf(job);
  if (!started) return undefined;
  const from = started.getTime();
  const { verdict } = verdictOf(job);
  const isEnded = verdict !== 'Running' && verdict !== 'Waiting';
  return {
    key,
    name,
    from,
    // A service may leave out when an ended job ended.
    to: isEnded ? Math.max(from, ended?.getTime() ?? from) : undefined,
    state: isEnded ? (STATES[verdict] ?? 'other') : 'running',
  };
}
