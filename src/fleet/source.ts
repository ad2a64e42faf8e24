// The requests for the fleet: the listing, page by page, and the list of locations.
import { deviceEndpoints, type DeviceLocation } from '#/contract/devices.ts';
import { pathOf, send } from '#/api/call.ts';
import { deviceFeed, type DeviceFeed } from '#/api/device-feed.ts';
import { readList } from '#/api/list-text.ts';
import type { PageRead } from './read-pages.ts';

export interface FleetSource {
  readPage: (page: number, rows: number, signal: AbortSignal) => Promise<PageRead>;
  readLocations: (signal: AbortSignal) => Promise<DeviceLocation[]>;
  /** Reported changes, if the service has them. */
  feed?: DeviceFeed;
}

export const serviceSource: FleetSource = {
  feed: deviceFeed,

  async readPage(page_num, rows_per_page, signal) {
    const { method, response } = deviceEndpoints.page;
    const path = pathOf(deviceEndpoints.page, { params: { page_num, rows_per_page } });
    const { rows, frame, unreadable } = await readList(
      await send(method, path, undefined, { signal }),
      deviceEndpoints.filter.response,
    );
    // Without its rows the answer still contains the total.
    const head = response.safeParse(frame);
    return { Devices: rows, TotalNumDevices: head.data?.TotalNumDevices, unreadable };
  },

  async readLocations(signal) {
    const { method, path, response } = deviceEndpoints.locations;
    return (await readList(await send(method, path, undefined, { signal }), response)).rows;
  },
};
