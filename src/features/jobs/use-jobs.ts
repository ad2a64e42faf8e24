// The jobs that a part of the page needs: filtered by the service where it does that, else all of them, which the caller
// filters.
import { useQuery } from '@tanstack/react-query';
import { offered } from '#/api/capabilities.ts';
import { jobPageQueries, type JobConditions, type JobPages } from '#/api/job-pages.ts';
import { jobQueries } from '#/api/jobs.ts';

/** Whether the service filters the list of jobs; undefined until that is known. */
export function useJobPages(): boolean | undefined {
  const { data, isError } = useQuery(offered('jobs'));
  return data ?? (isError ? false : undefined);
}

const jobsOf = ({ jobs }: JobPages) => jobs;

interface Options {
  /** So many of the newest. */
  most?: number;
  enabled?: boolean;
  /** How old they may be, in milliseconds. */
  staleTime?: number;
}

/** At least the newest jobs that meet these conditions. */
export function useJobs(conditions: JobConditions, { most, enabled = true, ...options }: Options = {}) {
  const isPaged = useJobPages();
  const pages = useQuery({
    ...jobPageQueries.list(conditions, most),
    ...options,
    select: jobsOf,
    enabled: enabled && isPaged === true,
  });
  const list = useQuery({ ...jobQueries.list(), ...options, enabled: enabled && isPaged === false });
  return isPaged === false ? list : pages;
}
