// Devices, as queries and mutations.
import type { QueryClient } from '@tanstack/react-query';
import { deviceEndpoints, type Device, type DeviceFilter } from '#/contract/devices.ts';
import { unreadableRows } from '#/contract/unreadable-rows.ts';
import { ApiError } from '#/api/api-error.ts';
import { call } from '#/api/call.ts';
import { mutation, query, requestMutation, type RowChanges } from '#/api/query.ts';
import type { RequestKeys } from '#/api/request-keys.ts';

/** Fleets up to this size are loaded completely without the user asking for it. */
export const READ_BY_ITSELF = 5_000;

/** One page of a listing; `total` is undefined if the service does not report it. */
export interface DeviceRows {
  rows: Device[];
  total: number | undefined;
  /** Whether there may be a next page: without a total, a full page suggests one. */
  more: boolean;
}

const isFiltered = (filter: DeviceFilter) => Object.values(filter).some((value) => value !== undefined && value !== '');

async function readPage(page: number, rows: number, filter: DeviceFilter, signal: AbortSignal): Promise<DeviceRows> {
  const params = { page_num: page, rows_per_page: rows };
  if (isFiltered(filter)) {
    const found = await call(deviceEndpoints.filter, { params, query: filter }, { signal });
    return { rows: found, total: undefined, more: found.length + unreadableRows(found) >= rows };
  }
  const { Devices, TotalNumDevices: total } = await call(deviceEndpoints.page, { params }, { signal });
  const counts = total !== undefined && total >= (page - 1) * rows + Devices.length;
  return {
    rows: Devices,
    total: counts ? total : undefined,
    more: counts ? page * rows < total : Devices.length + unreadableRows(Devices) >= rows,
  };
}

/** The API has no "get one device": the filter matches parts of ids, so the exact one is selected here. */
export async function findDevice(id: string, signal?: AbortSignal): Promise<Device | undefined> {
  const params = { page_num: 1, rows_per_page: 25 };
  const found = await call(deviceEndpoints.filter, { params, query: { device_id: id } }, { signal });
  return found.find((row) => row.DeviceId === id);
}

async function readOne(id: string, signal: AbortSignal): Promise<Device> {
  const device = await findDevice(id, signal);
  if (!device)
    throw new ApiError('refused', `There is no device ${id}`, { status: 404, detail: 'It may have been deleted.' });
  return device;
}

/** Polling interval while changes are reported: last-seen times are not, and our service updates them once a minute. */
const SEEN_PACE = 60_000;
/** A device created within this many milliseconds may be new to a list; generous because clocks differ. */
const NEW = 300_000;

/** Applies reported rows to a page; undefined if another device may now belong on it. */
const patchPage =
  (filter: DeviceFilter) =>
  (page: DeviceRows, { changed, removed }: RowChanges): DeviceRows | undefined => {
    if (isFiltered(filter) || removed.length > 0) return undefined;
    const devices = changed as ReadonlyMap<string, Device>;
    const known = new Set(page.rows.map(({ DeviceId }) => DeviceId));
    const isNew = ({ DeviceId, CreatedTime }: Device) =>
      !known.has(DeviceId) && Date.now() - Date.parse(CreatedTime ?? '') < NEW;
    if ([...devices.values()].some(isNew)) return undefined;
    if (!page.rows.some(({ DeviceId }) => devices.has(DeviceId))) return page;
    return { ...page, rows: page.rows.map((row) => devices.get(row.DeviceId) ?? row) };
  };

const patchOne = (device: Device, { changed, removed }: RowChanges): Device | undefined =>
  removed.includes(device.DeviceId) ? undefined : ((changed.get(device.DeviceId) as Device | undefined) ?? device);

export const deviceQueries = {
  page: (page: number, rows: number, filter: DeviceFilter = {}) =>
    query<typeof deviceEndpoints.filter, DeviceRows>(
      deviceEndpoints.filter,
      { params: { page_num: page, rows_per_page: rows }, query: filter },
      {
        read: ({ signal }) => readPage(page, rows, filter, signal),
        patch: patchPage(filter),
        keepPrevious: true,
        pollLive: SEEN_PACE,
      },
    ),
  one: (id: string) =>
    query<typeof deviceEndpoints.filter, Device>(
      deviceEndpoints.filter,
      { params: { page_num: 1, rows_per_page: 1 }, query: { device_id: id } },
      { part: 'one', read: ({ signal }) => readOne(id, signal), patch: patchOne, pollLive: SEEN_PACE },
    ),
  locations: () => query(deviceEndpoints.locations, {}, { poll: false }),
  /** Fails with an error that `isNotOffered` recognises on a service without this addition. */
  publishedAgent: () => query(deviceEndpoints.agent, {}, { poll: false }),
};

/** All cached pages of devices, whatever their filter. */
export const readDevicePages = (client: QueryClient): DeviceRows[] =>
  client
    .getQueryCache()
    .findAll({ queryKey: deviceQueries.page(1, 1).queryKey.slice(0, 2) })
    .flatMap(({ queryKey, state }) => (queryKey.length === 3 && state.data ? [state.data as DeviceRows] : []));

export const deviceMutations = {
  /** The answer contains the device's key, so it leaves the cache as soon as nothing shows it. */
  create: (keys: RequestKeys) => mutation(deviceEndpoints.create, {}, { keys, gcTime: 0 }),
  update: (id: string) => mutation(deviceEndpoints.update, { params: { device_id: id } }),
  locate: (id: string) => mutation(deviceEndpoints.locate, { params: { device_id: id } }),
  remove: (id: string) => requestMutation(deviceEndpoints.remove, { params: { device_id: id } }),
  updateAgent: (id: string) => requestMutation(deviceEndpoints.updateAgent, { params: { device_id: id } }),
  /** `sequence` identifies the published program, which is older than one that the device has run. */
  downgradeAgent: (id: string, sequence: number) =>
    requestMutation(deviceEndpoints.downgradeAgent, { params: { device_id: id }, body: { Sequence: sequence } }),
  rotateKey: (id: string) => requestMutation(deviceEndpoints.rotateKey, { params: { device_id: id } }),
  /** The answer contains a key, as for `create`. */
  rekey: (id: string) => requestMutation(deviceEndpoints.rekey, { params: { device_id: id } }, { gcTime: 0 }),
};
