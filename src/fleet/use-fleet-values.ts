// The groups and sites that devices have, to choose from: the whole fleet is read for them.
import { useQuery } from '@tanstack/react-query';
import { accountQueries } from '#/api/account.ts';
import { useFleet } from './use-fleet.ts';

/** In order; empty until the fleet has been read. */
export function useFleetValues(): { groups: string[]; sites: string[] } {
  const { index } = useFleet({ devices: useQuery(accountQueries.get()).data?.NumDevicesAdded, need: true });
  const { group = [], site = [] } = index?.facets({}, ['group', 'site']) ?? {};
  const valuesOf = (counts: readonly { value: string }[]) => counts.map(({ value }) => value).filter(Boolean);
  return { groups: valuesOf(group), sites: valuesOf(site) };
}
