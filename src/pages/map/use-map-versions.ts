// Which version of an artifact runs where, for the colours of the map. Read only while they are shown.
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useOffered } from '#/api/capabilities.ts';
import { deviceVersionQueries } from '#/api/device-versions.ts';
import type { RowFilter } from '#/fleet/filter.ts';
import { colouredVersions } from './colouring.ts';
import type { ColorBy } from './marker-colors.ts';

const NO_VERSIONS = { names: [], counts: [], rest: 0 };

/** `of`: the chosen artifact; otherwise that of the filter, or the one on most devices. */
export function useMapVersions({ color, of, filter }: { color: ColorBy; of: string | undefined; filter: RowFilter }) {
  const isOffered = useOffered('versions') === true;
  const isShown = isOffered && color === 'version';
  const totals = useQuery({ ...deviceVersionQueries.counts(), enabled: isShown });
  const artifacts = useMemo(() => {
    const sums = new Map<string, number>();
    for (const { ArtifactName, Devices } of totals.data ?? [])
      sums.set(ArtifactName, (sums.get(ArtifactName) ?? 0) + Devices);
    return [...sums].sort(([, one], [, two]) => two - one).map(([name]) => name);
  }, [totals.data]);
  const artifact = of ?? filter.runs?.artifact ?? artifacts[0];
  const versions = useQuery({
    ...deviceVersionQueries.ofArtifact(artifact ?? ''),
    enabled: isShown && artifact !== undefined,
  });
  const { data } = versions;
  const coloured = useMemo(() => (data ? colouredVersions(data) : NO_VERSIONS), [data]);
  return {
    isOffered,
    artifacts,
    artifact,
    ...coloured,
    /** By DeviceId; undefined until they are read. */
    byId: isShown ? data : undefined,
    isNone: totals.data?.length === 0 && of === undefined,
    error: totals.error ?? versions.error,
    isFetching: totals.isFetching || versions.isFetching,
    refetch: () => void (totals.error ? totals : versions).refetch(),
  };
}
