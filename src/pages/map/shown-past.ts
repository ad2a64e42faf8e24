// What the map shows in place of the present while it replays the past.
import type { Device } from '#/contract/devices.ts';
import { createStore, type Listeners, type Store } from '#/lib/store.ts';
import { useStore } from '#/ui/state/use-store.ts';
import type { ClusterIndex } from './cluster-index.ts';
import type { Moment } from './replay-player.ts';

export interface ShownPast {
  /** Its kinds change with the moment. */
  clusters: ClusterIndex;
  /** Calls back after they have changed. */
  subscribe: Listeners['subscribe'];
  /** Changes so rarely that text can follow it. */
  glance: Store<Moment>;
  /** The state of a row's device at the moment, in words. */
  stateOf: (row: number) => string;
  hasGaps: boolean;
}

const noMoment = createStore<Moment>({ at: 0, isPlaying: false });

/** Returns devices as they were at the moment that the map shows. */
export function useDeviceThen(past: ShownPast | undefined): (device: Device, row: number) => Device {
  useStore(past?.glance ?? noMoment);
  return (device, row) => (past ? { ...device, DeviceStatus: past.stateOf(row), LastSeenTime: '' } : device);
}
