// Writes to many devices: one request for all of them where the service has bulk work, otherwise one per device.
import type { Endpoint, RequestOf } from '#/contract/endpoint.ts';
import { bulkEndpoints, type BulkChange } from '#/contract/bulk.ts';
import { deviceEndpoints, type Device, type DeviceChange, type Position } from '#/contract/devices.ts';
import { tagEndpoints, type Tag } from '#/contract/tags.ts';
import { bulkChanges } from '#/api/bulk-work.ts';
import { call } from '#/api/call.ts';
import { requestOf, type ApiRequest } from '#/api/request-of.ts';
import { skipMissing } from './skipped.ts';

type Id = Pick<Device, 'DeviceId'>;

/** The effect of a write on one device. */
type DeviceEffect =
  | { id: string; is: 'changed'; fields: DeviceChange }
  | { id: string; is: 'located'; position: Position }
  | { id: string; is: 'tagged'; tag: Tag; on: boolean }
  | { id: string; is: 'deleted' };

/** A write that applies to many items. */
export interface BulkWrite<Item = Id> {
  /** The request for one item, for display. */
  request: (item: Item) => ApiRequest;
  /** Resolves to `Skipped` if there was nothing left to do. Must be safe to repeat. */
  send: (item: Item) => Promise<unknown>;
  /** The effect on a device, shown until the device is read again. */
  effect?: (item: Item) => DeviceEffect;
  /** One bulk request for all items, on a service with bulk work. */
  toBulkRequest?: (items: readonly Item[]) => BulkChange | undefined;
}

/** The requests for these items: a single one where the service has bulk work. */
export function bulkRequests<Item>(
  { request, toBulkRequest }: Pick<BulkWrite<Item>, 'request' | 'toBulkRequest'>,
  items: readonly Item[],
  inService: boolean,
): ApiRequest[] {
  const draft = inService ? toBulkRequest?.(items) : undefined;
  return draft ? bulkChanges(draft).map((body) => requestOf(bulkEndpoints.create, { body })) : items.map(request);
}

const idsOf = (devices: readonly Id[]) => devices.map(({ DeviceId }) => DeviceId);

/** One request per device, both to send and to display. */
function perDevice<E extends Endpoint>(endpoint: E, of: (device: Id) => RequestOf<E>) {
  return {
    request: (device: Id): ApiRequest => requestOf(endpoint, of(device)),
    send: (device: Id): Promise<unknown> => call(endpoint, of(device)),
  };
}

/** Sets fields of devices. */
export const bulkChange = (change: DeviceChange): BulkWrite => ({
  toBulkRequest: (devices) => ({ Action: 'edit', Devices: idsOf(devices), Values: change }),
  effect: ({ DeviceId }) => ({ id: DeviceId, is: 'changed', fields: change }),
  ...perDevice(deviceEndpoints.update, ({ DeviceId }) => ({ params: { device_id: DeviceId }, body: change })),
});

/** Sets the location of devices. */
export const bulkLocate = (place: Position): BulkWrite => ({
  toBulkRequest: (devices) => ({ Action: 'edit', Devices: idsOf(devices), Values: { Lat: place.Lat, Lng: place.Lng } }),
  effect: ({ DeviceId }) => ({ id: DeviceId, is: 'located', position: place }),
  ...perDevice(deviceEndpoints.locate, ({ DeviceId }) => ({ params: { device_id: DeviceId }, body: place })),
});

/** Attaches a tag to devices or detaches it. `name`: the name of an attached tag. */
export const bulkTag = (tag: string, on: boolean, name = ''): BulkWrite => ({
  effect: ({ DeviceId }) => ({ id: DeviceId, is: 'tagged', tag: { TagId: tag, TagName: name }, on }),
  toBulkRequest: (devices) => ({ Action: on ? 'tag' : 'untag', Devices: idsOf(devices), Values: { TagId: tag } }),
  ...perDevice(on ? tagEndpoints.attach : tagEndpoints.detach, ({ DeviceId }) => ({
    params: { device_id: DeviceId, tag_id: tag },
  })),
});

/** Makes agents update themselves. */
export const bulkUpdateAgent = (): BulkWrite =>
  perDevice(deviceEndpoints.updateAgent, ({ DeviceId }) => ({ params: { device_id: DeviceId } }));

/** Has devices take new keys. */
export const bulkRotateKeys = (): BulkWrite => ({
  toBulkRequest: (devices) => ({ Action: 'rotateKey', Devices: idsOf(devices) }),
  ...perDevice(deviceEndpoints.rotateKey, ({ DeviceId }) => ({ params: { device_id: DeviceId } })),
});

const removal = perDevice(deviceEndpoints.remove, ({ DeviceId }) => ({ params: { device_id: DeviceId } }));

export const bulkDelete = (): BulkWrite => ({
  toBulkRequest: (devices) => ({ Action: 'delete', Devices: idsOf(devices) }),
  effect: ({ DeviceId }) => ({ id: DeviceId, is: 'deleted' }),
  request: removal.request,
  send: (id) => removal.send(id).catch(skipMissing),
});
