// The latest deploys: rollouts, and jobs to many devices.
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { rolloutQueries } from '#/api/rollouts.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { useJobs } from '#/features/jobs/use-jobs.ts';
import { paths } from '#/paths.ts';
import type { Deploy } from './deploy-marks.ts';

/** Deploys that are read for their marks. */
const MOST_DEPLOYS = 100;

/** Rollouts, and the jobs to groups and tags that belong to none. */
export function useDeploys(hasRollouts: boolean): Deploy[] {
  const rollouts = useQuery({ ...rolloutQueries.list(), enabled: hasRollouts }).data;
  const jobs = useJobs({}, { most: MOST_DEPLOYS }).data;
  return useMemo(
    () => [
      ...(rollouts ?? []).map(({ RolloutId, Name, CreatedTime }) => ({
        at: Date.parse(CreatedTime),
        name: Name,
        to: paths.rollout(RolloutId),
      })),
      ...(jobs ?? [])
        .filter(({ Counts }) => Counts)
        .map(({ JobId, JobName, CreatedTime }) => ({
          at: parseTimestamp(CreatedTime ?? '')?.getTime() ?? Number.NaN,
          name: JobName || JobId,
          to: paths.job(JobId),
        })),
    ],
    [rollouts, jobs],
  );
}
