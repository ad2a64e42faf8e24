// The jobs that a component needs: filtered by the service if it can, otherwise all of them for the caller to filter.
import { useQuery } from '@tanstack/react-query';
import { offered } from '#/api/capabilities.ts';
import { jobPageQueries, type JobConditions, type JobPages } from '#/api/job-pages.ts';
import { jobQueries } from '#/api/jobs.ts';

/** Whether the service can filter the list of jobs; undefined until known. */
export function useJobPages(): boolean | undefined {
  const { data, errorUpdateCount } = useQuery(offered('jobs'));
  // A query that failed is pending again while it is repeated: the page would be loading for ever.
  return data ?? (errorUpdateCount > 0 ? false : undefined);
}

const jobsOf = ({ jobs }: JobPages) => jobs;

interface Options {
  /** How many of the newest jobs to read at least. */
  most?: number;
  enabled?: boolean;
  /** Maximum age of cached jobs in milliseconds. */
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
