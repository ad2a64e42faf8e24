// All devices that the service finds by a filter. Separate from members.ts, because the device table needs it at once.
import { deviceEndpoints, type Device, type DeviceFilter } from '#/contract/devices.ts';
import { isMissing } from '#/api/api-error.ts';
import { call } from '#/api/call.ts';
import { query } from '#/api/query.ts';

/** Most requests at a time. */
const AT_ONCE = 2;
/** A page size that every service supports; the document names no limit. */
const ROWS = 100;
/** Milliseconds between two readings of who has a tag: all of them are read. */
const EVERY = 30_000;

/**
 * Every device of a filter, once. A filtered list has no total, and a service may return fewer rows than requested, so
 * only a page without new devices is the end: an incomplete list would hide devices from the user who decides.
 */
export async function readMatches(readPage: (page: number) => Promise<Device[]>): Promise<Device[]> {
  const found = new Map<string, Device>();
  for (let page = 1; ; page += AT_ONCE) {
    const pages = await Promise.all(Array.from({ length: AT_ONCE }, (_, step) => readPage(page + step)));
    for (const rows of pages) {
      const before = found.size;
      for (const device of rows) found.set(device.DeviceId, device);
      if (found.size === before) return [...found.values()];
    }
  }
}

export async function readMatching(filter: DeviceFilter, signal: AbortSignal): Promise<Device[]> {
  return readMatches(async (page) => {
    try {
      return await call(
        deviceEndpoints.filter,
        { params: { page_num: page, rows_per_page: ROWS }, query: filter },
        { signal },
      );
    } catch (error) {
      // Past the end some services have no page at all.
      if (page > 1 && isMissing(error)) return [];
      throw error;
    }
  });
}

const FIRST = { page_num: 1, rows_per_page: ROWS };

/** The ids of the devices that have any of these tags, by the service's own filter. */
export const taggedQuery = (tags: readonly string[]) =>
  query<typeof deviceEndpoints.filter, ReadonlySet<string>>(
    deviceEndpoints.filter,
    { params: FIRST, query: { device_tag: tags.join(',') } },
    {
      part: 'tagged',
      read: async ({ signal }) => {
        const found = new Set<string>();
        for (const tag of tags)
          for (const { DeviceId } of await readMatching({ device_tag: tag }, signal)) found.add(DeviceId);
        return found;
      },
      structuralSharing: false,
      poll: EVERY,
      spacing: EVERY,
    },
  );
