// The jobs that the list shows: read, filtered and sorted, with what is known of each.
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { artifactQueries } from '#/api/artifacts.ts';
import { jobQueries } from '#/api/jobs.ts';
import { tagQueries } from '#/api/tags.ts';
import type { Job } from '#/contract/jobs.ts';
import { useSmallFleet } from '#/features/late-fleet/use-late-fleet.ts';
import { newestFirst } from '#/features/jobs/job-times.ts';
import { isUnreported, useAwaited } from '#/features/job-queue/use-awaited.ts';
import { choicesOf, filterJobs, sortJobs, type JobListView } from './job-list.ts';

const NONE: Job[] = [];

export function useJobList(view: JobListView) {
  const jobs = useQuery(jobQueries.list());
  const { all, find } = useAwaitedJobs(jobs.data);
  const { tags, choices } = useChoices(all);
  const own = useOwnJobs(view.device);
  const shown = useMemo(
    () => sortJobs(filterJobs(all, view, own.parents), view.sort, tags),
    [all, view, own.parents, tags],
  );
  return { jobs, all, find, shown, choices, tags, alone: view.device !== '' && own.error !== null };
}

/** The jobs, the newest first, with the fleet's data on those that wait for a device. */
function useAwaitedJobs(jobs: Job[] = NONE) {
  const awaited = useAwaited(jobs, useSmallFleet(jobs.some(isUnreported)));
  return useMemo(() => {
    const byId = new Map(awaited.map((job) => [job.JobId, job]));
    return { all: newestFirst(awaited), find: (id: string) => byId.get(id) };
  }, [awaited]);
}

function useChoices(jobs: Job[]) {
  const hasTags = jobs.some(({ TagId }) => TagId);
  const hasArtifacts = jobs.some(({ ArtifactId }) => ArtifactId);
  const tags = useQuery({ ...tagQueries.list(), enabled: hasTags, retry: false }).data;
  const artifacts = useQuery({ ...artifactQueries.list(), enabled: hasArtifacts }).data;
  const choices = useMemo(() => choicesOf(jobs, tags, artifacts), [jobs, tags, artifacts]);
  return { tags, choices };
}

/** The jobs to groups and tags that a device has a part in: without them only those to the device itself are found. */
function useOwnJobs(device: string) {
  const { data, error } = useQuery({ ...jobQueries.ofDevice(device), enabled: device !== '', retry: false });
  const parents = useMemo(
    () => data && new Set(data.flatMap(({ ParentJobId }) => (ParentJobId ? [ParentJobId] : []))),
    [data],
  );
  return { parents, error };
}
