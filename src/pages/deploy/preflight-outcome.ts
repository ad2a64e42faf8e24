// Which devices passed a preflight.
import type { Job } from '#/contract/jobs.ts';
import { jobState } from '#/contract/job-state.ts';
import { outputOf } from '#/features/jobs/job-output.ts';
import { FAILED_MARK, PASSED_MARK } from './preflight-script.ts';

/** `No answer`: it ended without a result. Only devices that `Passed` get the deploy. */
export type PreflightOutcome = 'Passed' | 'Failed' | 'No answer' | 'Running' | 'Waiting';
export const PREFLIGHT_OUTCOMES: readonly PreflightOutcome[] = ['Failed', 'No answer', 'Passed', 'Running', 'Waiting'];

const linesOf = (job: Job) =>
  outputOf(job)
    .streams.flatMap(({ text }) => text.split(/\r?\n/))
    .map((line) => line.trim())
    .filter(Boolean);

export function preflightOutcome(job: Job): PreflightOutcome {
  const state = jobState(job);
  if (state === 'Running' || state === 'Waiting' || state === 'Failed') return state;
  return state === 'Succeeded' ? 'Passed' : 'No answer';
}

const LONGEST = 200;

/** The device's own words: why the preflight failed, or else the last line. */
export function preflightText(job: Job): string {
  const lines = linesOf(job);
  const why = lines.find((line) => line.startsWith(`${FAILED_MARK}, `))?.slice(FAILED_MARK.length + 2);
  const text = why ?? lines.filter((line) => line !== PASSED_MARK).at(-1) ?? '';
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
