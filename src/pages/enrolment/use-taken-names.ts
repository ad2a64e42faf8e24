// The names of the fleet, to warn of doubles.
import { useMemo } from 'react';
import { useFleet } from '#/fleet/use-fleet.ts';

/** Undefined until the fleet is in memory. `need`: also reads a large one. */
export function useTakenNames(fleet: {
  devices?: number | undefined;
  need?: boolean;
}): ReadonlySet<string> | undefined {
  const { index } = useFleet(fleet);
  return useMemo(() => index && new Set(Array.from(index.rows, (row) => index.textOf(row, 'DeviceName'))), [index]);
}
