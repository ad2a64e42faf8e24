// What the device table lists: pages of the service until the fleet is in memory, from then on all that matches, sorted.
import { useMemo, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { deviceQueries } from '#/api/devices.ts';
import type { DeviceRows } from '#/api/devices.ts';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import { useRows } from '#/fleet/use-rows.ts';
import { useTaggedFilter } from '#/fleet/use-tagged-filter.ts';
import type { FleetInUse } from '#/fleet/use-fleet.ts';
import type { Device } from '#/contract/devices.ts';
import { isFiltered } from '#/features/device-filters/filter-words.ts';
import type { TableRows } from '#/pages/devices/table/device-table.tsx';
import { beyondService, deviceFilterOf } from './fleet-view.ts';
import type { FleetView } from './fleet-view.ts';
import { fieldOf, fieldsOf } from '#/pages/devices/table/table-columns.tsx';
import { useLateFleet } from '#/features/late-fleet/use-late-fleet.ts';

export interface Listing {
  /** What is listed, as a view takes it. */
  reading: {
    data: TableRows | undefined;
    error: Error | null;
    isFetching: boolean;
    refetch: () => void;
    dataUpdatedAt: number | undefined;
  };
  /** The rows are those of before while others are on their way. */
  busy: boolean;
  fleet: FleetInUse | undefined;
  index: FleetIndex | undefined;
  /** The filter as the index answers it; the same object while it says the same. */
  filter: FleetView['filter'];
  /** All rows that match, in order; undefined until the fleet is in memory. */
  matching: readonly string[] | undefined;
  /** The same as rows of the index. */
  found: Uint32Array | undefined;
  /** All of them are on the table, instead of a page. */
  isWhole: boolean;
  /** Whether there is, or may be, a next page. */
  more: boolean;
  /** How many devices there are in all, filters aside, where that is known. */
  devices: number | undefined;
  /** The fields that the service tells. */
  fields: ReadonlySet<string>;
  /** Reads the whole fleet, however large. */
  load: () => void;
}

const NONE: readonly Device[] = [];

export function useListing({ page, rows, paged, filter, sort }: FleetView): Listing {
  const [asked, setAsked] = useState(false);
  const isBeyond = beyondService({ filter, sort }) !== undefined;
  const query = useQuery({ ...deviceQueries.page(page, rows, deviceFilterOf(filter)), enabled: !isBeyond });
  const isFirst = query.data !== undefined && !query.isPlaceholderData;
  const counted = useCount(isFirst && isFiltered(filter));
  // An empty fleet is known already.
  const devices = isFirst && !isFiltered(filter) ? totalOf(query.data, page) : counted;
  const fleet = useLateFleet(devices === 0 ? undefined : devices, isBeyond || asked);
  const index = fleet?.index;

  const filterKey = JSON.stringify(filter);
  const rowFilter = useMemo(() => JSON.parse(filterKey) as FleetView['filter'], [filterKey]);
  const told = useTaggedFilter(index, rowFilter);
  // Until it is known who has the tag, there are the pages of the service, which knows.
  const answering = told.filter && index;
  const found = useRows(answering, {
    filter: told.filter ?? rowFilter,
    sort: sort && { by: fieldOf(sort.by), down: sort.down },
  });
  const { rows: all } = found;
  const matching = useMemo(() => (index && all ? index.ids(all) : undefined), [index, all]);
  const isWhole = answering !== undefined && !paged;

  const served = query.data?.rows ?? NONE;
  const newer = index !== undefined && !isBeyond && query.dataUpdatedAt > (fleet?.at ?? 0) ? served : NONE;
  const fields = useFields(index, served);
  const start = isWhole ? 0 : (page - 1) * rows;

  const data = useMemo((): TableRows | undefined => {
    if (!index || !all || !matching) return undefined;
    // The page that the service shows is read more often than the fleet.
    const fresh = new Map(newer.map((device) => [device.DeviceId, device]));
    const shown = all.subarray(start, isWhole ? all.length : start + rows);
    return {
      count: shown.length,
      at: (place) => fresh.get(matching[start + place] ?? '') ?? index.device(shown[place] ?? 0),
      ids: isWhole ? matching : matching.slice(start, start + rows),
      before: start,
      total: all.length,
    };
  }, [index, all, matching, newer, start, isWhole, rows]);
  const servedData = useMemo(
    (): TableRows => ({
      count: served.length,
      at: (place) => served[place] as Device,
      ids: served.map(({ DeviceId }) => DeviceId),
      before: query.data?.total === undefined ? undefined : start,
      total: query.data?.total,
    }),
    [served, query.data?.total, start],
  );

  const refetch = () => {
    if (!isBeyond) void query.refetch();
    if (fleet?.error) fleet.retry();
    if (told.error) told.refetch();
  };
  const shown = data ?? (query.data && !isBeyond ? servedData : undefined);
  return {
    reading: {
      data: shown,
      error: (isBeyond ? told.error : query.error) ?? (index || isBeyond ? (fleet?.error ?? null) : null),
      isFetching: query.isFetching || told.isFetching || (fleet?.isReading ?? false),
      refetch,
      dataUpdatedAt: (isBeyond ? undefined : query.dataUpdatedAt) || fleet?.at,
    },
    busy: answering ? found.isPending : query.isPlaceholderData,
    fleet,
    index,
    filter: told.filter ?? rowFilter,
    matching,
    found: all,
    isWhole,
    more: data ? start + data.count < (data.total ?? 0) : (query.data?.more ?? false),
    devices: index?.size ?? devices,
    fields,
    load: () => setAsked(true),
  };
}

const totalOf = (data: DeviceRows | undefined, page: number): number | undefined =>
  data?.total ?? (data && page === 1 && !data.more ? data.rows.length : undefined);

/** A filtered list has no total: the size of the fleet is asked for once, after the list is on the screen. */
function useCount(isWanted: boolean): number | undefined {
  const { data } = useQuery({ ...deviceQueries.page(1, 25), enabled: isWanted, refetchInterval: false });
  return isWanted ? totalOf(data, 1) : undefined;
}

/** The same set again while the same fields are told. */
function useFields(index: FleetIndex | undefined, served: readonly Device[]): ReadonlySet<string> {
  const ofIndex = useMemo(() => index?.fields() ?? [], [index]);
  const key = useMemo(() => [...fieldsOf(served), ...ofIndex].sort().join('\n'), [served, ofIndex]);
  return useMemo(() => new Set(key.split('\n')), [key]);
}
