// The jobs that users look for first: unfinished ones, and recent failures. The overview counts them and the list of jobs
// filters by them, under the same names.
import { isMoving } from '#/contract/job-state.ts';
import type { Job } from '#/contract/jobs.ts';
import { timesOf } from './job-times.ts';
import { outcomeOf, stateOf } from './outcome.ts';
import { FAILURES, type Verdict } from './verdict.ts';

/** Groups of states. */
export const JOB_KINDS = { moving: 'Running or waiting', bad: 'Any failure' } as const;
export type JobKind = keyof typeof JOB_KINDS;

/** The failures of a job so far, on any of its devices. */
export function badOf(job: Job): Verdict[] {
  const outcome = outcomeOf(job);
  const state = outcome ? undefined : stateOf(job);
  return FAILURES.filter((verdict) => (outcome ? outcome[verdict] : verdict === state));
}

export const isKind = (job: Job, kind: JobKind): boolean => (kind === 'moving' ? isMoving(job) : badOf(job).length > 0);

/** Whether the job was active within these hours; an unreadable time counts as recent. */
export function isWithin(job: Job, hours: number, now: Date): boolean {
  if (isMoving(job)) return true;
  const { created, started, ended } = timesOf(job);
  const at = ended ?? started ?? created;
  return at === undefined || now.getTime() - at.getTime() <= hours * 3_600_000;
}
