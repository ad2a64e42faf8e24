// A table after reported changes: the rows that they name are written, everything else stays the same object.
import type { DeviceChanges } from '#/api/device-feed.ts';
import { carryOrders } from './carry-orders.ts';
import { CodeColumn, TimeColumn } from './columns.ts';
import { withPlaces } from './places.ts';
import { Draft, type Table } from './table.ts';

/** Rows written in one step. */
const STEP = 100;

type Changes = Pick<DeviceChanges, 'changed' | 'removed'>;

export function* followSteps(table: Table, { changed, removed }: Changes): Generator<void, Table> {
  const draft = new Draft(table);
  const positions: [row: number, at: { Lat: number; Lng: number }][] = [];
  const fresh: number[] = [];
  for (const [nth, { device, position }] of changed.entries()) {
    const known = table.rowOf.get(device.DeviceId);
    const isThere = known !== undefined && table.alive[known] === 1;
    const row = draft.put(device);
    if (!isThere) fresh.push(row);
    if (position) positions.push([row, position]);
    if (nth % STEP === STEP - 1) yield;
  }
  const gone = new Set(removed.map((id) => table.rowOf.get(id)));
  const stay = gone.size > 0 ? table.order.filter((row) => !gone.has(row)) : table.order;
  const order = fresh.length > 0 ? new Uint32Array(stay.length + fresh.length) : stay;
  if (order !== stay) {
    order.set(stay);
    order.set(fresh, stay.length);
  }
  yield;
  const next = withPlaces(draft.finish(order), positions);
  if (next === table) return table;
  yield* carryOrders(table, next, draft.changed);
  return next;
}

/** The table when every connected device has just been seen, which is not reported as a change. */
export function seenNow(table: Table, at: number): Table {
  const states = table.columns.get('DeviceStatus');
  const times = table.columns.get('LastSeenTime');
  if (!(states instanceof CodeColumn) || !(times instanceof TimeColumn)) return table;
  const online = states.dictionary.texts.indexOf('Online');
  // One that is not reported is not finite.
  const isOlder = (time: number) => Number.isFinite(time) && time < at;
  const seen = table.order.filter((row) => states.code(row) === online && isOlder(times.time(row)));
  if (seen.length === 0) return table;
  const cached = new Map(table.cached);
  for (const row of seen) cached.delete(row);
  return { ...table, cached, columns: new Map(table.columns).set('LastSeenTime', times.withTime(seen, at)) };
}
