// The entries that the palette lists for a search, by group.
import { useMemo } from 'react';
import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'react-router';
import { artifactQueries, artifactText } from '#/api/artifacts.ts';
import { alertQueries } from '#/api/alerts.ts';
import { deviceVersionQueries } from '#/api/device-versions.ts';
import { rolloutQueries } from '#/api/rollouts.ts';
import type { Capability } from '#/contract/account.ts';
import { filterWords } from '#/features/device-filters/filter-words.ts';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import type { FleetInUse } from '#/fleet/use-fleet.ts';
import { useJobs } from '#/features/jobs/use-jobs.ts';
import { useOwnAgent } from '#/api/own-agent.ts';
import { useCapabilities, useOffered } from '#/api/capabilities.ts';
import { signOut } from '#/api/session.ts';
import { tagQueries } from '#/api/tags.ts';
import { noNotices, switchNotices, useNoticesOn } from '#/ui/controls/system-notices.ts';
import { jobWords } from '#/features/jobs/outcome.ts';
import { paths } from '#/paths.ts';
import { useOldSince } from '#/ui/page/away.ts';
import { polled } from '#/api/query.ts';
import { devicesText, formatCount } from '#/lib/format.ts';
import { bestOf, rankOf, type Entry, type EntryGroup } from './entry.ts';
import { actionsAt, pagesOf } from './fixed-entries.ts';
import { useFoundDevices } from './found-devices.ts';
import { recentEntries } from './recent.ts';
import { useMe } from '#/api/people.ts';

/** Milliseconds for which a list that the palette has read stays fresh. No list is polled for it. */
const FRESH = 30_000;
const once = <Options extends object>(options: Options) => ({ ...polled(options, false), staleTime: FRESH });
/** Entries of each group. */
const SOME = 4;
const SEARCH_ARCHIVE = 'search:archive';
/** Jobs with the name that are read. */
const MOST_JOBS = 20;

/** Groups, sites or tags, with the number of their devices once the fleet is in memory, unless that is out of date. */
function facetEntries(index: FleetIndex | undefined, facet: 'group' | 'site' | 'tag', isOld: boolean): Entry[] {
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
  const isSearching = search !== '';
  const jobs = useJobs({ name: search.trim() }, { most: MOST_JOBS, enabled: isSearching, staleTime: FRESH }).data;
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

function useArtifactEntries(isSearching: boolean): Entry[] {
  const artifacts = useQuery({ ...once(artifactQueries.list()), enabled: isSearching }).data;
  return useMemo(
    () =>
      (artifacts ?? []).map((artifact) => ({
        id: `artifact:${artifact.ArtifactId}`,
        label: artifactText(artifact) || artifact.ArtifactId,
        detail: artifact.ArtifactId,
        to: paths.artifact(artifact.ArtifactId),
      })),
    [artifacts],
  );
}

/** Groups, sites and tags from the fleet in memory, or tags as the service lists them if the fleet does not include them. */
function useLabelEntries(isSearching: boolean, { index, at }: Pick<FleetInUse, 'index' | 'at'>) {
  const isOld = useOldSince(at) !== undefined;
  const hasTags = useOffered('tags') === true;
  const tags = useQuery({ ...once(tagQueries.list()), enabled: isSearching && hasTags && !index?.includesTags }).data;
  return useMemo(
    () => ({
      groupEntries: facetEntries(index, 'group', isOld),
      siteEntries: facetEntries(index, 'site', isOld),
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

const SEARCH_AUDIT = 'search:audit';

/** Rollouts, alert rules, and versions that run somewhere, where the service has them. */
function useRecordEntries(isSearching: boolean) {
  const offers = useCapabilities();
  const wanted = (capability: Capability) => isSearching && offers.includes(capability);
  const rollouts = useQuery({ ...once(rolloutQueries.list()), enabled: wanted('rollouts') }).data;
  const rules = useQuery({ ...once(alertQueries.rules()), enabled: wanted('alerts') }).data;
  const versions = useQuery({ ...once(deviceVersionQueries.counts()), enabled: wanted('versions') }).data;
  return useMemo(
    () => ({
      rolloutEntries: (rollouts ?? []).map(({ RolloutId, Name, State }) => ({
        id: `rollout:${RolloutId}`,
        label: Name || RolloutId,
        detail: State,
        to: paths.rollout(RolloutId),
      })),
      alertEntries: (rules ?? []).map(({ RuleId, Name }) => ({
        id: `alert:${RuleId}`,
        label: Name || RuleId,
        to: paths.alerts(),
      })),
      versionEntries: (versions ?? []).map(({ ArtifactName: artifact, Version: version, Devices }) => ({
        id: `version:${artifact}:${version}`,
        label: `${artifact} ${version}`,
        detail: `runs on ${devicesText(Devices)}`,
        to: `${paths.devices()}?${filterWords({ runs: { artifact, version } })}`,
      })),
    }),
    [rollouts, rules, versions],
  );
}

/** Actions that open no page: notifications, colour scheme, curl, and signing out. */
function useOwnActions(showRequests: () => void): Entry[] {
  const { setColorScheme } = useMantineColorScheme();
  const other = useComputedColorScheme('light') === 'light' ? 'dark' : 'light';
  const isOn = useNoticesOn();
  const isRefused = noNotices() !== undefined;
  const notices: Entry[] = [
    {
      id: 'action:notices',
      label: isOn ? 'Turn off deployment notifications' : 'Turn on deployment notifications',
      also: 'system notifications desktop',
      detail: isOn ? 'They are on' : 'The browser asks first',
      run: () =>
        void switchNotices(!isOn).then(() => {
          const refused = noNotices();
          if (refused) notifications.show({ message: refused, color: 'red' });
        }),
    },
  ];
  return [
    ...(isRefused ? [] : notices),
    {
      id: 'action:scheme',
      label: `Switch to ${other}`,
      also: 'theme appearance light dark mode',
      run: () => setColorScheme(other),
    },
    {
      id: 'action:curl',
      label: 'Show the requests of this page as curl',
      also: 'api requests script terminal',
      run: showRequests,
    },
    {
      id: 'action:sign-out',
      label: 'Sign out',
      also: 'log out leave',
      run: () =>
        void signOut().catch((error: unknown) =>
          notifications.show({
            message: `Not signed out: ${error instanceof Error ? error.message : String(error)}`,
            color: 'red',
          }),
        ),
    },
  ];
}

function useActions(showRequests: () => void): Entry[] {
  const { pathname } = useLocation();
  return [...useOwnActions(showRequests), ...actionsAt(pathname, useOwnAgent(), useMe())];
}

/** The groups with entries, in order, and the device search, for its progress and errors. */
export function useEntries(search: string, showRequests: () => void) {
  const devices = useFoundDevices(search);
  const capabilities = useCapabilities();
  const pages = pagesOf(capabilities);
  // Recent entries may be from a service that offered more.
  const isAvailable = ({ id }: Entry) => {
    if (id === SEARCH_ARCHIVE) return capabilities.includes('archive');
    if (id === SEARCH_AUDIT) return capabilities.includes('audit');
    const known = id.startsWith('page:') ? pages : id.startsWith('action:') ? actions : undefined;
    return known === undefined || known.some((entry) => entry.id === id);
  };
  const isSearching = search !== '';
  const jobEntries = useJobEntries(search);
  const artifactEntries = useArtifactEntries(isSearching);
  const { rolloutEntries, alertEntries, versionEntries } = useRecordEntries(isSearching);
  const { groupEntries, siteEntries, tagEntries } = useLabelEntries(isSearching, devices.fleet);
  const actions = useActions(showRequests);
  // A recent action may have become impossible since.
  const asNow = (entry: Entry) => actions.find(({ id }) => id === entry.id) ?? entry;
  const best = (entries: readonly Entry[]) => bestOf(entries, search, SOME);
  const allText = devices.total === undefined ? undefined : `All ${formatCount(devices.total)} matching devices`;
  const groups: EntryGroup[] = isSearching
    ? [
        { kind: 'Devices', entries: devices.entries },
        { kind: 'Pages', entries: best(pages) },
        { kind: 'Actions', entries: best(actions) },
        { kind: 'Jobs', entries: best(jobEntries) },
        { kind: 'Rollouts', entries: best(rolloutEntries) },
        { kind: 'Alerts', entries: best(alertEntries) },
        { kind: 'Artifacts', entries: best(artifactEntries) },
        { kind: 'Versions', entries: best(versionEntries) },
        { kind: 'Groups', entries: best(groupEntries) },
        { kind: 'Sites', entries: best(siteEntries) },
        { kind: 'Tags', entries: best(tagEntries) },
        {
          kind: 'Search',
          entries: [
            { id: 'search:devices', label: allText ?? 'Filter devices by this text', to: paths.devices({ q: search }) },
            ...(capabilities.includes('archive')
              ? [{ id: SEARCH_ARCHIVE, label: 'Search the archive for this text', to: paths.archive(search) }]
              : []),
            ...(capabilities.includes('audit')
              ? [{ id: SEARCH_AUDIT, label: 'Who changed what has this name', to: paths.activity({ object: search }) }]
              : []),
          ],
        },
      ]
    : [
        { kind: 'Recent', entries: recentEntries().filter(isAvailable).map(asNow) },
        { kind: 'Pages', entries: pages },
        { kind: 'Actions', entries: actions },
      ];
  return {
    groups: groups
      .filter(({ entries }) => entries.length > 0)
      .sort((one, two) => (isSearching ? rankOf(one, search) - rankOf(two, search) : 0)),
    devices,
  };
}
