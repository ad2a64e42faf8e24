// What the device table lists: pages of the service until the fleet is in memory, from then on all that matches, sorted.
import { useEffect, useMemo, useState } from 'react';
import { useQueries, useQuery } from '@tanstack/react-query';
import { deviceVersionQueries, type VersionsById } from '#/api/device-versions.ts';
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
import { VERSION_OF } from '#/features/device-filters/version-words.ts';

export type Listing = ReturnType<typeof useListing>;

const NONE: readonly Device[] = [];

/** `versions`: the fields of those that are shown, one a line. */
export function useListing(view: FleetView, versions: string) {
  const { filter, sort } = view;
  const [asked, setAsked] = useState(false);
  const isBeyond = beyondService(view) !== undefined;
  const { query, devices, fleet, index, served } = useSources(view, versions, { isBeyond, asked });
  const found = useFound(index, filter, sort);
  const fields = useFields(index, served);
  const isWhole = found.isAnswering && !view.paged;
  const { ofIndex, ofService } = useTableRows(view, {
    index,
    found,
    isWhole,
    served,
    total: query.data?.total,
  });
  return {
    reading: {
      data: ofIndex ?? (query.data && !isBeyond ? ofService : undefined),
      error: (isBeyond ? found.error : query.error) ?? (index || isBeyond ? (fleet?.error ?? null) : null),
      isFetching: query.isFetching || found.isFetching || (fleet?.isReading ?? false),
      refetch: () => {
        if (!isBeyond) void query.refetch();
        if (fleet?.error) fleet.retry();
        if (found.error) found.refetch();
      },
      dataUpdatedAt: (isBeyond ? undefined : query.dataUpdatedAt) || fleet?.at,
    },
    /** The rows are those of before while others are on their way. */
    busy: found.isAnswering ? found.isPending : query.isPlaceholderData,
    fleet,
    index,
    /** As the index answers it; the same object while it says the same. */
    filter: found.filter,
    /** All that match, in order; undefined until the fleet is in memory. */
    matching: found.ids,
    /** The same as rows of the index. */
    found: found.rows,
    /** All of them are on the table, instead of a page. */
    isWhole,
    /** There is, or may be, a next page. */
    more: ofIndex ? (ofIndex.before ?? 0) + ofIndex.count < (ofIndex.total ?? 0) : (query.data?.more ?? false),
    /** In all, filters aside, where that is known. */
    devices: index?.size ?? devices,
    fields,
    /** The fleet is too large to be read by itself, and nobody has asked for it. */
    isUnread: !index && (devices === undefined ? (query.data?.more ?? false) : devices > READ_BY_ITSELF),
    /** Reads the whole fleet, however large. */
    load: () => setAsked(true),
  };
}

/**
 * The page that the service has, until the fleet is in memory, with the versions that are shown. A page that is read more
 * often than a large fleet goes into that, so that a row has one place.
 */
function useSources(view: FleetView, fields: string, { isBeyond, asked }: { isBeyond: boolean; asked: boolean }) {
  const [isKept, setKept] = useState(false);
  const { query, devices } = useServed(view, isBeyond || isKept);
  // An empty fleet is known already.
  const fleet = useLateFleet(devices === 0 ? undefined : devices, isBeyond || asked);
  // Who has a tag is asked of a service that lists devices without their tags.
  const current = fleet !== undefined && isCurrent(fleet) && (!view.filter.tag || fleet.index?.includesTags === true);
  if (current !== isKept) setKept(current);
  const { data: page, dataUpdatedAt: readAt } = query;
  const { take, at = 0 } = fleet ?? {};
  const isNewer = !current && fleet?.index !== undefined && !query.isPlaceholderData && readAt > at;
  useEffect(() => {
    if (isNewer && page) take?.(page.rows);
  }, [isNewer, page, take]);
  return { query, devices, fleet, ...useVersionFields(fields, fleet?.index, query.data?.rows ?? NONE) };
}

const dataOf = (results: readonly { data: VersionsById | undefined }[]) => results.map(({ data }) => data);

/** Adds the versions of artifacts as fields of the devices, so that the table can show them and sort by them. */
function useVersionFields(names: string, index: FleetIndex | undefined, rows: readonly Device[]) {
  const fields = useMemo(() => names.split('\n').filter(Boolean), [names]);
  const queries = fields.map((field) => deviceVersionQueries.ofArtifact(field.slice(VERSION_OF.length)));
  const read = useQueries({ queries, combine: dataOf });
  const versions = useMemo(
    () => new Map(fields.flatMap((field, at) => (read[at] ? [[field, read[at]] as const] : []))),
    [fields, read],
  );
  return {
    index: useMemo(() => (versions.size > 0 ? index?.withFields(versions) : index), [index, versions]),
    served: useMemo(() => {
      if (versions.size === 0) return rows;
      const valuesOf = (id: string) => Array.from(versions, ([field, byId]) => [field, byId.get(id)]);
      return rows.map((device): Device => ({ ...device, ...Object.fromEntries(valuesOf(device.DeviceId)) }));
    }, [rows, versions]),
  };
}

/** The page that the service has, and how many devices there are in all where that is known. */
function useServed({ page, rows, filter }: FleetView, isUnwanted: boolean) {
  const query = useQuery({ ...deviceQueries.page(page, rows, deviceFilterOf(filter)), enabled: !isUnwanted });
  const isFirst = query.data !== undefined && !query.isPlaceholderData;
  const counted = useCount(isFirst && isFiltered(filter));
  return { query, devices: isFirst && !isFiltered(filter) ? totalOf(query.data, page) : counted };
}

/** What the fleet in memory finds. */
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
  isWhole: boolean;
  /** The service's page. */
  served: readonly Device[];
}

function useTableRows({ page, rows }: FleetView, { index, found, isWhole, served, total }: RowsSource) {
  const start = isWhole ? 0 : (page - 1) * rows;
  const { rows: all, ids } = found;
  const ofIndex = useMemo((): TableRows | undefined => {
    if (!index || !all || !ids) return undefined;
    const shown = all.subarray(start, isWhole ? all.length : start + rows);
    return {
      count: shown.length,
      find: (id) => {
        const row = index.rowOf(id);
        return row === undefined ? undefined : index.device(row);
      },
      ids: isWhole ? ids : ids.slice(start, start + rows),
      before: start,
      total: all.length,
    };
  }, [index, all, ids, start, isWhole, rows]);
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

/** A filtered list has no total: the size of the fleet is asked for once, after the list is on the screen. */
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
