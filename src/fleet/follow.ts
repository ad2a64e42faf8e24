// A table after reported changes: the rows that they name are written, everything else stays the same object.
import type { DeviceChanges } from '#/api/device-feed.ts';
import { carryOrders } from './carry-orders.ts';
import { CodeColumn, TimeColumn } from './columns.ts';
import { withPlaces } from './places.ts';
import { Draft, type Table } from './table.ts';

/** Rows written in one step. */
const STEP = 100;

type Changes = Pick<DeviceChanges, 'changed' | 'removed'>;

/** A device whose state is another one. */
export interface ReportedState {
  id: string;
  state: string;
  /** Its last contact, in milliseconds: NaN for never, undefined if the service does not report it. */
  seen: number | undefined;
  /** Before; undefined for a new device. */
  was: string | undefined;
}

export function* followSteps(
  table: Table,
  { changed, removed }: Changes,
): Generator<void, { table: Table; states: ReportedState[] }> {
  const draft = new Draft(table);
  const positions: [row: number, at: { Lat: number; Lng: number }][] = [];
  const touched: { row: number; was: string | undefined }[] = [];
  const fresh: number[] = [];
  const stateOf = (of: Table, row: number) => String(of.columns.get('DeviceStatus')?.value(row));
  for (const [nth, { device, position }] of changed.entries()) {
    const known = table.rowOf.get(device.DeviceId);
    const isThere = known !== undefined && table.alive[known] === 1;
    const row = draft.put(device);
    touched.push({ row, was: isThere ? stateOf(table, row) : undefined });
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
  if (next === table) return { table, states: [] };
  yield* carryOrders(table, next, draft.changed);
  const times = next.columns.get('LastSeenTime');
  const states = touched.flatMap(({ row, was }) => {
    const state = stateOf(next, row);
    if (state === was) return [];
    const seen = times?.value(row);
    return { id: next.ids[row]!, state, was, seen: typeof seen === 'string' ? Date.parse(seen) : undefined };
  });
  return { table: next, states };
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
