// The jobs that the list shows: filtered by the service page by page, or read completely, and filtered and sorted here.
import { useCallback, useMemo, useState } from 'react';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { artifactQueries } from '#/api/artifacts.ts';
import { jobPageQueries, knownJobs, readOn } from '#/api/job-pages.ts';
import { jobQueries } from '#/api/jobs.ts';
import { tagQueries } from '#/api/tags.ts';
import type { Job } from '#/contract/jobs.ts';
import { newestFirst } from '#/features/jobs/job-times.ts';
import { jobsText } from '#/features/jobs/job-words.ts';
import { useJobPages } from '#/features/jobs/use-jobs.ts';
import { formatCount } from '#/lib/format.ts';
import { useNow } from '#/ui/controls/time.tsx';
import { choicesOf, conditionsOf, filterJobs, isJobListFiltered, sortJobs, type JobListView } from './job-list.ts';

const NONE: Job[] = [];

/** Most jobs of the list that one action can include. */
const MAX_LISTED = 10_000;

export function useJobList(view: JobListView) {
  const isPaged = useJobPages();
  const whole = useWholeList(view, isPaged === false);
  const paged = usePagedList(view, isPaged === true);
  return isPaged === false ? whole : paged;
}

/** For a service that filters jobs: the pages loaded so far. */
function usePagedList(view: JobListView, enabled: boolean) {
  const client = useQueryClient();
  const now = useNow();
  const query = jobPageQueries.list(conditionsOf(view, now));
  // The filter bar and the rows remain while a new filter loads.
  const pages = useQuery({ ...query, enabled, placeholderData: keepPreviousData });
  // The newest jobs without conditions, for the choices; an unfiltered list uses the same query.
  const newest = useQuery({ ...jobPageQueries.list({}), enabled });
  const { tags, choices } = useChoices(newest.data?.jobs ?? NONE, enabled);
  const isComplete = pages.data?.next === '';
  const found = pages.data?.jobs ?? NONE;
  const isEarlier = pages.isPlaceholderData;
  const shown = useMemo(() => {
    // The service has already filtered by name and device, except for the earlier rows shown until it answers.
    const listed = filterJobs(found, isEarlier ? view : { ...view, device: '', name: '' }, now);
    return isComplete ? sortJobs(listed, view.sort, tags) : listed;
  }, [found, view, isEarlier, isComplete, tags, now]);
  const [isReading, setIsReading] = useState(false);
  const readMore = async (count?: number) => {
    setIsReading(true);
    try {
      await readOn(client, query.queryKey, count);
    } finally {
      setIsReading(false);
    }
  };
  // Keeps selected jobs known when the filter changes.
  const all = [...new Map(knownJobs(client).map((job) => [job.JobId, job])).values()];
  const left = pages.data?.left ?? NONE;
  const find = useCallback(
    (id: string) => found.find(({ JobId }) => JobId === id) ?? left.find(({ JobId }) => JobId === id),
    [found, left],
  );
  const total = pages.data?.total ?? 0;
  const isFiltered = isJobListFiltered(view);
  return {
    jobs: { ...pages, data: pages.data && (isFiltered ? (newest.data?.jobs ?? found) : found) },
    all,
    find,
    shown,
    choices,
    tags,
    isDeviceAlone: false,
    isSortable: isComplete,
    count: isFiltered
      ? `${formatCount(shown.length)}${isComplete ? '' : '+'} of ${jobsText(newest.data?.total ?? total)}`
      : jobsText(Math.max(total, shown.length)),
    more: {
      hasNextPage: pages.data !== undefined && !isComplete,
      isFetchingNextPage: isReading,
      fetchNextPage: () => readMore(),
    },
    /** Reads the rest of the list, up to the limit of one action. */
    readRest: () => readMore(MAX_LISTED - found.length),
  };
}

/** For a service that does not filter jobs: all of them, newest first. */
function useWholeList(view: JobListView, enabled: boolean) {
  const jobs = useQuery({ ...jobQueries.list(), enabled });
  const all = useMemo(() => newestFirst(jobs.data ?? NONE), [jobs.data]);
  const find = useMemo(() => {
    const byId = new Map(all.map((job) => [job.JobId, job]));
    return (id: string) => byId.get(id);
  }, [all]);
  const { tags, choices } = useChoices(all, enabled);
  const shown = useMemo(() => sortJobs(filterJobs(all, view), view.sort, tags), [all, view, tags]);
  return {
    jobs,
    all,
    find,
    shown,
    choices,
    tags,
    isDeviceAlone: view.device !== '',
    isSortable: true,
    count: `${isJobListFiltered(view) ? `${formatCount(shown.length)} of ` : ''}${jobsText(all.length)}`,
    more: undefined,
    readRest: async () => {},
  };
}

function useChoices(jobs: Job[], enabled: boolean) {
  const hasTags = jobs.some(({ TagId }) => TagId);
  const hasArtifacts = jobs.some(({ ArtifactId }) => ArtifactId);
  const tags = useQuery({ ...tagQueries.list(), enabled: enabled && hasTags, retry: false }).data;
  const artifacts = useQuery({ ...artifactQueries.list(), enabled: enabled && hasArtifacts }).data;
  const choices = useMemo(() => choicesOf(jobs, tags, artifacts), [jobs, tags, artifacts]);
  return { tags, choices };
}
