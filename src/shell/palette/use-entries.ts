// All that the palette lists for what is typed, group by group.
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'react-router';
import { artifactQueries, artifactText } from '#/api/artifacts.ts';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import type { FleetInUse } from '#/fleet/use-fleet.ts';
import { useJobs } from '#/features/jobs/use-jobs.ts';
import { useOwnAgent } from '#/api/own-agent.ts';
import { useCapabilities, useOffered } from '#/api/capabilities.ts';
import { tagQueries } from '#/api/tags.ts';
import { jobWords } from '#/features/jobs/outcome.ts';
import { paths } from '#/paths.ts';
import { useOldSince } from '#/ui/page/away.ts';
import { polled } from '#/api/query.ts';
import { devicesText, formatCount } from '#/lib/format.ts';
import { bestOf, rankOf, type Entry, type EntryGroup } from './entry.ts';
import { actionsAt, pagesOf } from './fixed-entries.ts';
import { useFoundDevices } from './found-devices.ts';
import { useOwnActions } from './own-actions.ts';
import { recentEntries } from './recent.ts';

/** Read once when the palette opens and typed into; no list is polled for it. */
const once = <Options extends object>(options: Options) => ({ ...polled(options, false), staleTime: ONCE });
const ONCE = 30_000;
const SOME = 4;
const SEARCH_ARCHIVE = 'search:archive';
/** Jobs that the service finds by their name. */
const FOUND = 20;

/** The members of a group or tag, counted once the fleet is in memory, and no longer once that is old. */
function facetEntries(index: FleetIndex | undefined, facet: 'group' | 'tag', isOld: boolean): Entry[] {
  if (!index) return [];
  const values = index.facets({}, [facet])[facet] ?? [];
  return values
    .filter(({ value }) => value !== '')
    .map(({ value, count }) => ({
      id: `${facet}:${value}`,
      label: value,
      detail: isOld ? undefined : devicesText(count),
      to: paths.devices({ [facet]: value }),
    }));
}

function useJobEntries(search: string): Entry[] {
  const isAsked = search !== '';
  const jobs = useJobs({ name: search.trim() }, { most: FOUND, enabled: isAsked, staleTime: ONCE }).data;
  return useMemo(
    () =>
      (jobs ?? []).map((job) => ({
        id: `job:${job.JobId}`,
        label: job.JobName || job.JobId,
        detail: [job.DeviceGroup || job.DeviceName, job.JobId].filter(Boolean).join(' · '),
        state: jobWords(job),
        to: paths.job(job.JobId),
      })),
    [jobs],
  );
}

function useArtifactEntries(isAsked: boolean): Entry[] {
  const artifacts = useQuery({ ...once(artifactQueries.list()), enabled: isAsked }).data;
  return useMemo(
    () =>
      (artifacts ?? []).map((artifact) => ({
        id: `artifact:${artifact.ArtifactId}`,
        label: artifactText(artifact) || artifact.ArtifactId,
        detail: artifact.ArtifactId,
        to: `${paths.artifacts()}?${new URLSearchParams({ dialog: 'details', artifact: artifact.ArtifactId })}`,
      })),
    [artifacts],
  );
}

/** Groups and tags, counted where the fleet is in memory and has its tags; else tags as the service lists them. */
function useLabelEntries(isAsked: boolean, { index, at }: Pick<FleetInUse, 'index' | 'at'>) {
  const isOld = useOldSince(at) !== undefined;
  const hasTags = useOffered('tags') === true;
  const tags = useQuery({ ...once(tagQueries.list()), enabled: isAsked && hasTags && !index?.includesTags }).data;
  return useMemo(
    () => ({
      groupEntries: facetEntries(index, 'group', isOld),
      tagEntries: index?.includesTags
        ? facetEntries(index, 'tag', isOld)
        : (tags ?? []).map(({ TagId, TagName }) => ({
            id: `tag:${TagName || TagId}`,
            label: TagName || TagId,
            to: paths.devices({ tag: TagName || TagId }),
          })),
    }),
    [index, tags, isOld],
  );
}

function useActions(showRequests: () => void): Entry[] {
  const { pathname } = useLocation();
  return [...useOwnActions(showRequests), ...actionsAt(pathname, useOwnAgent())];
}

/** The groups that have entries, in the order they are shown; and the devices, for the state of their search. */
export function useEntries(search: string, showRequests: () => void) {
  const devices = useFoundDevices(search);
  const capabilities = useCapabilities();
  const pages = pagesOf(capabilities);
  // Another service may have offered more.
  const isThere = ({ id }: Entry) =>
    id === SEARCH_ARCHIVE
      ? capabilities.includes('archive')
      : !id.startsWith('page:') || pages.some((page) => page.id === id);
  const isAsked = search !== '';
  const jobEntries = useJobEntries(search);
  const artifactEntries = useArtifactEntries(isAsked);
  const { groupEntries, tagEntries } = useLabelEntries(isAsked, devices.fleet);
  const actions = useActions(showRequests);
  const best = (entries: readonly Entry[]) => bestOf(entries, search, SOME);
  const allText = devices.total === undefined ? undefined : `All ${formatCount(devices.total)} devices that match`;
  const groups: EntryGroup[] = isAsked
    ? [
        { kind: 'Devices', entries: devices.entries },
        { kind: 'Pages', entries: best(pages) },
        { kind: 'Actions', entries: best(actions) },
        { kind: 'Jobs', entries: best(jobEntries) },
        { kind: 'Artifacts', entries: best(artifactEntries) },
        { kind: 'Groups', entries: best(groupEntries) },
        { kind: 'Tags', entries: best(tagEntries) },
        {
          kind: 'Search',
          entries: [
            { id: 'search:devices', label: allText ?? 'Filter the devices by this', to: paths.devices({ q: search }) },
            ...(capabilities.includes('archive')
              ? [{ id: SEARCH_ARCHIVE, label: 'Search the archive for this', to: paths.archive(search) }]
              : []),
          ],
        },
      ]
    : [
        { kind: 'Recent', entries: recentEntries().filter(isThere) },
        { kind: 'Pages', entries: pages },
        { kind: 'Actions', entries: actions },
      ];
  return {
    groups: groups
      .filter(({ entries }) => entries.length > 0)
      .sort((one, two) => (isAsked ? rankOf(one, search) - rankOf(two, search) : 0)),
    devices,
  };
}
