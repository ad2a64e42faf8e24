// How earlier runs of an artifact ended on each device.
import type { Artifact } from '#/contract/artifacts.ts';
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import { query } from '#/api/query.ts';
import { isMoving } from '#/contract/job-state.ts';
import { jobQueries } from '#/api/jobs.ts';
import { queryClient } from '#/api/query-client.ts';
import { verdictOf, type Verdict } from './verdict.ts';

/** The last verdict by device; devices on which it never ran are missing. */
export type EarlierRuns = ReadonlyMap<string, Verdict>;

/** `jobs` oldest first. */
function lastOf(jobs: readonly Job[]): EarlierRuns {
  const last = new Map<string, Verdict>();
  for (const job of jobs) if (job.DeviceId && !isMoving(job)) last.set(job.DeviceId, verdictOf(job).verdict);
  return last;
}

export const earlierRunQueries = {
  /** `artifacts`: all uploads of the same name and version. */
  of: (artifacts: readonly Artifact[]) =>
    query<typeof jobEndpoints.runs, ReadonlyMap<string, Verdict>>(
      jobEndpoints.runs,
      { params: { artifact_id: artifacts[0]?.ArtifactId ?? '' } },
      {
        part: `last of ${artifacts.map(({ ArtifactId }) => ArtifactId).join(' ')}`,
        read: async () => {
          const runs: Job[] = [];
          for (const { ArtifactId } of artifacts)
            runs.push(...(await queryClient.query({ ...jobQueries.runs(ArtifactId), staleTime: 0 })));
          return lastOf(runs);
        },
        isSnapshot: true,
        poll: false,
      },
    ),
};
