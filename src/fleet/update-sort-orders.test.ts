import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { atOnce } from '#/lib/pace.ts';
import { holds } from '../../scripts/test-property.ts';
import { updateSortOrders } from './update-sort-orders.ts';
import { storedSortOrder, sortSteps } from './sort.ts';
import { Draft, emptyTable, type Table } from './table.ts';

const COLUMNS = ['DeviceName', 'DeviceGroup', 'LastSeenTime', 'DeviceId'];

const fields = fc.record({
  DeviceName: fc.constantFrom('', 'cam-1', 'cam-2', 'cam-10', 'Cam-2', 'pump'),
  DeviceGroup: fc.constantFrom('', 'a', 'b', 'new'),
  LastSeenTime: fc.constantFrom('', '2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z', 'odd'),
});
type Fields = { DeviceName: string; DeviceGroup: string; LastSeenTime: string };

function put(base: Table, rows: readonly (Fields & { DeviceId: string })[]): { table: Table; changed: Set<number> } {
  const draft = new Draft(base);
  const order = new Set(base.order);
  for (const row of rows) order.add(draft.put({ LocalAddr: '', LocalPort: '', DeviceStatus: 'Online', ...row }));
  return { table: draft.finish(Uint32Array.from(order)), changed: draft.changed };
}

test('rows that changed or are new are where a sort of all would put them', () =>
  holds(
    200,
    fc.property(
      fc.array(fields, { maxLength: 12 }),
      fc.array(fc.tuple(fc.nat(14), fields), { maxLength: 6 }),
      (rows, changes) => {
        const { table } = put(
          emptyTable(),
          rows.map((row, n) => ({ ...row, DeviceId: `id-${n}` })),
        );
        for (const by of COLUMNS) atOnce(sortSteps(table, by));
        const next = put(
          table,
          changes.map(([n, row]) => ({ ...row, DeviceId: `id-${n}` })),
        );
        atOnce(updateSortOrders(table, next.table, next.changed));
        for (const by of COLUMNS) {
          const carried = storedSortOrder(next.table, by);
          assert.ok(carried, by);
          const text = (name: string, row: number) =>
            (next.table.columns.get(name)?.value(row) as string | undefined) ?? '';
          // The same rows in a table of their own, sorted from nothing.
          const devices = Array.from(next.table.order, (row) => ({
            DeviceId: next.table.ids[row]!,
            DeviceName: text('DeviceName', row),
            DeviceGroup: text('DeviceGroup', row),
            LastSeenTime: text('LastSeenTime', row),
          }));
          const fresh = atOnce(sortSteps(put(emptyTable(), devices).table, by))!;
          assert.deepEqual([...carried.rows], [...fresh.rows], by);
          assert.equal(carried.known, fresh.known, by);
          const steps = ({ ranks, known }: typeof fresh) =>
            Array.from({ length: Math.max(0, known - 1) }, (_, place) => ranks[place] === ranks[place + 1]);
          assert.deepEqual(steps(carried), steps(fresh), by);
        }
      },
    ),
  ));

test('a value that is new to a column is not taken for the highest one before', () => {
  const row = (DeviceId: string, DeviceGroup: string) => ({
    DeviceId,
    DeviceName: DeviceId,
    DeviceGroup,
    LastSeenTime: '',
  });
  const { table } = put(emptyTable(), [row('id-1', 'a'), row('id-2', 'b')]);
  atOnce(sortSteps(table, 'DeviceGroup'));
  const next = put(table, [row('id-1', 'new')]);
  atOnce(updateSortOrders(table, next.table, next.changed));
  const { rows, ranks } = storedSortOrder(next.table, 'DeviceGroup')!;
  assert.deepEqual([...rows], [1, 0]);
  assert.notEqual(ranks[0], ranks[1]);
});
