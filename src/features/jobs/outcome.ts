// The state of a job that every screen shows: of a parent, its children counted and one state for all of them.
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

/** By job: what its page counted, where the service does not count, so that lists then show the same. */
const countedHere = new Map<string, VerdictCounts>();

export const rememberCounts = (job: string, counts: VerdictCounts): void => void countedHere.set(job, counts);

/** How many devices of a parent are in which state; undefined where nobody has counted them. */
export const outcomeOf = (job: Pick<Job, 'Counts' | 'VerdictCounts' | 'JobId'>): VerdictCounts | undefined =>
  verdictCountsOf(job) ?? countsOf(job) ?? countedHere.get(job.JobId);

export const totalOf = (outcome: VerdictCounts): number =>
  VERDICTS.reduce((sum, state) => sum + (outcome[state] ?? 0), 0);
export const movingIn = (outcome: VerdictCounts): number => (outcome.Waiting ?? 0) + (outcome.Running ?? 0);

/**
 * One state for a whole parent: Running as long as some children are open and some have moved; afterwards the worst of
 * its children, since one failed device is what a person has to see.
 */
export function overallState(outcome: VerdictCounts): Verdict {
  if (movingIn(outcome) > 0) {
    const begun = totalOf(outcome) - (outcome.Waiting ?? 0) - (outcome.Cancelled ?? 0);
    return begun > 0 ? 'Running' : 'Waiting';
  }
  return VERDICTS.find((state) => (outcome[state] ?? 0) > 0) ?? 'Finished';
}

/** For how many devices a job still waits where all of them are Offline, so that nothing goes on; 0 for any other. */
export function awaitedOffline(job: Job): number {
  const { WaitingOffline: away = 0 } = job;
  const outcome = outcomeOf(job);
  if (!outcome) return away;
  return !outcome.Running && away > 0 && away === outcome.Waiting ? away : 0;
}

/**
 * The one state of a job, on every screen: of a parent, that of its children together. `outcome`: counted by its children,
 * where the service does not count them.
 */
export function stateOf(job: Job, outcome = outcomeOf(job)): Verdict {
  if (awaitedOffline(job) > 0) return 'Waiting';
  return outcome && totalOf(outcome) > 0 ? overallState(outcome) : verdictOf(job).verdict;
}

export const failedIn = (outcome: VerdictCounts): number =>
  FAILURES.reduce((sum, verdict) => sum + (outcome[verdict] ?? 0), 0);

/** Its state in words, on every screen: what still waits or runs does not hide what has failed already. */
export function jobWords(job: Job, outcome = outcomeOf(job)): StateWords {
  const state = stateOf(job, outcome);
  const isOpen = state === 'Waiting' || state === 'Running';
  return { label: state, mark: state, failed: outcome && isOpen ? failedIn(outcome) : 0 };
}

/** "2 failed, 35 succeeded", broken between the states only. */
export function outcomeText(outcome: VerdictCounts, format: (count: number) => string = String): string {
  return VERDICTS.filter((state) => outcome[state])
    .map((state) => `${format(outcome[state] ?? 0)}\u00a0${state.toLowerCase()}`)
    .join(', ');
}
