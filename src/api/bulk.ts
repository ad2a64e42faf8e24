// The writes that are done to many devices: as one request for all of them where the service carries that out, and for
// each device.
import type { Endpoint, RequestOf } from '#/contract/endpoint.ts';
import { bulkEndpoints, type BulkChange } from '#/contract/bulk.ts';
import { deviceEndpoints, type Device, type DeviceChange, type Position } from '#/contract/devices.ts';
import { tagEndpoints, type Tag } from '#/contract/tags.ts';
import { bulkChanges } from '#/api/bulk-work.ts';
import { call } from '#/api/call.ts';
import { requestOf, type ApiRequest } from '#/api/request-of.ts';
import { skipMissing } from './skipped.ts';

type Id = Pick<Device, 'DeviceId'>;

/** What a write did to one device. */
type DeviceEffect =
  | { id: string; is: 'changed'; fields: DeviceChange }
  | { id: string; is: 'located'; position: Position }
  | { id: string; is: 'tagged'; tag: Tag; on: boolean }
  | { id: string; is: 'deleted' };

/** One write that is done to many. */
export interface BulkWrite<Item = Id> {
  /** What is sent for an item, to be shown. */
  request: (item: Item) => ApiRequest;
  /** Resolves to `Skipped` where there was nothing to do any more. Sending it again must do no harm. */
  send: (item: Item) => Promise<unknown>;
  /** What it does to a device, to be shown before the device is read again. */
  effect?: (item: Item) => DeviceEffect;
  /** The same for all of them, on a service with bulk work. */
  whole?: (items: readonly Item[]) => BulkChange | undefined;
}

/** What is sent for these items: one request for all, where the service takes that. */
export function bulkRequests<Item>(
  { request, whole }: Pick<BulkWrite<Item>, 'request' | 'whole'>,
  items: readonly Item[],
  inService: boolean,
): ApiRequest[] {
  const draft = inService ? whole?.(items) : undefined;
  return draft ? bulkChanges(draft).map((body) => requestOf(bulkEndpoints.create, { body })) : items.map(request);
}

const idsOf = (devices: readonly Id[]) => devices.map(({ DeviceId }) => DeviceId);

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
});

/** Puts devices on the map. */
export const bulkLocate = (place: Position): BulkWrite => ({
  whole: (devices) => ({ Action: 'edit', Devices: idsOf(devices), Values: { Lat: place.Lat, Lng: place.Lng } }),
  effect: ({ DeviceId }) => ({ id: DeviceId, is: 'located', position: place }),
  ...oneOf(deviceEndpoints.locate, ({ DeviceId }) => ({ params: { device_id: DeviceId }, body: place })),
});

/** Puts a tag on devices, or takes it off. `name`: of a tag that is put on. */
export const bulkTag = (tag: string, on: boolean, name = ''): BulkWrite => ({
  effect: ({ DeviceId }) => ({ id: DeviceId, is: 'tagged', tag: { TagId: tag, TagName: name }, on }),
  whole: (devices) => ({ Action: on ? 'tag' : 'untag', Devices: idsOf(devices), Values: { TagId: tag } }),
  ...oneOf(on ? tagEndpoints.attach : tagEndpoints.detach, ({ DeviceId }) => ({
    params: { device_id: DeviceId, tag_id: tag },
  })),
});

/** Has agents update themselves. */
export const bulkUpdateAgent = (): BulkWrite =>
  oneOf(deviceEndpoints.updateAgent, ({ DeviceId }) => ({ params: { device_id: DeviceId } }));

const removal = oneOf(deviceEndpoints.remove, ({ DeviceId }) => ({ params: { device_id: DeviceId } }));

export const bulkDelete = (): BulkWrite => ({
  whole: (devices) => ({ Action: 'delete', Devices: idsOf(devices) }),
  effect: ({ DeviceId }) => ({ id: DeviceId, is: 'deleted' }),
  request: removal.request,
  send: (id) => removal.send(id).catch(skipMissing),
});
