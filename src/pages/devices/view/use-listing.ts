// The rows of the device table: pages of the service until the fleet is in memory, then all matching devices, sorted.
import { useEffect, useMemo, useState } from 'react';
import { useQueries, useQuery } from '@tanstack/react-query';
import { READ_BY_ITSELF, deviceQueries, type DeviceRows } from '#/api/devices.ts';
import { polled } from '#/api/query.ts';
import type { RowFilter } from '#/fleet/filter.ts';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import { useRows } from '#/fleet/use-rows.ts';
import type { Device } from '#/contract/devices.ts';
import { isFiltered } from '#/features/device-filters/filter-words.ts';
import type { TableRows } from '#/pages/devices/table/device-table.tsx';
import { beyondService, deviceFilterOf, type FleetView } from './fleet-view.ts';
import { fieldOf, fieldsOf } from '#/pages/devices/table/table-columns.tsx';
import { isCurrent, useLateFleet } from '#/features/late-fleet/use-late-fleet.ts';
import { useResolvedFilter } from '#/features/late-fleet/use-resolved-filter.ts';
import { extraFieldQuery } from '#/features/device-filters/extra-fields.ts';

export type Listing = ReturnType<typeof useListing>;

const NONE: readonly Device[] = [];

/** `extraFields`: those that are shown or sorted by, one per line. */
export function useListing(view: FleetView, extraFields: string) {
  const { filter, sort } = view;
  const [isRequested, setRequested] = useState(false);
  const isBeyond = beyondService(view) !== undefined;
  const { query, devices, fleet, index, served } = useSources(view, extraFields, { isBeyond, isRequested });
  const found = useFound(index, filter, sort);
  const fields = useFields(index, served);
  // The rows before stay until the fleet is read that this order or filter needs: the table keeps its focus.
  const isAwaitingFleet = isBeyond && !found.isAnswering && !found.error && !fleet?.error;
  const isUnpaged = found.isAnswering && !view.paged;
  const { ofIndex, ofService } = useTableRows(view, {
    index,
    found,
    isUnpaged,
    served,
    total: query.data?.total,
  });
  return {
    reading: {
      data: ofIndex ?? (query.data && (!isBeyond || isAwaitingFleet) ? ofService : undefined),
      error: (isBeyond ? found.error : query.error) ?? (index || isBeyond ? (fleet?.error ?? null) : null),
      isFetching: query.isFetching || found.isFetching || (fleet?.isReading ?? false),
      refetch: () => {
        if (!isBeyond) void query.refetch();
        if (fleet?.error) fleet.retry();
        if (found.error) found.refetch();
      },
      dataUpdatedAt: (isBeyond ? undefined : query.dataUpdatedAt) || fleet?.at,
    },
    /** The previous rows are shown while others load. */
    busy: found.isAnswering ? found.isPending : query.isPlaceholderData || isAwaitingFleet,
    fleet,
    index,
    /** The resolved filter; the same object while it has the same content. */
    filter: found.filter,
    /** The ids of all matching devices, sorted; undefined until the fleet is in memory. */
    matching: found.ids,
    /** The same as rows of the index. */
    found: found.rows,
    /** The table shows all matching devices instead of a page. */
    isUnpaged,
    /** There is, or may be, a next page. */
    more: ofIndex ? (ofIndex.before ?? 0) + ofIndex.count < (ofIndex.total ?? 0) : (query.data?.more ?? false),
    /** Devices in the fleet, whatever the filter, if known. */
    devices: index?.size ?? devices,
    fields,
    /** The fleet is too large to load automatically, and has not been requested. */
    isTooLarge: !index && (devices === undefined ? (query.data?.more ?? false) : devices > READ_BY_ITSELF),
    /** Reads the whole fleet, however large. */
    load: () => setRequested(true),
  };
}

/**
 * The service's page until the fleet is in memory, with the extra fields that are shown. A page is read more often than a
 * large fleet, so its rows are taken over by the fleet: a row is kept in one place.
 */
function useSources(
  view: FleetView,
  fields: string,
  { isBeyond, isRequested }: { isBeyond: boolean; isRequested: boolean },
) {
  const [isKept, setKept] = useState(false);
  const { query, devices } = useServed(view, isBeyond || isKept);
  // An empty fleet needs no reading.
  const fleet = useLateFleet(devices === 0 ? undefined : devices, isBeyond || isRequested);
  // A service that lists devices without their tags has to be asked who has one.
  const current = fleet !== undefined && isCurrent(fleet) && (!view.filter.tag || fleet.index?.includesTags === true);
  if (current !== isKept) setKept(current);
  const { data: page, dataUpdatedAt: readAt } = query;
  const { take, at = 0 } = fleet ?? {};
  const isNewer = !current && fleet?.index !== undefined && !query.isPlaceholderData && readAt > at;
  useEffect(() => {
    if (isNewer && page) take?.(page.rows);
  }, [isNewer, page, take]);
  return { query, devices, fleet, ...useExtraFields(fields, fleet?.index, query.data?.rows ?? NONE) };
}

const dataOf = (results: readonly { data: ReadonlyMap<string, string> | undefined }[]) =>
  results.map(({ data }) => data);

/** Adds extra fields to the devices, so that the table can show them and sort by them. */
function useExtraFields(names: string, index: FleetIndex | undefined, rows: readonly Device[]) {
  const fields = useMemo(() => names.split('\n').filter(Boolean), [names]);
  const queries = fields.map(extraFieldQuery);
  const read = useQueries({ queries, combine: dataOf });
  const values = useMemo(
    () => new Map(fields.flatMap((field, at) => (read[at] ? [[field, read[at]] as const] : []))),
    [fields, read],
  );
  return {
    index: useMemo(() => (values.size > 0 ? index?.withFields(values) : index), [index, values]),
    served: useMemo(() => {
      if (values.size === 0) return rows;
      return rows.map((device): Device => {
        const own = Array.from(values, ([field, byId]) => [field, byId.get(device.DeviceId)] as const);
        return { ...device, ...Object.fromEntries(own) };
      });
    }, [rows, values]),
  };
}

/** The service's page, and the number of devices in the fleet if known. */
function useServed({ page, rows, filter }: FleetView, isUnwanted: boolean) {
  const query = useQuery({ ...deviceQueries.page(page, rows, deviceFilterOf(filter)), enabled: !isUnwanted });
  const isFirst = query.data !== undefined && !query.isPlaceholderData;
  const counted = useCount(isFirst && isFiltered(filter));
  return { query, devices: isFirst && !isFiltered(filter) ? totalOf(query.data, page) : counted };
}

/** The matching rows of the fleet in memory. */
function useFound(index: FleetIndex | undefined, filter: RowFilter, sort: FleetView['sort']) {
  const { value: resolved, ...state } = useResolvedFilter(index, filter);
  // Until it is known who has the tag, the table shows pages of the service, which knows.
  const answering = resolved && index;
  const { rows, isPending } = useRows(answering, {
    filter: resolved ?? filter,
    sort: sort && { by: fieldOf(sort.by), down: sort.down },
  });
  const ids = index && rows && index.idsOf(rows);
  return { ...state, filter: resolved ?? filter, isAnswering: answering !== undefined, rows, isPending, ids };
}

interface RowsSource extends Pick<TableRows, 'total'> {
  index: FleetIndex | undefined;
  found: Pick<ReturnType<typeof useFound>, 'rows' | 'ids'>;
  isUnpaged: boolean;
  /** The service's page. */
  served: readonly Device[];
}

function useTableRows({ page, rows }: FleetView, { index, found, isUnpaged, served, total }: RowsSource) {
  const start = isUnpaged ? 0 : (page - 1) * rows;
  const { rows: all, ids } = found;
  const ofIndex = useMemo((): TableRows | undefined => {
    if (!index || !all || !ids) return undefined;
    const shown = all.subarray(start, isUnpaged ? all.length : start + rows);
    return {
      count: shown.length,
      find: (id) => {
        const row = index.rowOf(id);
        return row === undefined ? undefined : index.device(row);
      },
      ids: isUnpaged ? ids : ids.slice(start, start + rows),
      before: start,
      total: all.length,
    };
  }, [index, all, ids, start, isUnpaged, rows]);
  const byId = useMemo(() => new Map(served.map((device) => [device.DeviceId, device])), [served]);
  const ofService = useMemo(
    (): TableRows => ({
      count: served.length,
      find: (id) => byId.get(id),
      ids: served.map(({ DeviceId }) => DeviceId),
      before: total === undefined ? undefined : start,
      total,
    }),
    [served, byId, total, start],
  );
  return { ofIndex, ofService };
}

const totalOf = (data: DeviceRows | undefined, page: number): number | undefined =>
  data?.total ?? (data && page === 1 && !data.more ? data.rows.length : undefined);

/** A filtered list has no total, so the size of the fleet is requested once, after the list is shown. */
function useCount(isWanted: boolean): number | undefined {
  const { data } = useQuery({ ...polled(deviceQueries.page(1, 25), false), enabled: isWanted });
  return isWanted ? totalOf(data, 1) : undefined;
}

/** The same set again while it has the same fields. */
function useFields(index: FleetIndex | undefined, served: readonly Device[]): ReadonlySet<string> {
  const ofIndex = useMemo(() => index?.fields() ?? [], [index]);
  const key = useMemo(() => [...fieldsOf(served), ...ofIndex].sort().join('\n'), [served, ofIndex]);
  return useMemo(() => new Set(key.split('\n')), [key]);
}
