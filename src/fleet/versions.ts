// Which version of some artifacts runs where, as fields of devices: beside those that the service lists, they can be
// shown, sorted by and exported.
import { QueryObserver } from '@tanstack/react-query';
import type { Device } from '#/contract/devices.ts';
import { deviceVersionQueries, type VersionsById } from '#/api/device-versions.ts';
import { queryClient } from '#/api/query-client.ts';
import { CodeColumn } from './columns.ts';
import { Words } from './dictionary.ts';
import { tableOf, type FleetIndex } from './fleet-index.ts';
import { openQueries, type OpenQueries } from './open-queries.ts';
import type { Table } from './table.ts';

/** The same result while it is asked with the same argument. */
function remembered<Input extends object, Output>(make: (input: Input) => Output): (input: Input) => Output {
  let last: { input: Input; output: Output } | undefined;
  return (input) => {
    if (last?.input !== input) last = { input, output: make(input) };
    return last.output;
  };
}

const columns = new WeakMap<VersionsById, { size: number; column: CodeColumn }>();

/** The same column while no version changes and no device is new, so that its sorted order stays. */
function columnOf({ size, rowOf }: Table, versions: VersionsById): CodeColumn {
  const known = columns.get(versions);
  if (known?.size === size) return known.column;
  const column = new CodeColumn(new Words());
  for (const [id, version] of versions) {
    const row = rowOf.get(id);
    if (row !== undefined) column.put(row, version);
  }
  columns.set(versions, { size, column });
  return column;
}

export interface VersionFields {
  /** The fleet with these fields. */
  index: (index: FleetIndex) => FleetIndex;
  /** Devices with these fields. */
  rows: (devices: readonly Device[]) => readonly Device[];
}

/** `before`: what the fields have before the name of the artifact. Those that are not read yet are left out. */
export const openVersions = (fields: readonly string[], before: string): OpenQueries<VersionFields> =>
  openQueries(
    fields.map((field) => new QueryObserver(queryClient, deviceVersionQueries.ofArtifact(field.slice(before.length)))),
    (data) => {
      const known = fields.flatMap((field, at) => (data[at] ? [[field, data[at] as VersionsById] as const] : []));
      return {
        index: remembered((index: FleetIndex) => {
          const table = tableOf(index);
          const more = known.map(([field, versions]) => [field, columnOf(table, versions)] as const);
          return index.with({ ...table, columns: new Map([...table.columns, ...more]), cached: new Map() });
        }),
        rows: remembered((devices: readonly Device[]) =>
          devices.map((device) => ({
            ...device,
            ...Object.fromEntries(known.map(([field, versions]) => [field, versions.get(device.DeviceId)])),
          })),
        ),
      };
    },
  );
