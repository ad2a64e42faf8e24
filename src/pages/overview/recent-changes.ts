// What went and came back in the last day: what moved together as one, devices that change state all the time apart from
// it, and the times in which the service was down.
import type { Availability } from '#/contract/history.ts';
import type { StateEvent } from '#/api/history.ts';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import type { Span } from '#/features/device-history/state-stretches.ts';
import { clusterChanges, type ChangeCluster, type ChangedState } from './change-clusters.ts';
import { ownersOf } from './down-list.ts';

/** As often away and back in a day is no accident any more. */
const FLAPS = 3;
/** A shorter one is a restart of the service. */
const LONG = 60_000;

export interface ChangedDevice extends ChangedState {
  name: string;
  to: string;
  /** Of a device that came back: how long it was away, as far as that is in the list. */
  away: number | undefined;
}

export type Happening =
  | { kind: 'changed'; at: number; to: string; cluster: ChangeCluster<ChangedDevice> }
  /** The service was down. */
  | { kind: 'gap'; at: number; from: number; to: number };

export interface Flapping {
  id: string;
  name: string;
  /** Times that it was away. */
  times: number;
}

/** The worst first. `sums`: those of the last day that changed most. */
export const flappingOf = (sums: readonly Availability[]): Flapping[] =>
  sums
    .map(({ Key, Name, Changes }) => ({ id: Key, name: Name, times: Math.floor(Changes / 2) }))
    .filter(({ times }) => times >= FLAPS);

/** The latest first. `events`: newest first; `flapping`: ids of devices that are listed elsewhere. */
export function recentChanges(
  index: FleetIndex,
  events: readonly StateEvent[],
  gaps: readonly Span[],
  flapping: ReadonlySet<string>,
): Happening[] {
  const lastAway = new Map<string, number>();
  const changed: ChangedDevice[] = [];
  for (const { id, state: to, at, cause } of events.toReversed()) {
    const row = index.rowOf(id);
    const away = to === 'Online' ? lastAway.get(id) : undefined;
    if (to === 'Online') lastAway.delete(id);
    else lastAway.set(id, at);
    // A first connection is no return.
    if (row === undefined || cause === 'FirstConnected' || flapping.has(id)) continue;
    changed.push({ id, to, at, away: away === undefined ? undefined : at - away, ...ownersOf(index, row) });
  }
  const states = Map.groupBy(changed, ({ to }) => to);
  const happenings: Happening[] = [
    ...Array.from(states).flatMap(([to, rows]) =>
      clusterChanges(rows, index.size).map((cluster) => ({ kind: 'changed' as const, to, at: cluster.to, cluster })),
    ),
    ...gaps
      .filter(({ from, to }) => to - from >= LONG)
      .map(({ from, to }) => ({ kind: 'gap' as const, at: to, from, to })),
  ];
  return happenings.sort((one, two) => two.at - one.at);
}
