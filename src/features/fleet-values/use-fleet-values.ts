// The groups or sites of all devices, for lists to choose from.
import { useQuery } from '@tanstack/react-query';
import { accountQueries } from '#/api/account.ts';
import type { Facet } from '#/fleet/filter.ts';
import { useFleet } from '#/fleet/use-fleet.ts';

/** Empty until the fleet is loaded, which has only the devices that the role covers. */
export function useFleetValues(facet: Facet): string[] {
  const { index } = useFleet({ devices: useQuery(accountQueries.get()).data?.NumDevicesAdded, need: true });
  const values = index?.facets({}, [facet])[facet] ?? [];
  return values.map(({ value }) => value).filter(Boolean);
}
