// The filter of a list of jobs, as it stands in the URL.
import type { Job } from '#/contract/jobs.ts';
import { STATES, outcomeOf, stateOf } from '#/jobs/outcome.ts';
import type { Verdict } from '#/jobs/verdict.ts';

export interface JobFilter {
  /** A part of the name, in any letter case. */
  name: string;
  state: Verdict | undefined;
}

export const readFilter = (params: URLSearchParams): JobFilter => ({
  name: params.get('name') ?? '',
  state: STATES.find((state) => state.toLowerCase() === params.get('state')?.toLowerCase()),
});

export const isFiltered = ({ name, state }: JobFilter): boolean => name.trim() !== '' || state !== undefined;

/** Whether a job or one of its children is in a state that is looked for: a parent that still runs may have failures. */
function isIn(job: Job, state: Verdict): boolean {
  if (stateOf(job) === state) return true;
  return state !== 'Succeeded' && state !== 'Finished' && (outcomeOf(job)?.[state] ?? 0) > 0;
}

export function filterJobs(jobs: Job[], { name, state }: JobFilter): Job[] {
  const part = name.trim().toLowerCase();
  return jobs.filter(
    (job) => (part === '' || job.JobName.toLowerCase().includes(part)) && (state === undefined || isIn(job, state)),
  );
}
