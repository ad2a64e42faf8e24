// The writes that are done to many devices, one device at a time: how to send each, and how to look whether it was
// carried out when its answer was lost.
import type { Endpoint, RequestOf } from '#/contract/endpoint.ts';
import { bulkEndpoints, type BulkDraft } from '#/contract/bulk.ts';
import { deviceEndpoints, type Device, type DeviceChange, type Position } from '#/contract/devices.ts';
import { tagEndpoints, type Tag } from '#/contract/tags.ts';
import { bulkDrafts } from '#/api/bulk-work.ts';
import { call } from '#/api/call.ts';
import { deviceQueries, findDevice } from '#/api/devices.ts';
import { queryClient } from '#/api/query-client.ts';
import { removeOne } from '#/api/remove-one.ts';
import { requestOf, type ApiRequest } from '#/api/request-of.ts';

type Id = Pick<Device, 'DeviceId'>;

/** What a write that was carried out did to one device. */
type DeviceEffect =
  | { id: string; is: 'changed'; fields: DeviceChange }
  | { id: string; is: 'located'; position: Position }
  | { id: string; is: 'tagged'; tag: Tag; on: boolean }
  | { id: string; is: 'deleted' };

/** One write that is done to many, one at a time. */
export interface BulkWrite<Item = Id> {
  /** What is sent for an item, to be shown. */
  request: (item: Item) => ApiRequest;
  /** Answers `Skipped` where it finds nothing to do any more. */
  send: (item: Item) => Promise<unknown>;
  /** Whether it was carried out; undefined where the service does not tell. Raises an error when it cannot be read. */
  check: (item: Item) => Promise<boolean | undefined>;
  /** What it does to a device, to be shown before the device is read again; undefined where only the service knows. */
  effect?: (item: Item) => DeviceEffect;
  /** The same for all of them, on a service that carries it out by itself. */
  whole?: (items: readonly Item[]) => BulkDraft | undefined;
}

/** What is sent for these items: one request for all, where the service takes that. */
export function bulkRequests<Item>(
  { request, whole }: Pick<BulkWrite<Item>, 'request' | 'whole'>,
  items: readonly Item[],
  inService: boolean,
): ApiRequest[] {
  const draft = inService ? whole?.(items) : undefined;
  return draft ? bulkDrafts(draft).map((body) => requestOf(bulkEndpoints.create, { body })) : items.map(request);
}

const idsOf = (devices: readonly Id[]) => devices.map(({ DeviceId }) => DeviceId);

const read = ({ DeviceId }: Id): Promise<Device> =>
  queryClient.query({ ...deviceQueries.one(DeviceId), staleTime: 0, gcTime: 0, retry: false });

/** A request for each device, as it is sent and as it is shown. */
function oneOf<E extends Endpoint>(endpoint: E, of: (device: Id) => RequestOf<E>) {
  return {
    request: (device: Id): ApiRequest => requestOf(endpoint, of(device)),
    send: (device: Id): Promise<unknown> => call(endpoint, of(device)),
  };
}

/** Sets fields of devices. */
export const bulkChange = (change: DeviceChange): BulkWrite => ({
  whole: (devices) => ({ Action: 'edit', Devices: idsOf(devices), Values: change }),
  effect: ({ DeviceId }) => ({ id: DeviceId, is: 'changed', fields: change }),
  ...oneOf(deviceEndpoints.update, ({ DeviceId }) => ({ params: { device_id: DeviceId }, body: change })),
  check: async (id) => {
    const device = await read(id);
    const wanted = Object.entries(change).filter(([, value]) => value !== undefined);
    if (wanted.some(([field]) => device[field] === undefined)) return undefined;
    return wanted.every(([field, value]) => device[field] === value);
  },
});

/** Puts devices on the map. */
export const bulkLocate = (place: Position): BulkWrite => ({
  whole: (devices) => ({ Action: 'edit', Devices: idsOf(devices), Values: { Lat: place.Lat, Lng: place.Lng } }),
  effect: ({ DeviceId }) => ({ id: DeviceId, is: 'located', position: place }),
  ...oneOf(deviceEndpoints.locate, ({ DeviceId }) => ({ params: { device_id: DeviceId }, body: place })),
  check: async ({ DeviceId }) => {
    const places = await call(deviceEndpoints.locations, {});
    return places.some((each) => each.DeviceId === DeviceId && each.Lat === place.Lat && each.Lng === place.Lng);
  },
});

/** Puts a tag on devices, or takes it off. `name`: of a tag that is put on. */
export const bulkTag = (tag: string, on: boolean, name = ''): BulkWrite => ({
  effect: ({ DeviceId }) => ({ id: DeviceId, is: 'tagged', tag: { TagId: tag, TagName: name }, on }),
  whole: (devices) => ({ Action: on ? 'tag' : 'untag', Devices: idsOf(devices), Values: { TagId: tag } }),
  ...oneOf(on ? tagEndpoints.attach : tagEndpoints.detach, ({ DeviceId }) => ({
    params: { device_id: DeviceId, tag_id: tag },
  })),
  check: async (id) => {
    const { Tags } = await read(id);
    return Tags && Tags.some(({ TagId }) => TagId === tag) === on;
  },
});

/** Has agents update themselves. What is under way, or done by then, was carried out. */
export const bulkUpdateAgent = (): BulkWrite => ({
  ...oneOf(deviceEndpoints.updateAgent, ({ DeviceId }) => ({ params: { device_id: DeviceId } })),
  check: async (id) => {
    const { AgentUpdate } = await read(id);
    return AgentUpdate === undefined ? undefined : ['Waiting', 'Updating', 'Current'].includes(AgentUpdate);
  },
});

const removal = oneOf(deviceEndpoints.remove, ({ DeviceId }) => ({ params: { device_id: DeviceId } }));

const isThere = async ({ DeviceId }: Id) => (await findDevice(DeviceId)) !== undefined;

export const bulkDelete = (): BulkWrite => ({
  whole: (devices) => ({ Action: 'delete', Devices: idsOf(devices) }),
  effect: ({ DeviceId }) => ({ id: DeviceId, is: 'deleted' }),
  request: removal.request,
  send: (id) =>
    removeOne(
      'devices',
      () => removal.send(id),
      () => isThere(id),
    ),
  check: async (id) => !(await isThere(id)),
});
