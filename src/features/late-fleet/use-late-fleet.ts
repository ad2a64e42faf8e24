// The fleet index for a page that renders before it: its code and the fleet load after the first render.
import { useEffect, useSyncExternalStore } from 'react';
import { useQuery } from '@tanstack/react-query';
import { accountQueries } from '#/api/account.ts';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import { READ_BY_ITSELF } from '#/api/devices.ts';
import type { FleetInUse } from '#/fleet/use-fleet.ts';
import type { Fleet, FleetStore } from '#/fleet/fleet-store.ts';
import { usePreload } from '#/ui/late/use-preload.ts';

let opened: (() => FleetStore) | undefined;
const load = async () => {
  opened = (await import('#/fleet/use-fleet.ts')).fleetStore;
};

const nothing = () => undefined;
const noSubscription = () => nothing;

interface LateFleet extends FleetInUse {
  /** Takes over devices that the service has just listed. */
  take: FleetStore['take'];
}

/** `devices`: the number of devices, once known. `need`: read the fleet at any size. */
export function useLateFleet(devices: number | undefined, need: boolean): LateFleet | undefined {
  const isHere = usePreload(load, need);
  const store = isHere ? opened?.() : undefined;
  const fleet = useSyncExternalStore<Fleet | undefined>(store?.subscribe ?? noSubscription, store?.get ?? nothing);
  const isWanted = need || (devices !== undefined && devices <= READ_BY_ITSELF);
  useEffect(() => {
    if (isWanted) store?.ensure();
  }, [isWanted, store]);
  return store && fleet ? { ...fleet, ensure: store.ensure, retry: store.retry, take: store.take } : undefined;
}

/** Up to this size the fleet is read as often as a page of it. */
const ONE_REQUEST = 1_000;

/** Whether the fleet in memory is as current as the service's page, which is then not read. */
export const isCurrent = ({ index, error, isFollowed }: Fleet): boolean =>
  index !== undefined && !error && (isFollowed || index.size <= ONE_REQUEST);

/** The fleet, if it is small enough to be read for a detail of a page; not read unless `isWanted`. */
export function useSmallFleet(isWanted: boolean): FleetIndex | undefined {
  const account = useQuery({ ...accountQueries.get(), enabled: isWanted });
  return useLateFleet(isWanted ? account.data?.NumDevicesAdded : undefined, false)?.index;
}
