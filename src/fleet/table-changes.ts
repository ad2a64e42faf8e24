// The next version of a table after writes and after reported changes. Only the affected rows and columns are new; the
// rest are the same objects.
import type { DeviceChanges } from '#/api/device-feed.ts';
import type { Device, DeviceChange, Position } from '#/contract/devices.ts';
import type { Tag } from '#/contract/tags.ts';
import { CodeColumn, TimeColumn } from './columns.ts';
import { withPlaces } from './places.ts';
import { Draft, type Table } from './table.ts';
import { updateSortOrders } from './update-sort-orders.ts';

/** What a write did to one device, or what a page of the service says about it. */
export type DeviceWrite =
  | { id: string; is: 'read'; device: Device }
  | { id: string; is: 'changed'; fields: DeviceChange & { Tags?: Tag[] } }
  | { id: string; is: 'located'; position: Position }
  | { id: string; is: 'tagged'; tag: Tag; on: boolean }
  | { id: string; is: 'deleted' };

/** Shows writes before the fleet is read again. */
export function applyWrites(table: Table, writes: readonly DeviceWrite[]): Table {
  const draft = new Draft(table);
  const positions: [row: number, at: Position][] = [];
  const gone = new Set<number>();
  for (const write of writes) {
    const row = table.rowOf.get(write.id);
    if (row === undefined || table.alive[row] !== 1) continue;
    if (write.is === 'read') draft.put(write.device);
    else if (write.is === 'changed') draft.change(row, write.fields);
    else if (write.is === 'tagged') draft.tag(row, write.tag, write.on);
    else if (write.is === 'located') positions.push([row, write.position]);
    else gone.add(row);
  }
  const next = draft.finish(gone.size > 0 ? table.order.filter((row) => !gone.has(row)) : table.order);
  return positions.length > 0 ? withPlaces(next, positions) : next;
}

/** Rows written in one step. */
const STEP = 100;

export function* changeSteps(table: Table, { changed, removed }: DeviceChanges): Generator<void, Table> {
  const draft = new Draft(table);
  const positions: [row: number, at: Position][] = [];
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
  yield* updateSortOrders(table, next, draft.changed);
  return next;
}

/** Online devices are being seen all the time, which is not reported as a change. */
export function markOnlineSeen(table: Table, at: number): Table {
  const states = table.columns.get('DeviceStatus');
  const times = table.columns.get('LastSeenTime');
  if (!(states instanceof CodeColumn) || !(times instanceof TimeColumn)) return table;
  const online = states.dictionary.texts.indexOf('Online');
  // A time that the service does not report is not finite.
  const isOlder = (time: number) => Number.isFinite(time) && time < at;
  const seen = table.order.filter((row) => states.code(row) === online && isOlder(times.time(row)));
  if (seen.length === 0) return table;
  const cached = new Map(table.cached);
  for (const row of seen) cached.delete(row);
  return { ...table, cached, columns: new Map(table.columns).set('LastSeenTime', times.withTime(seen, at)) };
}
