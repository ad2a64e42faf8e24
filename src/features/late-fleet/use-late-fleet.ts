// The fleet index for a page that is drawn before it: its code and the fleet load after the first render.
import { useEffect, useSyncExternalStore } from 'react';
import { useQuery } from '@tanstack/react-query';
import { accountQueries } from '#/api/account.ts';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import { READ_BY_ITSELF } from '#/api/devices.ts';
import type { FleetInUse } from '#/fleet/use-fleet.ts';
import type { Fleet } from '#/fleet/fleet.ts';
import type { FleetStore } from '#/fleet/fleet-store.ts';
import { usePreload } from '#/ui/late/use-preload.ts';

let opened: (() => FleetStore) | undefined;
const load = async () => {
  opened = (await import('#/fleet/use-fleet.ts')).fleetStore;
};

/** A fleet of one request is read as often as a page of it, in milliseconds. */
const LIVE = 5_000;
const ONE_REQUEST = 1_000;

const nothing = () => undefined;
const noSubscription = () => nothing;

/** `devices`: how many the service counts, once that is known. `need`: read the fleet at any size. */
export function useLateFleet(devices: number | undefined, need: boolean): FleetInUse | undefined {
  const isHere = usePreload(load, need);
  const store = isHere ? opened?.() : undefined;
  const fleet = useSyncExternalStore<Fleet | undefined>(store?.subscribe ?? noSubscription, store?.get ?? nothing);
  const isWanted = need || (devices !== undefined && devices <= READ_BY_ITSELF);
  useEffect(() => {
    if (isWanted) store?.ensure();
  }, [isWanted, store]);
  const isPolled = fleet?.index !== undefined && fleet.index.size <= ONE_REQUEST && !fleet.error && !fleet.isFollowed;
  useEffect(() => {
    if (!isPolled || !store) return;
    const timer = setInterval(() => document.visibilityState === 'visible' && store.retry(), LIVE);
    return () => clearInterval(timer);
  }, [isPolled, store]);
  return store && fleet ? { ...fleet, ensure: store.ensure, retry: store.retry } : undefined;
}

/** The fleet where it is small enough to be read for a detail of a page; not read unless `isWanted`. */
export function useSmallFleet(isWanted: boolean): FleetIndex | undefined {
  const account = useQuery({ ...accountQueries.get(), enabled: isWanted });
  return useLateFleet(isWanted ? account.data?.NumDevicesAdded : undefined, false)?.index;
}
