// The calls that create devices and tags one by one. They go past the mutations: five thousand of those would make every
// list stale five thousand times.
import {
  deviceEndpoints,
  type DeviceChange,
  type DeviceDraft,
  type NewDevice,
  type Position,
} from '#/contract/devices.ts';
import { tagEndpoints, type Tag } from '#/contract/tags.ts';
import { isSignedOut } from '#/api/api-error.ts';
import { call } from '#/api/call.ts';
import { fleetStore } from './use-fleet.ts';
import { invalidate } from '#/api/query.ts';
import { queryClient } from '#/api/query-client.ts';
import { sessionEnded } from '#/api/session.ts';

/** Reports the end of the session to the page, as queries and mutations do. */
const watched = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
  try {
    return await answer;
  } catch (error) {
    if (isSignedOut(error)) sessionEnded();
    throw error;
  }
};

export const provisioning = {
  create: (body: DeviceDraft): Promise<NewDevice> => watched(call(deviceEndpoints.create, { body })),
  update: (device_id: string, body: DeviceChange): Promise<void> =>
    watched(call(deviceEndpoints.update, { params: { device_id }, body })),
  locate: (device_id: string, body: Position): Promise<void> =>
    watched(call(deviceEndpoints.locate, { params: { device_id }, body })),
  attach: (device_id: string, tag_id: string): Promise<void> =>
    watched(call(tagEndpoints.attach, { params: { device_id, tag_id } })),
  tags: (): Promise<Tag[]> => watched(call(tagEndpoints.list, {})),
  createTag: (tag_name: string): Promise<void> => watched(call(tagEndpoints.create, { params: { tag_name } })),
};

/** What has become stale when many devices were made. */
export function provisioned(): void {
  fleetStore().changed();
  void invalidate(queryClient, ['devices', 'tags', 'account']);
}
