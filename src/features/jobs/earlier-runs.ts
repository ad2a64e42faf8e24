// How an artifact did on each device before. A service that lists its runs is asked for just that; of any other, the list
// of jobs is read and the children of the latest that were submitted with it.
import { withoutDownloadTokens } from '#/contract/mask-secrets.ts';
import type { Artifact } from '#/contract/artifacts.ts';
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import { query } from '#/api/query.ts';
import { isNotOffered } from '#/api/api-error.ts';
import { isMoving, isParent } from '#/contract/job-state.ts';
import { jobQueries } from '#/api/jobs.ts';
import { queryClient } from '#/api/query-client.ts';
import { verdictOf, type Verdict } from './verdict.ts';

export interface EarlierRuns {
  /** How it ended the last time, by device; a device that it never ran on is not in it. */
  last: ReadonlyMap<string, Verdict>;
  /** Older jobs were left out. */
  isPart: boolean;
}

/** Parents whose children are read one by one, the latest first. */
const MOST_PARENTS = 10;

/** `jobs` oldest first. */
function lastOf(jobs: readonly Job[]): Map<string, Verdict> {
  const last = new Map<string, Verdict>();
  for (const job of jobs) if (job.DeviceId && !isMoving(job)) last.set(job.DeviceId, verdictOf(job).verdict);
  return last;
}

/** Undefined: the service does not report what its jobs were submitted with. */
async function read(artifacts: readonly Artifact[]): Promise<EarlierRuns | null> {
  try {
    const runs: Job[] = [];
    for (const { ArtifactId } of artifacts)
      runs.push(...(await queryClient.query({ ...jobQueries.runs(ArtifactId), staleTime: 0 })));
    return { last: lastOf(runs), isPart: false };
  } catch (error) {
    if (!isNotOffered(error)) throw error;
  }
  const ids = new Set(artifacts.map(({ ArtifactId }) => ArtifactId));
  const commands = new Set(artifacts.map(({ Command }) => withoutDownloadTokens(Command)).filter(Boolean));
  const jobs = await queryClient.query({ ...jobQueries.list(), staleTime: 0 });
  const isIts = ({ ArtifactId, Command }: Job) =>
    ArtifactId === undefined ? commands.has(Command) : ids.has(ArtifactId);
  if (jobs.length > 0 && !jobs.some((job) => job.ArtifactId !== undefined || isIts(job))) return null;
  const own = jobs.filter(isIts);
  const parents = new Set(own.filter(isParent).slice(-MOST_PARENTS));
  const found: Job[] = [];
  for (const job of own)
    if (!isParent(job)) found.push(job);
    else if (parents.has(job)) found.push(...(await queryClient.query(jobQueries.children(job.JobId))));
  return { last: lastOf(found), isPart: parents.size < own.filter(isParent).length };
}

export const earlierRunQueries = {
  /** `artifacts`: all that are the same name and version. Null where the service does not report it. */
  of: (artifacts: readonly Artifact[]) =>
    query<typeof jobEndpoints.list, EarlierRuns | null>(
      jobEndpoints.list,
      {},
      {
        part: `earlier ${artifacts.map(({ ArtifactId }) => ArtifactId).join(' ')}`,
        read: () => read(artifacts),
        isSnapshot: true,
        poll: false,
      },
    ),
};
