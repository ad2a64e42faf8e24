// The fleet index for pages: what is known of the fleet, and how to have more of it.
import { useEffect, useSyncExternalStore } from 'react';
import { focusManager, partialMatchKey } from '@tanstack/react-query';
import type { DeviceChange, Position } from '#/contract/devices.ts';
import { READ_BY_ITSELF } from '#/api/devices.ts';
import type { FleetIndex } from './fleet-index.ts';
import type { Fleet } from './fleet.ts';
import { FleetStore } from './fleet-store.ts';
import { serviceSource } from './source.ts';
import type { DeviceWrite } from './writes.ts';
import { shownDevices } from '#/api/device-feed.ts';
import { isLive, live } from '#/api/live.ts';
import { queryClient } from '#/api/query-client.ts';
import { onSession, sessionEnded } from '#/api/session.ts';

let store: FleetStore | undefined;

const KEY = ['devices', 'fleet'];

/** A fleet of one request is read so often, in milliseconds. */
const SMALL_PACE = 10_000;
const ROWS = 1_000;

const pace = ({ index, error }: Fleet, usual: number): number =>
  (index && index.size > ROWS) || error ? usual : SMALL_PACE;

/** The one store, made when the first page looks: it listens to the session and to every write from then on. */
export function fleetStore(): FleetStore {
  if (store) return store;
  const made = new FleetStore(serviceSource, {
    isVisible: () => focusManager.isFocused(),
    onVisibility: (listener) => void focusManager.subscribe(listener),
    signedOut: sessionEnded,
    isLive,
    onLive: live.subscribe,
    pace,
  });
  onSession((event) => {
    if (event === 'in') made.begin();
    else made.end({ forget: event === 'out' });
  });
  queryClient.getMutationCache().subscribe((event) => {
    if (event.type !== 'updated' || (event.action.type !== 'success' && event.action.type !== 'error')) return;
    const { meta, state } = event.mutation;
    if (event.action.type === 'success' && meta?.device) made.write(writeOf(meta.device, state.variables));
    // After a failure too: a lost answer may hide a write that was carried out.
    if (meta?.invalidates?.some((key) => partialMatchKey(KEY, key))) made.changed();
  });
  shownDevices.add(() => made.isWatched());
  store = made;
  return made;
}

/** `variables`: what the mutation was called with, a body of the contract. */
function writeOf(
  { id, is }: { id: string; is: Exclude<DeviceWrite['is'], 'tagged'> },
  variables: unknown,
): DeviceWrite {
  if (is === 'changed') return { id, is, fields: variables as DeviceChange };
  return is === 'located' ? { id, is, position: variables as Position } : { id, is };
}

/** A fleet, and what to do about it. */
export interface FleetInUse extends Fleet {
  /** Reads the fleet unless it is there or under way: for the first caller that needs all of it. */
  ensure: () => void;
  /** Reads it again now. */
  retry: () => void;
}

/**
 * The fleet as far as it is known, kept fresh while a component looks at it. `devices`: how many there are, once the
 * page has drawn the first answer of the service; a small fleet is then read by itself. `need`: read it at any size.
 */
export function useFleet({ devices, need = false }: { devices?: number | undefined; need?: boolean } = {}): FleetInUse {
  const { subscribe, get, ensure, retry } = fleetStore();
  const fleet = useSyncExternalStore(subscribe, get);
  const isWanted = need || (devices !== undefined && devices <= READ_BY_ITSELF);
  useEffect(() => {
    if (isWanted) ensure();
  }, [isWanted, ensure]);
  return { ...fleet, ensure, retry };
}

/** A fleet as a view takes it. `places`: it is only there together with the locations. */
export function fleetReading(
  { index, at, error, placesError, isReading, retry }: FleetInUse,
  { places = false }: { places?: boolean } = {},
): {
  data: FleetIndex | undefined;
  error: Error | null;
  isFetching: boolean;
  refetch: () => void;
  dataUpdatedAt: number | undefined;
} {
  return {
    data: places && !index?.places ? undefined : index,
    error: error ?? (places ? placesError : null),
    isFetching: isReading,
    refetch: retry,
    dataUpdatedAt: at,
  };
}
