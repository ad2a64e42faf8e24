// The devices a group or tag stands for at this moment: what a deploy is going to reach.
import { queryOptions } from '@tanstack/react-query';
import { deviceEndpoints } from '#/contract/devices.ts';
import type { Device, DeviceFilter } from '#/contract/devices.ts';
import { isMissing } from '#/api/api-error.ts';
import { call } from '#/api/call.ts';

/** Requests under way at a time. */
const AT_ONCE = 2;
/** A size of page that every service gives; the document names no limit. */
const ROWS = 100;

/**
 * Every device of a filter, each once. A filtered list has no total, and a service may give fewer rows than asked, so
 * only a page that brings nothing new is the end: too short a list would hide devices from the person who decides.
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

async function readFilter(query: DeviceFilter, signal: AbortSignal): Promise<Device[]> {
  return readMatches(async (page) => {
    try {
      return await call(deviceEndpoints.filter, { params: { page_num: page, rows_per_page: ROWS }, query }, { signal });
    } catch (error) {
      // Past the end some services have no page at all.
      if (page > 1 && isMissing(error)) return [];
      throw error;
    }
  });
}

/** A service may match a part of a group's name, or a tag's name where its id was asked for: the rows decide. */
const isMember = (device: Device, { device_group, device_tag }: DeviceFilter): boolean =>
  (device_group === undefined || device.DeviceGroup === device_group) &&
  (device_tag === undefined || device.Tags === undefined || device.Tags.some(({ TagId }) => TagId === device_tag));

export const memberQueries = {
  of: (filter: Pick<DeviceFilter, 'device_group' | 'device_tag'>) =>
    queryOptions({
      queryKey: ['devices', 'members', filter],
      queryFn: async ({ signal }) => (await readFilter(filter, signal)).filter((device) => isMember(device, filter)),
      // A review shows the fleet as it is now, not as an earlier visit left it.
      staleTime: 0,
      gcTime: 0,
    }),
};
