// A filter, completed with what the fleet in memory does not contain and the service has to be asked for: who has a tag,
// where devices are listed without their tags, who runs a version of an artifact, and who has a fact.
import { useMemo } from 'react';
import { useQueries, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { ApiError } from '#/api/api-error.ts';
import { deviceVersionQueries } from '#/api/device-versions.ts';
import { factQueries } from '#/api/facts.ts';
import { taggedQuery } from '#/api/matches.ts';
import { devicesHaving } from '#/features/device-filters/fact-words.ts';
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

const combined = (results: readonly UseQueryResult<ReadonlyMap<string, string>>[]) => ({
  data: results.every(({ data }) => data) ? results.flatMap(({ data }) => data ?? []) : undefined,
  error: results.find(({ error }) => error)?.error ?? null,
  isFetching: results.some(({ isFetching }) => isFetching),
  refetch: () => void Promise.all(results.map(({ refetch }) => refetch())),
});

/** The values of the facts that a filter names; `data` is empty if it names none. */
function useFacts(facts: RowFilter['facts']) {
  const queries = Object.keys(facts ?? {}).map((name) => factQueries.values(name));
  return useQueries({ queries, combine: combined });
}

/** The caller keeps `filter` the same object while it has the same content. */
export function useResolvedFilter(index: FleetIndex | undefined, filter: RowFilter): ResolvedFilter {
  const { tag = [], runs, facts } = filter;
  const byTag = index !== undefined && filter.tag !== undefined && !index.includesTags;
  const isUntagged = byTag && tag.includes('');
  const hasTag = byTag && !isUntagged;
  const tagged = useQuery({ ...taggedQuery(tag), enabled: hasTag });
  const versions = useQuery({ ...deviceVersionQueries.ofArtifact(runs?.artifact ?? ''), enabled: runs !== undefined });
  const having = useFacts(facts);
  const { data: values } = having;
  const [ids, byId] = [hasTag ? tagged.data : undefined, runs && versions.data];
  const value = useMemo(() => {
    if (isUntagged || (hasTag && !ids) || (runs && !byId) || !values) return undefined;
    if (!ids && !byId && !facts) return filter;
    return {
      ...filter,
      ...(ids && { tagged: ids }),
      ...(runs && byId && { running: devicesRunning(runs, byId) }),
      ...(facts && { having: devicesHaving(Object.values(facts), values) }),
    };
  }, [filter, isUntagged, hasTag, ids, runs, byId, facts, values]);
  return {
    value,
    error: (isUntagged ? UNTAGGED : hasTag ? tagged.error : null) ?? (runs ? versions.error : null) ?? having.error,
    isFetching: tagged.isFetching || versions.isFetching || having.isFetching,
    refetch: () => {
      if (hasTag) void tagged.refetch();
      if (runs) void versions.refetch();
      having.refetch();
    },
  };
}
