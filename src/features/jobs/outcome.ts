// The state of a job as every screen shows it: for a parent, the counts of its children and one overall state.
import type { Job } from '#/contract/jobs.ts';
import { countsOf } from '#/contract/job-state.ts';
import type { StateWords } from '#/ui/controls/state-words.ts';
import {
  FAILURES,
  VERDICTS,
  countVerdicts,
  verdictCountsOf,
  verdictOf,
  type Verdict,
  type VerdictCounts,
} from './verdict.ts';

/** Counts children one by one, for a service that does not count them. */
export const countChildren = (children: readonly Job[]): VerdictCounts =>
  countVerdicts(children.map((child) => verdictOf(child)));

/** Counts by job from its page, if the service does not count, so that lists show the same. */
const countedHere = new Map<string, VerdictCounts>();

export const rememberCounts = (job: string, counts: VerdictCounts): void => void countedHere.set(job, counts);

/** The number of a parent's devices by state; undefined if they have not been counted. */
export const outcomeOf = (job: Pick<Job, 'Counts' | 'VerdictCounts' | 'JobId'>): VerdictCounts | undefined =>
  verdictCountsOf(job) ?? countsOf(job) ?? countedHere.get(job.JobId);

export const totalOf = (outcome: VerdictCounts): number =>
  VERDICTS.reduce((sum, state) => sum + (outcome[state] ?? 0), 0);
export const movingIn = (outcome: VerdictCounts): number => (outcome.Waiting ?? 0) + (outcome.Running ?? 0);

/**
 * The overall state of a parent: Running while some children are unfinished and some have started; afterwards the worst
 * of its children, because a user has to notice even one failed device.
 */
export function overallState(outcome: VerdictCounts): Verdict {
  if (movingIn(outcome) > 0) {
    const begun = totalOf(outcome) - (outcome.Waiting ?? 0) - (outcome.Cancelled ?? 0);
    return begun > 0 ? 'Running' : 'Waiting';
  }
  return VERDICTS.find((state) => (outcome[state] ?? 0) > 0) ?? 'Finished';
}

/** How many devices a job is waiting for if all of them are Offline, so that nothing progresses; 0 for any other job. */
export function awaitedOffline(job: Job): number {
  const { WaitingOffline: away = 0 } = job;
  const outcome = outcomeOf(job);
  if (!outcome) return away;
  return !outcome.Running && away > 0 && away === outcome.Waiting ? away : 0;
}

/**
 * The single state of a job on every screen; for a parent, its children's overall state. `outcome`: the counted children,
 * if the service does not count them.
 */
export function stateOf(job: Job, outcome = outcomeOf(job)): Verdict {
  if (awaitedOffline(job) > 0) return 'Waiting';
  return outcome && totalOf(outcome) > 0 ? overallState(outcome) : verdictOf(job).verdict;
}

export const failedIn = (outcome: VerdictCounts): number =>
  FAILURES.reduce((sum, verdict) => sum + (outcome[verdict] ?? 0), 0);

/** The state in words on every screen. Unfinished children do not hide failures. */
export function jobWords(job: Job, outcome = outcomeOf(job)): StateWords {
  const state = stateOf(job, outcome);
  const isOpen = state === 'Waiting' || state === 'Running';
  return { label: state, mark: state, failed: outcome && isOpen ? failedIn(outcome) : 0 };
}

/** "2 failed, 35 succeeded", with line breaks only between the states. */
export function outcomeText(outcome: VerdictCounts, format: (count: number) => string = String): string {
  return VERDICTS.filter((state) => outcome[state])
    .map((state) => `${format(outcome[state] ?? 0)}\u00a0${state.toLowerCase()}`)
    .join(', ');
}
