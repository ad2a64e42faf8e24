// What is down now, the longest first, and what fell together as one.
import { printRange } from '#/fleet/seen-range.ts';
import type { RowFilter } from '#/fleet/filter.ts';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import { paths } from '#/paths.ts';
import { clusterChanges, type ChangeCluster, type ChangedState } from './change-clusters.ts';

export interface DownDevice extends ChangedState {
  name: string;
}

/** The name of a device and where it belongs. */
export const ownersOf = (index: FleetIndex, row: number) => ({
  name: index.textOf(row, 'DeviceName') || index.idOf(row),
  site: index.textOf(row, 'CustomerSite'),
  customer: index.textOf(row, 'CustomerName'),
  group: index.textOf(row, 'DeviceGroup'),
});

/** Devices that were there once and are Offline. Without a known time `at` is not finite, and they are last. */
export function downNow(index: FleetIndex): ChangeCluster<DownDevice>[] {
  const timed: DownDevice[] = [];
  const untimed: ChangeCluster<DownDevice>[] = [];
  for (const row of index.query({ filter: { status: ['offline'] } })) {
    const id = index.idOf(row);
    const at = index.timeOf(row, 'LastSeenTime');
    if (Number.isFinite(at)) timed.push({ id, at, ...ownersOf(index, row) });
    // The service reports that it was never there: that is another list.
    else if (!index.hasField(row, 'LastSeenTime')) {
      const rows = [{ id, at: Number.NaN, ...ownersOf(index, row) }];
      untimed.push({ rows, from: Number.NaN, to: Number.NaN, owner: undefined });
    }
  }
  return [...clusterChanges(timed, index.size), ...untimed];
}

/** The list behind a cluster, and how many it shows; undefined where no filter finds just these. */
export function listOf(index: FleetIndex, { rows, from, to, owner }: ChangeCluster<DownDevice>) {
  if (!rows.every(({ at }) => Number.isFinite(at))) return undefined;
  const seen = printRange(from, to);
  const filter: RowFilter = { status: ['offline'], seen, ...(owner && { [owner.kind]: [owner.name] }) };
  const where = owner && { [owner.kind]: owner.name };
  return {
    count: index.query({ filter }).length,
    to: paths.devices({ status: 'Offline', ...where, seen, sort: 'lastSeen' }),
  };
}
