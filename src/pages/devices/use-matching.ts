// The rows of the fleet that a view shows, in its order. Where the fleet has to be sorted by a column for the first time,
// the rows of before stay until that is done.
import { useEffect, useMemo, useState } from 'react';
import type { FleetIndex, RowSort } from '#/api/fleet/fleet-index.ts';
import type { RowFilter } from '#/api/fleet/filter.ts';

/** `filter`: the same object while it says the same. Undefined while there is no index. */
export function useMatching(index: FleetIndex | undefined, filter: RowFilter, sort: RowSort | undefined) {
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
    () =>
      index && !isPending ? index.query({ filter, sort: by === undefined ? undefined : { by, down } }) : undefined,
    [index, filter, by, down, isPending],
  );
  const [shown, setShown] = useState(asked);
  if (asked && asked !== shown) setShown(asked);
  return { rows: index && (asked ?? shown ?? index.table.order), isPending };
}
