import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atOnce } from '#/lib/pace.ts';
import { carryOrders } from './carry-orders.ts';
import { knownOrder, orderSteps } from './sort.ts';
import { Draft, emptyTable } from './table.ts';

test('a value that is new to a column is not taken for the highest one before', () => {
  const device = (id: string, DeviceGroup: string) => ({
    DeviceId: id,
    DeviceName: id,
    DeviceGroup,
    LocalAddr: '',
    LocalPort: '',
    DeviceStatus: 'Online',
  });
  const first = new Draft(emptyTable());
  const order = Uint32Array.from([first.put(device('id-1', 'a')), first.put(device('id-2', 'b'))]);
  const table = first.finish(order);
  atOnce(orderSteps(table, 'DeviceGroup'));
  const draft = new Draft(table);
  draft.put(device('id-1', 'new'));
  const next = draft.finish(order);
  atOnce(carryOrders(table, next, draft.changed));
  const { rows, ranks } = knownOrder(next, 'DeviceGroup')!;
  assert.deepEqual([...rows], [1, 0]);
  assert.notEqual(ranks[0], ranks[1]);
});
