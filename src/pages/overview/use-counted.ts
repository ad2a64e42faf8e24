// A plain /v1 service does not count the children of a job: those of the newest jobs are read, so that a failure among
// them shows.
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { isMissing } from '#/api/api-error.ts';
import { jobQueries } from '#/api/jobs.ts';
import { query } from '#/api/query.ts';
import { queryClient } from '#/api/query-client.ts';
import { isMoving, isParent } from '#/contract/job-state.ts';
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import { isWithin } from '#/features/jobs/lately.ts';
import { countChildren, outcomeOf } from '#/features/jobs/outcome.ts';
import type { VerdictCounts } from '#/features/jobs/verdict.ts';
import { eachOf } from '#/lib/pace.ts';
import { LATELY } from './figures.ts';

/** Each takes a request. */
const MOST = 20;
const AT_ONCE = 2;
/** Milliseconds between two readings while one of the jobs is running. */
const SELDOM = 20_000;

/** A job that has been deleted has no children. */
const noneIfMissing = (error: unknown): Job[] => {
  if (isMissing(error)) return [];
  throw error;
};

async function countAll(ids: readonly string[]): Promise<Record<string, VerdictCounts>> {
  const counts = new Map<string, VerdictCounts>();
  await eachOf(ids, AT_ONCE, async (id) => {
    const children = await queryClient
      .query({ ...jobQueries.children(id), staleTime: SELDOM / 2 })
      .catch(noneIfMissing);
    if (children.length > 0) counts.set(id, countChildren(children));
  });
  return Object.fromEntries(counts);
}

const countedQuery = (ids: readonly string[], isAnyMoving: boolean) =>
  query<typeof jobEndpoints.list, Record<string, VerdictCounts>>(
    jobEndpoints.list,
    {},
    { part: `counted ${ids.join(' ')}`, read: () => countAll(ids), poll: isAnyMoving && SELDOM },
  );

/** The same jobs, newest first, with the children of uncounted parents counted. */
export function useCounted(jobs: Job[], now: Date): Job[] {
  const parents = jobs
    .filter((job) => isParent(job) && outcomeOf(job) === undefined && isWithin(job, LATELY, now))
    .slice(0, MOST);
  const ids = parents.map(({ JobId }) => JobId);
  const { data } = useQuery({ ...countedQuery(ids, parents.some(isMoving)), enabled: ids.length > 0 });
  return useMemo(() => {
    if (!data) return jobs;
    return jobs.map((job) => {
      const counts = data[job.JobId];
      return counts ? { ...job, VerdictCounts: counts } : job;
    });
  }, [data, jobs]);
}
