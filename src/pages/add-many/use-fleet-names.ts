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
    const names = Array.from(index.rows, (row) => folded(index.textOf(row, 'DeviceName')));
    return { names: new Set(names), ids: new Set(index.ids(index.rows)) };
  }, [index]);
  return { fleet, error: index ? null : error, retry };
}
