// All that the palette lists for what is typed, group by group.
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'react-router';
import { artifactQueries, artifactText } from '#/api/artifacts.ts';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import { jobState } from '#/api/job-state.ts';
import { jobQueries } from '#/api/jobs.ts';
import { useOwnAgent } from '#/api/own-agent.ts';
import { tagQueries } from '#/api/tags.ts';
import { awaitedOffline } from '#/features/jobs/outcome.ts';
import { paths } from '#/paths.ts';
import { formatCount } from '#/lib/format.ts';
import { bestOf, rankOf } from './entry.ts';
import type { Entry, Kind } from './entry.ts';
import { PAGES, actionsAt } from './fixed-entries.ts';
import { useFoundDevices } from './found-devices.ts';
import type { FoundDevices } from './found-devices.ts';
import { recentEntries } from './recent.ts';

/** Read once when the palette opens and typed into; no list is polled for it. */
const once = { refetchInterval: false as const, staleTime: 30_000 };
const SOME = 4;

interface Entries {
  /** Groups that have entries, in the order they are shown. */
  groups: { kind: Kind; entries: Entry[] }[];
  devices: FoundDevices;
}

/** The members of a group or tag, counted once the fleet is in memory. */
function counted(index: FleetIndex | undefined, facet: 'group' | 'tag', kind: 'Groups' | 'Tags'): Entry[] {
  if (!index) return [];
  const values = index.facets({}, [facet])[facet] ?? [];
  return values
    .filter(({ value }) => value !== '')
    .map(({ value, count }) => ({
      id: `${facet}:${value}`,
      kind,
      label: value,
      detail: count === 1 ? '1 device' : `${formatCount(count)} devices`,
      to: paths.devices({ [facet]: value }),
    }));
}

function useJobEntries(isAsked: boolean): Entry[] {
  const jobs = useQuery({ ...jobQueries.list(), ...once, enabled: isAsked }).data;
  return useMemo(
    () =>
      (jobs ?? []).map((job) => ({
        id: `job:${job.JobId}`,
        kind: 'Jobs',
        label: job.JobName || job.JobId,
        detail: [job.DeviceGroup || job.DeviceName, job.JobId].filter(Boolean).join(' · '),
        // The result of a parent depends on its children.
        state: awaitedOffline(job) > 0 ? 'Waiting' : job.Counts ? undefined : jobState(job),
        to: paths.job(job.JobId),
      })),
    [jobs],
  );
}

function useArtifactEntries(isAsked: boolean): Entry[] {
  const artifacts = useQuery({ ...artifactQueries.list(), ...once, enabled: isAsked }).data;
  return useMemo(
    () =>
      (artifacts ?? []).map((artifact) => ({
        id: `artifact:${artifact.ArtifactId}`,
        kind: 'Artifacts',
        label: artifactText(artifact) || artifact.ArtifactId,
        detail: artifact.ArtifactId,
        to: `${paths.artifacts()}?${new URLSearchParams({ dialog: 'details', artifact: artifact.ArtifactId })}`,
      })),
    [artifacts],
  );
}

/** Counted where the fleet has its tags, else as the service lists them. */
function useTagEntries(isAsked: boolean, index: FleetIndex | undefined): Entry[] {
  const tags = useQuery({ ...tagQueries.list(), ...once, enabled: isAsked && !index?.tellsTags }).data;
  return useMemo(
    () =>
      index?.tellsTags
        ? counted(index, 'tag', 'Tags')
        : (tags ?? []).map(({ TagId, TagName }) => ({
            id: `tag:${TagName || TagId}`,
            kind: 'Tags',
            label: TagName || TagId,
            to: paths.devices({ tag: TagName || TagId }),
          })),
    [index, tags],
  );
}

function useActions(own: readonly Entry[]): Entry[] {
  const { pathname } = useLocation();
  return [...own, ...actionsAt(pathname, useOwnAgent())];
}

export function useEntries(search: string, own: readonly Entry[]): Entries {
  const devices = useFoundDevices(search);
  const { index } = devices.fleet;
  const isAsked = search !== '';
  const jobEntries = useJobEntries(isAsked);
  const artifactEntries = useArtifactEntries(isAsked);
  const groupEntries = useMemo(() => counted(index, 'group', 'Groups'), [index]);
  const tagEntries = useTagEntries(isAsked, index);
  const actions = useActions(own);
  const groups = isAsked
    ? [
        { kind: 'Devices' as const, entries: devices.entries },
        { kind: 'Pages' as const, entries: bestOf(PAGES, search, SOME) },
        { kind: 'Actions' as const, entries: bestOf(actions, search, SOME) },
        { kind: 'Jobs' as const, entries: bestOf(jobEntries, search, SOME) },
        { kind: 'Artifacts' as const, entries: bestOf(artifactEntries, search, SOME) },
        { kind: 'Groups' as const, entries: bestOf(groupEntries, search, SOME) },
        { kind: 'Tags' as const, entries: bestOf(tagEntries, search, SOME) },
        {
          kind: 'Search' as const,
          entries: [
            {
              id: 'search:devices',
              kind: 'Search' as const,
              label:
                devices.total === undefined
                  ? 'Filter the devices by this'
                  : `All ${formatCount(devices.total)} devices that match`,
              to: paths.devices({ q: search }),
            },
            {
              id: 'search:archive',
              kind: 'Search' as const,
              label: 'Search the archive for this',
              to: paths.archive(search),
            },
          ],
        },
      ]
    : [
        { kind: 'Recent' as const, entries: recentEntries() },
        { kind: 'Pages' as const, entries: [...PAGES] },
        { kind: 'Actions' as const, entries: actions },
      ];
  return {
    groups: groups
      .filter(({ entries }) => entries.length > 0)
      .sort((one, two) => (isAsked ? rankOf(one, search) - rankOf(two, search) : 0)),
    devices,
  };
}
