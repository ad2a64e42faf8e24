// Devices, as queries and mutations.
import { keepPreviousData, mutationOptions, queryOptions } from '@tanstack/react-query';
import {
  deviceEndpoints,
  type Device,
  type DeviceChange,
  type DeviceDraft,
  type DeviceFilter,
  type Position,
} from '#/contract/devices.ts';
import { unreadableRows } from '#/contract/unreadable-rows.ts';
import { ApiError } from '#/api/api-error.ts';
import { call } from '#/api/call.ts';
import type { RequestKeys } from '#/api/request-keys.ts';
import { livePace } from '#/api/live.ts';
import { requestMutation } from '#/api/request-of.ts';

/** Fleets up to this size are read completely without a request of the user. */
export const READ_BY_ITSELF = 5_000;

/** One page of a listing; `total` is undefined if the service does not count. */
export interface DeviceRows {
  rows: Device[];
  total: number | undefined;
  /** Whether there is, or may be, a next page: without a total, a full page suggests one. */
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
  const query = { device_id: id };
  const found = await call(deviceEndpoints.filter, { params: { page_num: 1, rows_per_page: 25 }, query }, { signal });
  return found.find((row) => row.DeviceId === id);
}

async function readOne(id: string, signal: AbortSignal): Promise<Device> {
  const device = await findDevice(id, signal);
  if (!device)
    throw new ApiError('refused', `There is no device ${id}`, { status: 404, detail: 'It may have been deleted.' });
  return device;
}

/** Polling interval of a visible page, in milliseconds. */
const LIVE = 5_000;
/** When a connected device was last seen is not reported as a change; our service notes it once a minute. */
const SEEN = 60_000;

/** Of what shows devices, in milliseconds. */
export const devicePace = livePace(LIVE, SEEN);

export const deviceQueries = {
  /** Beginning of the key of every page, whatever its filter. */
  pages: ['devices', 'page'] as const,
  page: (page: number, rows: number, filter: DeviceFilter = {}) =>
    queryOptions({
      queryKey: [...deviceQueries.pages, page, rows, filter],
      queryFn: ({ signal }) => readPage(page, rows, filter, signal),
      placeholderData: keepPreviousData,
      refetchInterval: devicePace,
    }),
  one: (id: string) =>
    queryOptions({
      queryKey: ['devices', 'one', id],
      queryFn: ({ signal }) => readOne(id, signal),
      refetchInterval: devicePace,
    }),
  locations: () =>
    queryOptions({
      queryKey: ['devices', 'locations'],
      queryFn: ({ signal }) => call(deviceEndpoints.locations, {}, { signal }),
    }),
  /** Fails as `isNotOffered` on a service without this addition. */
  publishedAgent: () =>
    queryOptions({
      queryKey: ['published-agent'],
      queryFn: ({ signal }) => call(deviceEndpoints.agent, {}, { signal }),
    }),
};

const changed = { invalidates: [['devices']] };
const counted = { invalidates: [['devices'], ['account']] };

export const deviceMutations = {
  /** The answer contains the device's key, so it is dropped as soon as nothing shows it. */
  create: (keys: RequestKeys) =>
    mutationOptions({
      mutationFn: (body: DeviceDraft) =>
        keys.send(body, (headers) => call(deviceEndpoints.create, { body }, { headers })),
      gcTime: 0,
      meta: counted,
    }),
  update: (id: string) =>
    mutationOptions({
      mutationFn: (body: DeviceChange) => call(deviceEndpoints.update, { params: { device_id: id }, body }),
      meta: { ...changed, device: { id, is: 'changed' } },
    }),
  locate: (id: string) =>
    mutationOptions({
      mutationFn: (body: Position) => call(deviceEndpoints.locate, { params: { device_id: id }, body }),
      meta: { ...changed, device: { id, is: 'located' } },
    }),
  remove: (id: string) =>
    requestMutation(
      deviceEndpoints.remove,
      { params: { device_id: id } },
      {
        invalidates: [['devices'], ['account'], ['jobs'], ['tunnels']],
        deletes: [deviceQueries.one(id).queryKey, ['devices', 'jobs', id]],
        device: { id, is: 'deleted' },
      },
    ),
  updateAgent: (id: string) => requestMutation(deviceEndpoints.updateAgent, { params: { device_id: id } }, changed),
  /** `sequence`: of the program that the service publishes, older than what the device has run. */
  downgradeAgent: (id: string, sequence: number) =>
    requestMutation(
      deviceEndpoints.downgradeAgent,
      { params: { device_id: id }, body: { Sequence: sequence } },
      changed,
    ),
  /** The answer contains a key, as with create. */
  rekey: (id: string) => ({
    ...requestMutation(deviceEndpoints.rekey, { params: { device_id: id } }, changed),
    gcTime: 0,
  }),
};
