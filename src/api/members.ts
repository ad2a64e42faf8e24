// The devices a group or tag stands for at this moment: what a deploy is going to reach.
import { queryOptions } from '@tanstack/react-query';
import { deviceEndpoints } from '#/contract/devices.ts';
import type { Device, DeviceFilter } from '#/contract/devices.ts';
import { isMissing } from '#/api/api-error.ts';
import { call } from '#/api/call.ts';
import { readSelected } from '#/api/selected.ts';

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

/** Whom a deploy is for: these devices, or all of a group or with a tag. `key` stands for the ids, which may be many. */
export type Whom = { ids: readonly string[]; key: string } | { group: string } | { tag: string };

/** A service may match a part of a group's name, or a tag's name where its id was asked for: the rows decide. */
const isMember = ({ DeviceGroup, Tags }: Device, whom: { group: string } | { tag: string }): boolean =>
  'group' in whom ? DeviceGroup === whom.group : Tags === undefined || Tags.some(({ TagId }) => TagId === whom.tag);

/** The devices as they are now. */
export async function readMembers(whom: Whom, signal: AbortSignal): Promise<Device[]> {
  if ('ids' in whom) return readSelected(whom.ids, signal);
  const query = 'group' in whom ? { device_group: whom.group } : { device_tag: whom.tag };
  return (await readFilter(query, signal)).filter((device) => isMember(device, whom));
}

export const memberQueries = {
  /** A review holds still: only who asks again gets another list. It begins with the fleet as it is now. */
  of: (whom: Whom) =>
    queryOptions({
      // Not under ['devices']: no write elsewhere changes what was reviewed.
      queryKey: ['members', 'ids' in whom ? whom.key : whom],
      queryFn: ({ signal }) => readMembers(whom, signal),
      staleTime: Infinity,
      gcTime: 0,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
    }),
};
