// The jobs that the list shows: read, filtered and sorted, with what is known of each.
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { accountQueries } from '#/api/account.ts';
import { artifactQueries } from '#/api/artifacts.ts';
import { jobQueries } from '#/api/jobs.ts';
import { tagQueries } from '#/api/tags.ts';
import type { Job } from '#/contract/jobs.ts';
import { useLateFleet } from '#/features/late-fleet/use-late-fleet.ts';
import { newestFirst } from '#/features/jobs/job-times.ts';
import { isUntold, useAwaited } from '#/features/job-queue/use-awaited.ts';
import { useCachedVerdicts } from '#/features/outcome-rules/use-cached-verdicts.ts';
import { choicesOf, filterJobs, sortJobs } from './job-list.ts';
import type { JobListView } from './job-list.ts';

const NONE: Job[] = [];

export function useJobList(view: JobListView) {
  const jobs = useQuery(jobQueries.list());
  const parents = jobs.data?.some(({ TagId }) => TagId) ?? false;
  const ran = jobs.data?.some(({ ArtifactId }) => ArtifactId) ?? false;
  const tags = useQuery({ ...tagQueries.list(), enabled: parents, retry: false }).data;
  const artifacts = useQuery({ ...artifactQueries.list(), enabled: ran }).data;
  // An addition: without it only jobs to the device itself are found, not those to its group or tags.
  const own = useQuery({
    ...jobQueries.ofDevice(view.device),
    enabled: view.device !== '',
    retry: false,
  });
  const shared = useMemo(
    () => own.data && new Set(own.data.flatMap(({ ParentJobId }) => (ParentJobId ? [ParentJobId] : []))),
    [own.data],
  );
  const untold = jobs.data?.some(isUntold) ?? false;
  const account = useQuery({ ...accountQueries.get(), enabled: untold });
  const fleet = useLateFleet(untold ? account.data?.NumDevicesAdded : undefined, false)?.index;
  const awaited = useAwaited(jobs.data ?? NONE, fleet);
  const all = useMemo(() => newestFirst(awaited), [awaited]);
  const known = useCachedVerdicts(all);
  const choices = useMemo(() => choicesOf(all, tags, artifacts), [all, tags, artifacts]);
  const shown = useMemo(
    () => sortJobs(filterJobs(all, view, known, shared), view.sort, known, tags),
    [all, view, known, shared, tags],
  );
  return { jobs, all, shown, choices, tags, known, alone: view.device !== '' && own.error !== null };
}
