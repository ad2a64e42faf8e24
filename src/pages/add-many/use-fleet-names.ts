// The names and ids of the whole fleet, to warn of names that exist and to know a new device from an old one.
import { useMemo } from 'react';
import { useFleet } from '#/fleet/use-fleet.ts';
import { folded } from './row-check.ts';

export interface FleetNames {
  names: ReadonlySet<string>;
  ids: ReadonlySet<string>;
}

export function useFleetNames(): { fleet: FleetNames | undefined; error: Error | null; retry: () => void } {
  const { index, error, retry } = useFleet({ need: true });
  const fleet = useMemo(() => {
    if (!index) return undefined;
    const { columns, order, ids } = index.table;
    const names = columns.get('DeviceName');
    const known: string[] = [];
    const all: string[] = [];
    for (const row of order) {
      const name = names?.value(row);
      known.push(typeof name === 'string' ? folded(name) : '');
      all.push(ids[row] ?? '');
    }
    return { names: new Set(known), ids: new Set(all) };
  }, [index]);
  return { fleet, error: index ? null : error, retry };
}
