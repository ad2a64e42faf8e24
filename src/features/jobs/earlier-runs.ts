// How an artifact did on each device before.
import { queryOptions } from '@tanstack/react-query';
import type { Artifact } from '#/contract/artifacts.ts';
import type { Job } from '#/contract/jobs.ts';
import { isMoving } from '#/contract/job-state.ts';
import { jobQueries } from '#/api/jobs.ts';
import { queryClient } from '#/api/query-client.ts';
import { verdictOf, type Verdict } from './verdict.ts';

/** How it ended the last time, by device; a device that it never ran on is not in it. */
export type EarlierRuns = ReadonlyMap<string, Verdict>;

/** `jobs` oldest first. */
function lastOf(jobs: readonly Job[]): EarlierRuns {
  const last = new Map<string, Verdict>();
  for (const job of jobs) if (job.DeviceId && !isMoving(job)) last.set(job.DeviceId, verdictOf(job).verdict);
  return last;
}

export const earlierRunQueries = {
  /** `artifacts`: all that are the same name and version. */
  of: (artifacts: readonly Artifact[]) =>
    queryOptions({
      queryKey: ['jobs', 'earlier', ...artifacts.map(({ ArtifactId }) => ArtifactId)],
      queryFn: async () => {
        const runs: Job[] = [];
        for (const { ArtifactId } of artifacts)
          runs.push(...(await queryClient.query({ ...jobQueries.runs(ArtifactId), staleTime: 0 })));
        return lastOf(runs);
      },
      staleTime: 60_000,
      refetchOnWindowFocus: false,
    }),
};
