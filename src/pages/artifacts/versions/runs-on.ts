// Which version of each artifact runs on how many devices, as far as the service records it.
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useOffered } from '#/api/capabilities.ts';
import { deviceVersionQueries } from '#/api/device-versions.ts';
import type { VersionCount } from '#/contract/device-versions.ts';
import { compareVersions } from '#/lib/version-order.ts';

export interface RunsOn {
  /** Newest first. */
  versions: { version: string; devices: number }[];
  /** Devices that run any of them. */
  total: number;
}

export const NOWHERE: RunsOn = { versions: [], total: 0 };

/** By the name that the versions of an artifact share. */
export function runsByName(counts: readonly VersionCount[]): Map<string, RunsOn> {
  const found = new Map<string, RunsOn>();
  for (const { ArtifactName, Version, Devices } of counts) {
    const runs = found.get(ArtifactName) ?? { versions: [], total: 0 };
    runs.versions.push({ version: Version, devices: Devices });
    runs.total += Devices;
    found.set(ArtifactName, runs);
  }
  for (const { versions } of found.values()) versions.sort((one, two) => compareVersions(two.version, one.version));
  return found;
}

/** `isKnown` is false where the service does not record it; `runs` is undefined until it has been read. */
export function useRunsOn() {
  const isKnown = useOffered('versions') === true;
  const reading = useQuery({ ...deviceVersionQueries.counts(), enabled: isKnown });
  const { data } = reading;
  const runs = useMemo(() => data && runsByName(data), [data]);
  return { isKnown, runs, reading };
}
