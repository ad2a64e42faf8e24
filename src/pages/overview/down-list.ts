// The devices that are down now, the longest first, clustered.
import { printRange } from '#/fleet/seen-range.ts';
import type { RowFilter } from '#/fleet/filter.ts';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import { paths } from '#/paths.ts';
import { clusterChanges, type ChangeCluster, type ChangedState } from './change-clusters.ts';

export interface DownDevice extends ChangedState {
  name: string;
}

/** The name of a device and what it belongs to. */
export const ownersOf = (index: FleetIndex, row: number) => ({
  name: index.textOf(row, 'DeviceName') || index.idOf(row),
  site: index.textOf(row, 'CustomerSite'),
  customer: index.textOf(row, 'CustomerName'),
  group: index.textOf(row, 'DeviceGroup'),
});

/** Devices that are Offline and have been seen. Those without a known time have `at: NaN` and come last. */
export function downNow(index: FleetIndex): ChangeCluster<DownDevice>[] {
  const timed: DownDevice[] = [];
  const untimed: ChangeCluster<DownDevice>[] = [];
  for (const row of index.query({ filter: { status: ['offline'] } })) {
    const id = index.idOf(row);
    const at = index.timeOf(row, 'LastSeenTime');
    if (Number.isFinite(at)) timed.push({ id, at, ...ownersOf(index, row) });
    else {
      const rows = [{ id, at: Number.NaN, ...ownersOf(index, row) }];
      untimed.push({ rows, from: Number.NaN, to: Number.NaN, owner: undefined });
    }
  }
  return [...clusterChanges(timed, index.size), ...untimed];
}

/** The list of a cluster's devices and its length; undefined if no filter matches exactly these. */
export function listOf(index: FleetIndex, { rows, from, to, owner }: ChangeCluster<DownDevice>) {
  if (!rows.every(({ at }) => Number.isFinite(at))) return undefined;
  const seen = printRange(from, to);
  const filter: RowFilter = { status: ['offline'], seen, ...(owner && { [owner.kind]: [owner.name] }) };
  const where = owner && { [owner.kind]: owner.name };
  return {
    count: index.query({ filter }).length,
    to: paths.devices({ state: 'offline', ...where, seen, sort: 'lastSeen' }),
  };
}
