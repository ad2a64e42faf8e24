// Rows of the fleet by filter and sort, for a component. Separate from use-fleet.ts, so that a page does not wait for the
// code that reads the fleet.
import { useEffect, useMemo, useState } from 'react';
import { sameValues } from '#/lib/same-values.ts';
import type { FleetIndex, RowQuery } from './fleet-index.ts';

interface Rows<Found> {
  rows: Found;
  isPending: boolean;
}

/**
 * The rows of a query; undefined while there is no index. The first sort by a column takes time: until it is done the
 * previous rows stay, and `isPending` is true. The caller keeps `filter` the same object while it has the same content.
 */
export function useRows(index: FleetIndex, query: RowQuery): Rows<Uint32Array>;
export function useRows(index: FleetIndex | undefined, query: RowQuery): Rows<Uint32Array | undefined>;
export function useRows(index: FleetIndex | undefined, { filter, sort }: RowQuery): Rows<Uint32Array | undefined> {
  const { by, down = false } = sort ?? {};
  const [, setPrepared] = useState(0);
  const isPending = index !== undefined && !index.isPrepared(by);
  useEffect(() => {
    if (!isPending || by === undefined) return;
    let isLeft = false;
    void index?.prepare(by).then(() => {
      if (!isLeft) setPrepared((count) => count + 1);
    });
    return () => {
      isLeft = true;
    };
  }, [index, by, isPending]);
  const asked = useMemo(
    () => (isPending ? undefined : index?.query({ ...(filter && { filter }), ...(by && { sort: { by, down } }) })),
    [index, filter, by, down, isPending],
  );
  const [shown, setShown] = useState(asked);
  // The same array while the rows are the same: most changes move none.
  const next = asked && shown && sameValues(asked, shown) ? shown : asked;
  if (next && next !== shown) setShown(next);
  return { rows: index && (next ?? shown ?? index.rows), isPending };
}
