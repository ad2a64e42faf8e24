// What went and came back in the last day, as this browser saw it: what moved together as one, devices that change
// state all the time apart from it, and the times in which nobody looked in between.
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import type { StateHistory } from '#/features/device-history/state-history.ts';
import { clusterChanges, type ChangeCluster, type ChangedState } from './change-clusters.ts';
import { ownersOf } from './down-list.ts';

const DAY = 86_400_000;
/** As often Offline in a day is no accident any more. */
const FLAPS = 3;

export interface ChangedDevice extends ChangedState {
  name: string;
  to: string;
  /** The earliest that it can have been. */
  since: number;
  /** Of a device that came back: how long it was away, as far as that was seen. */
  away: number | undefined;
}

export type Happening =
  | { kind: 'changed'; at: number; to: string; cluster: ChangeCluster<ChangedDevice> }
  /** Nobody looked. */
  | { kind: 'gap'; at: number; from: number; to: number };

export interface Flapping {
  id: string;
  name: string;
  /** Times that it went Offline. */
  times: number;
  at: number;
}

export interface Recent {
  /** The latest first. */
  happenings: Happening[];
  /** The worst first. */
  flapping: Flapping[];
  /** Since when this browser knows anything of the last day. */
  since: number | undefined;
}

/** A shorter one is the way from one page to another, and no night. */
const LONG = 600_000;

/** When nobody looked, between the first and the last look of the time asked for. */
function gapsOf({ watched }: StateHistory, begin: number): [from: number, to: number][] {
  return watched.flatMap(([from], nth): [number, number][] => {
    const before = watched[nth - 1];
    return before && from > begin && from - before[1] >= LONG ? [[Math.max(before[1], begin), from]] : [];
  });
}

export function recentChanges(index: FleetIndex, history: StateHistory, now: number): Recent {
  const begin = now - DAY;
  const offline = new Map<string, number>();
  const lastAway = new Map<string, number>();
  const changed: ChangedDevice[] = [];
  for (const { id, to, at, since, first } of history.changes) {
    const row = index.rowOf(id);
    const away = to === 'Online' ? lastAway.get(id) : undefined;
    if (to === 'Online') lastAway.delete(id);
    else lastAway.set(id, at);
    if (at < begin || row === undefined || first) continue;
    if (to === 'Offline') offline.set(id, (offline.get(id) ?? 0) + 1);
    changed.push({ id, to, at, since, away: away === undefined ? undefined : at - away, ...ownersOf(index, row) });
  }
  const flaps = (id: string) => (offline.get(id) ?? 0) >= FLAPS;
  const states = Map.groupBy(
    changed.filter(({ id }) => !flaps(id)),
    ({ to }) => to,
  );
  const flapping = new Map<string, Flapping>();
  for (const { id, name, at } of changed)
    if (flaps(id)) flapping.set(id, { id, name, at, times: offline.get(id) ?? 0 });
  const happenings: Happening[] = [
    ...Array.from(states).flatMap(([to, rows]) =>
      clusterChanges(rows, index.size).map((cluster) => ({ kind: 'changed' as const, to, at: cluster.to, cluster })),
    ),
    ...gapsOf(history, begin).map(([from, to]) => ({ kind: 'gap' as const, at: to, from, to })),
  ];
  const first = history.watched.find(([, to]) => to > begin)?.[0];
  return {
    happenings: happenings.sort((one, two) => two.at - one.at),
    flapping: [...flapping.values()].sort((one, two) => two.times - one.times || two.at - one.at),
    since: first === undefined ? undefined : Math.max(first, begin),
  };
}
