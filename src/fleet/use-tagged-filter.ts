// A filter by tag where the service lists devices without their tags: then the service itself is asked who has it.
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { ApiError } from '#/api/api-error.ts';
import type { RowFilter } from './filter.ts';
import type { FleetIndex } from './fleet-index.ts';
import { taggedQuery } from '#/api/matches.ts';

interface TaggedFilter {
  /** The filter as the fleet in memory answers it; undefined while that is not known. */
  filter: RowFilter | undefined;
  error: Error | null;
  isFetching: boolean;
  refetch: () => void;
}

/** Nobody can be asked for devices without a tag. */
const UNTAGGED = new ApiError('unexpected', 'devices without a tag are not known here', {
  detail: 'This service lists devices without their tags, and finds them only by a tag that they have.',
});

/** The caller keeps `filter` the same object while it says the same. */
export function useTaggedFilter(index: FleetIndex | undefined, filter: RowFilter): TaggedFilter {
  const tags = filter.tag ?? [];
  const isAsked = index !== undefined && tags.length > 0 && !index.includesTags;
  const isUntagged = isAsked && tags.includes('');
  const members = useQuery({ ...taggedQuery(tags), enabled: isAsked && !isUntagged });
  const { data } = members;
  const asked = useMemo(() => data && { ...filter, tagged: data }, [data, filter]);
  return {
    filter: isAsked ? (isUntagged ? undefined : asked) : filter,
    error: isUntagged ? UNTAGGED : isAsked ? members.error : null,
    isFetching: isAsked && members.isFetching,
    refetch: () => void members.refetch(),
  };
}
