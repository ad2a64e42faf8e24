// Which jobs a person looks for first: those under way, and those that went wrong lately. The overview counts them and
// the list of jobs shows them, by the same words.
import { isMoving } from '#/contract/job-state.ts';
import type { Job } from '#/contract/jobs.ts';
import { timesOf } from './job-times.ts';
import { outcomeOf, stateOf } from './outcome.ts';
import { FAILURES, type Verdict } from './verdict.ts';

/** Several states under one word. */
export const JOB_KINDS = { moving: 'Running or waiting', bad: 'Any failure' } as const;
export type JobKind = keyof typeof JOB_KINDS;

/** How a job went wrong so far, on any of its devices. */
export function badOf(job: Job): Verdict[] {
  const outcome = outcomeOf(job);
  const state = outcome ? undefined : stateOf(job);
  return FAILURES.filter((verdict) => (outcome ? outcome[verdict] : verdict === state));
}

export const isKind = (job: Job, kind: JobKind): boolean => (kind === 'moving' ? isMoving(job) : badOf(job).length > 0);

/** Whether it moved within these hours; a time that nobody can read may be any. */
export function isWithin(job: Job, hours: number, now: Date): boolean {
  if (isMoving(job)) return true;
  const { created, started, ended } = timesOf(job);
  const at = ended ?? started ?? created;
  return at === undefined || now.getTime() - at.getTime() <= hours * 3_600_000;
}
