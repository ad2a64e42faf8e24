// How many devices there are of each value to filter by, as far as the fleet is in memory. For the table and the map.
import { useDeferredValue, useMemo } from 'react';
import type { RowFilter } from '#/fleet/filter.ts';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import { VALUES } from './filter-words.ts';

/** Undefined until the fleet is in memory, and where the service does not report what was never seen. */
export type Facets = ReturnType<typeof useFacets>;

/** `filter`: the same object while it means the same. */
export function useFacets(index: FleetIndex | undefined, filter: RowFilter) {
  // Counting can wait for the rows.
  const counted = useDeferredValue(filter);
  const facets = useMemo(() => index?.facets(counted, VALUES), [index, counted]);
  const neverSeen = useMemo(() => index?.query({ filter: { ...counted, seen: 'never' } }).length, [index, counted]);
  return { facets, neverSeen };
}
