// The number of devices for each filter value, once the fleet is in memory. For the table and the map.
import { useEffect, useState } from 'react';
import type { RowFilter } from '#/fleet/filter.ts';
import type { FacetCounts, FleetIndex } from '#/fleet/fleet-index.ts';
import { runChunked, nextTask } from '#/lib/pace.ts';
import { VALUES } from './filter-words.ts';

export interface Facets {
  facets: FacetCounts | undefined;
}

const UNKNOWN: Facets = { facets: undefined };

/**
 * Undefined until the fleet is in memory. The previous counts stay until the next ones are done, which can wait for the
 * rows. `filter`: the same object while it has the same content.
 */
export function useFacets(index: FleetIndex | undefined, filter: RowFilter): Facets {
  const [counted, setCounted] = useState(UNKNOWN);
  useEffect(() => {
    if (!index) return;
    let isLeft = false;
    void nextTask()
      .then(() => runChunked(index.facetSteps(filter, VALUES)))
      .then((facets) => {
        if (!isLeft) setCounted({ facets });
      });
    return () => {
      isLeft = true;
    };
  }, [index, filter]);
  return index ? counted : UNKNOWN;
}
