// The devices a group or tag stands for at this moment: what a deploy is going to reach.
import { queryOptions } from '@tanstack/react-query';
import type { Device } from '#/contract/devices.ts';
import { readFilter } from '#/api/matches.ts';
import { readSelected } from './selected.ts';

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
