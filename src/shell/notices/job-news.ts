// The jobs to report: those that ended or failed between two readings of the list.
import type { Job } from '#/contract/jobs.ts';
import { isMoving } from '#/contract/job-state.ts';
import { failedIn, jobWords, outcomeOf, outcomeText, stateOf } from '#/features/jobs/outcome.ts';
import { FAILURES } from '#/features/jobs/verdict.ts';
import { formatCount } from '#/lib/format.ts';
import { stateText } from '#/ui/controls/state-words.ts';

export interface JobNews {
  id: string;
  title: string;
  /** Its result, or its progress so far. */
  text: string;
  isBad: boolean;
}

const badOf = (job: Job): number => failedIn(outcomeOf(job) ?? {});

/** Of the jobs that were running before: those that have ended, and those in which a first device has failed. */
export function newsBetween(before: readonly Job[], now: readonly Job[]): JobNews[] {
  const wasMoving = new Map(before.filter(isMoving).map((job) => [job.JobId, job]));
  return now.flatMap((job): JobNews[] => {
    const earlier = wasMoving.get(job.JobId);
    if (!earlier) return [];
    const moves = isMoving(job);
    const bad = badOf(job);
    if (moves && (bad === 0 || badOf(earlier) > 0)) return [];
    const outcome = outcomeOf(job);
    const state = stateOf(job);
    const name = job.JobName || 'A job';
    const result = outcome ? outcomeText(outcome, formatCount).replaceAll('\u00a0', ' ') : state.toLowerCase();
    return [
      {
        id: job.JobId,
        title: moves ? `${name}: ${stateText(jobWords(job, outcome))}` : `${name} has ended`,
        text: moves ? `So far: ${result}` : `Result: ${result}`,
        isBad: bad > 0 || FAILURES.includes(state),
      },
    ];
  });
}
