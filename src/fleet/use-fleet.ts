// The fleet index for pages.
import { useEffect, useSyncExternalStore } from 'react';
import { focusManager, type MutationMeta } from '@tanstack/react-query';
import { deviceEndpoints, type DeviceChange, type Position } from '#/contract/devices.ts';
import { READ_BY_ITSELF } from '#/api/devices.ts';
import type { FleetIndex } from './fleet-index.ts';
import { FleetStore, type Fleet } from './fleet-store.ts';
import { serviceSource } from './source.ts';
import type { DeviceWrite } from './table-changes.ts';
import { shownDevices } from '#/api/device-feed.ts';
import { isLive, live } from '#/api/live.ts';
import { changedBy, objectOf } from '#/api/query.ts';
import { queryClient } from '#/api/query-client.ts';
import { onSession, sessionEnded } from '#/api/session.ts';

let store: FleetStore | undefined;

const DEVICES = deviceEndpoints.page.resource;

/** A fleet of one request is read so often, in milliseconds. */
const SMALL_PACE = 10_000;
const ROWS = 1_000;
const pace = ({ index, error }: Fleet, usual: number): number =>
  (index?.size ?? 0) > ROWS || error ? usual : SMALL_PACE;

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
    const write = meta && writeOf(meta, state.variables);
    if (event.action.type === 'success' && write) made.write(write);
    // After a failure too: a lost answer may hide a write that was carried out.
    const changes = meta?.changes ?? (meta?.operation ? changedBy(meta.operation) : []);
    if (changes.includes(DEVICES.name)) made.changed();
  });
  shownDevices.add(() => made.isWatched());
  store = made;
  return made;
}

/** The effect of a write on one device, to be shown before the fleet is read again. */
function writeOf({ operation, request }: MutationMeta, variables: unknown): DeviceWrite | undefined {
  const id = operation && objectOf(operation, request);
  if (id === undefined || operation?.resource !== DEVICES) return undefined;
  if (operation.name === 'update') return { id, is: 'changed', fields: variables as DeviceChange };
  if (operation.name === 'locate') return { id, is: 'located', position: variables as Position };
  return operation.name === 'remove' ? { id, is: 'deleted' } : undefined;
}

export interface FleetInUse extends Fleet {
  /** Reads the fleet unless it is loaded or loading. */
  ensure: () => void;
  /** Reads it again now. */
  retry: () => void;
}

/**
 * The fleet in memory, kept up to date while a component uses it. `devices`: how many there are, once the page has
 * rendered the first response; a small fleet is then read automatically. `need`: read it at any size.
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

/** The fleet as a query result, for `View`. `places`: there is no data until the locations have been read, too. */
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
