// An index of given devices, built at once: for tests, benchmarks and small lists.
import type { Device, DeviceLocation } from '#/contract/devices.ts';
import { FleetIndex } from './fleet-index.ts';
import { atOnce } from '#/lib/pace.ts';
import { placeSteps } from './places.ts';
import { Draft, emptyTable } from './table.ts';

export function indexOf(devices: Device[], locations?: DeviceLocation[]): FleetIndex {
  const draft = new Draft(emptyTable());
  const table = draft.finish(Uint32Array.from(new Set(devices.map((device) => draft.put(device)))));
  return new FleetIndex(locations ? atOnce(placeSteps(table, locations)) : table);
}
