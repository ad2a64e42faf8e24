// A filter, completed with what the fleet in memory does not contain and the service has to be asked for: who has a tag,
// where devices are listed without their tags, and who runs a version of an artifact.
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { ApiError } from '#/api/api-error.ts';
import { deviceVersionQueries } from '#/api/device-versions.ts';
import { taggedQuery } from '#/api/matches.ts';
import { devicesRunning } from '#/features/device-filters/version-words.ts';
import type { RowFilter } from '#/fleet/filter.ts';
import type { FleetIndex } from '#/fleet/fleet-index.ts';

const UNTAGGED = new ApiError('unexpected', 'Devices without a tag cannot be listed', {
  detail: 'This service lists devices without their tags, and finds devices only by a tag that they have.',
});

interface ResolvedFilter {
  /** Undefined until the service has answered; the same object as long as neither the filter nor the answer changes. */
  value: RowFilter | undefined;
  error: Error | null;
  isFetching: boolean;
  refetch: () => void;
}

/** The caller keeps `filter` the same object while it has the same content. */
export function useResolvedFilter(index: FleetIndex | undefined, filter: RowFilter): ResolvedFilter {
  const { tag = [], runs } = filter;
  const byTag = index !== undefined && filter.tag !== undefined && !index.includesTags;
  const isUntagged = byTag && tag.includes('');
  const hasTag = byTag && !isUntagged;
  const tagged = useQuery({ ...taggedQuery(tag), enabled: hasTag });
  const versions = useQuery({ ...deviceVersionQueries.ofArtifact(runs?.artifact ?? ''), enabled: runs !== undefined });
  const [ids, byId] = [hasTag ? tagged.data : undefined, runs && versions.data];
  const value = useMemo(() => {
    if (isUntagged || (hasTag && !ids) || (runs && !byId)) return undefined;
    if (!ids && !byId) return filter;
    return { ...filter, ...(ids && { tagged: ids }), ...(runs && byId && { running: devicesRunning(runs, byId) }) };
  }, [filter, isUntagged, hasTag, ids, runs, byId]);
  return {
    value,
    error: (isUntagged ? UNTAGGED : hasTag ? tagged.error : null) ?? (runs ? versions.error : null),
    isFetching: tagged.isFetching || versions.isFetching,
    refetch: () => {
      if (hasTag) void tagged.refetch();
      if (runs) void versions.refetch();
    },
  };
}
