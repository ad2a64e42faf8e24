// The disconnects and reconnects of the last day, clustered, without the flapping devices, and with the times when the
// service was down.
import type { Availability } from '#/contract/history.ts';
import type { StateEvent } from '#/api/history.ts';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import type { Span } from '#/features/device-history/state-stretches.ts';
import { clusterChanges, type ChangeCluster, type ChangedState } from './change-clusters.ts';
import { ownersOf } from './down-list.ts';

/** A device that goes Offline this often in a day is flapping. */
const FLAPS = 3;
/** Milliseconds; a shorter gap is a restart of the service. */
const SHORTEST_GAP = 60_000;

export interface ChangedDevice extends ChangedState {
  name: string;
  to: string;
  /** How long a device that came back was away, if the events show it. */
  away: number | undefined;
}

export type RecentEntry =
  | { kind: 'changed'; at: number; to: string; cluster: ChangeCluster<ChangedDevice> }
  /** The service was down. */
  | { kind: 'gap'; at: number; from: number; to: number };

export interface Flapping {
  id: string;
  name: string;
  /** How often it went Offline. */
  times: number;
}

/** The worst first. `sums`: the devices that changed state most often in the last day. */
export const flappingOf = (sums: readonly Availability[]): Flapping[] =>
  sums
    .map(({ Key, Name, Changes }) => ({ id: Key, name: Name, times: Math.floor(Changes / 2) }))
    .filter(({ times }) => times >= FLAPS);

/** The latest first. `events`: newest first; `flapping`: ids of devices that have their own list. */
export function recentChanges(
  index: FleetIndex,
  events: readonly StateEvent[],
  gaps: readonly Span[],
  flapping: ReadonlySet<string>,
): RecentEntry[] {
  const lastAway = new Map<string, number>();
  const changed: ChangedDevice[] = [];
  for (const { id, state: to, at, cause } of events.toReversed()) {
    const row = index.rowOf(id);
    const away = to === 'Online' ? lastAway.get(id) : undefined;
    if (to === 'Online') lastAway.delete(id);
    else lastAway.set(id, at);
    // A first connection is not a reconnect.
    if (row === undefined || cause === 'FirstConnected' || flapping.has(id)) continue;
    changed.push({ id, to, at, away: away === undefined ? undefined : at - away, ...ownersOf(index, row) });
  }
  const states = Map.groupBy(changed, ({ to }) => to);
  const entries: RecentEntry[] = [
    ...Array.from(states).flatMap(([to, rows]) =>
      clusterChanges(rows, index.size).map((cluster) => ({ kind: 'changed' as const, to, at: cluster.to, cluster })),
    ),
    ...gaps
      .filter(({ from, to }) => to - from >= SHORTEST_GAP)
      .map(({ from, to }) => ({ kind: 'gap' as const, at: to, from, to })),
  ];
  return entries.sort((one, two) => two.at - one.at);
}
