// The calls that make many devices, each one request, for a run that has its own rules about what is sent again. They
// go past the mutations: five thousand of those would make every list stale five thousand times.
import {
  deviceEndpoints,
  type Device,
  type DeviceChange,
  type DeviceDraft,
  type NewDevice,
  type Position,
} from '#/contract/devices.ts';
import { tagEndpoints, type Tag } from '#/contract/tags.ts';
import { isMissing, isSignedOut } from '#/api/api-error.ts';
import { call } from '#/api/call.ts';
import { fleetStore } from './use-fleet.ts';
import { readMatches } from '#/api/matches.ts';
import { invalidate } from '#/api/query.ts';
import { queryClient } from '#/api/query-client.ts';
import { sessionEnded } from '#/api/session.ts';

/** A size of page that every service gives. */
const ROWS = 100;

/** Reports the end of the session to the page, as queries and mutations do. */
const watched = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
  try {
    return await answer;
  } catch (error) {
    if (isSignedOut(error)) sessionEnded();
    throw error;
  }
};

async function named(name: string): Promise<Device[]> {
  const query = { device_name: name };
  const found = await readMatches(async (page_num) => {
    try {
      return await call(deviceEndpoints.filter, { params: { page_num, rows_per_page: ROWS }, query });
    } catch (error) {
      // Past the end some services have no page at all.
      if (page_num > 1 && isMissing(error)) return [];
      throw error;
    }
  });
  return found.filter(({ DeviceName }) => DeviceName === name);
}

export const provisioning = {
  create: (body: DeviceDraft): Promise<NewDevice> => watched(call(deviceEndpoints.create, { body })),
  update: (device_id: string, body: DeviceChange): Promise<void> =>
    watched(call(deviceEndpoints.update, { params: { device_id }, body })),
  locate: (device_id: string, body: Position): Promise<void> =>
    watched(call(deviceEndpoints.locate, { params: { device_id }, body })),
  attach: (device_id: string, tag_id: string): Promise<void> =>
    watched(call(tagEndpoints.attach, { params: { device_id, tag_id } })),
  rekey: (device_id: string): Promise<NewDevice> => watched(call(deviceEndpoints.rekey, { params: { device_id } })),
  tags: (): Promise<Tag[]> => watched(call(tagEndpoints.list, {})),
  createTag: (tag_name: string): Promise<void> => watched(call(tagEndpoints.create, { params: { tag_name } })),
  /** Every device with exactly this name. */
  named: (name: string): Promise<Device[]> => watched(named(name)),
};

/** What has become stale when many devices were made. */
export function provisioned(): void {
  fleetStore().changed();
  void invalidate(queryClient, ['devices', 'tags', 'account']);
}
