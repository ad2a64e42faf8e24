// All devices that match a filter of the service. Separate from members.ts because the device table loads it first.
import { deviceEndpoints, type Device, type DeviceFilter } from '#/contract/devices.ts';
import { isMissing } from '#/api/api-error.ts';
import { call } from '#/api/call.ts';
import { query } from '#/api/query.ts';

/** Most concurrent requests. */
const CONCURRENCY = 2;
/** A page size that every service supports; the document names no limit. */
const ROWS = 100;
/** Polling interval of a tag's devices in milliseconds; long, because each poll reads all of them. */
const POLL_INTERVAL = 30_000;

/**
 * Every matching device, once. A filtered list has no total, and a service may return fewer rows than requested, so only
 * a page without new devices marks the end: a user must not decide on an incomplete list.
 */
export async function readMatches(readPage: (page: number) => Promise<Device[]>): Promise<Device[]> {
  const found = new Map<string, Device>();
  for (let page = 1; ; page += CONCURRENCY) {
    const pages = await Promise.all(Array.from({ length: CONCURRENCY }, (_, step) => readPage(page + step)));
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
      // Some services answer 404 for a page past the end.
      if (page > 1 && isMissing(error)) return [];
      throw error;
    }
  });
}

const FIRST = { page_num: 1, rows_per_page: ROWS };

/** The ids of the devices with any of these tags, as filtered by the service. */
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
      poll: POLL_INTERVAL,
      spacing: POLL_INTERVAL,
    },
  );
