// How many devices were Online at each of many moments, from the history of states. It reads the changes of the whole span
// once, in portions, so that other requests get their turn.
import { setImmediate as otherRequests } from 'node:timers/promises';
import type { Reader } from './database.ts';
import { inGroups, type Scope } from './scope.ts';
import { perDialect } from './dialect.ts';
import { isOnline, type Cause, type Position, type Span } from './state-history.ts';
import { lastChanges } from './state-totals.ts';

/** Moments at equal distances, in milliseconds. */
export interface Moments {
  from: number;
  step: number;
  count: number;
}

export interface StateSeries {
  online: number[];
  /** Devices that had connected. */
  devices: number[];
}

const DEVICES_AT_ONCE = 5_000;
const CHANGES_AT_ONCE = 5_000;
const LOOKED_UP_AT_ONCE = 500;

interface DeviceRow {
  seq: number;
  id: string;
  last_seen: number | null;
  state_online: number;
  state_time: number;
}

/** Counts at each moment what held during stretches of time, each given by its beginning and its end. */
class Counter {
  readonly #moments: Moments;
  readonly #changes: Int32Array;

  constructor(moments: Moments) {
    this.#moments = moments;
    this.#changes = new Int32Array(moments.count + 1);
  }

  /** From `begin` on, until before `end`. */
  add(begin: number, end: number): void {
    const { from, step, count } = this.#moments;
    const first = Math.max(0, Math.ceil((begin - from) / step));
    const after = Math.min(count, Math.ceil((end - from) / step));
    if (first >= after) return;
    this.#changes[first] = (this.#changes[first] ?? 0) + 1;
    this.#changes[after] = (this.#changes[after] ?? 0) - 1;
  }

  counts(): number[] {
    let sum = 0;
    return Array.from(this.#changes.subarray(0, this.#moments.count), (change) => (sum += change));
  }
}

export async function* devicesOf(db: Reader, scope: Scope): AsyncGenerator<DeviceRow[]> {
  const own = inGroups(db.dialect, scope, 'grp');
  for (let after = 0; ;) {
    const rows = await db.all<DeviceRow>(
      `SELECT seq, id, last_seen, state_online, state_time FROM devices
       WHERE account_id = ? AND seq > ?${own.sql} ORDER BY seq LIMIT ${DEVICES_AT_ONCE}`,
      scope.accountId,
      after,
      ...own.values,
    );
    yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < DEVICES_AT_ONCE) return;
    after = last.seq;
  }
}

/** Changes as columns: a million rows as objects would take three times as long. */
export interface ChangeColumns {
  at: number[];
  device_seq: Float64Array;
  cause: Uint8Array;
}

/** A device and a cause in one number, since each column takes as long as another. */
const CAUSES_BELOW = 8;

const CHANGES = perDialect(
  (sql) => `SELECT ${sql.jsonArray('at')} AS at, ${sql.jsonArray(`device_seq * ${CAUSES_BELOW} + cause`)} AS change
    FROM (SELECT at, device_seq, cause FROM state_changes
      WHERE (at, device_seq) > (?, ?) AND at <= ? ORDER BY at, device_seq LIMIT ${CHANGES_AT_ONCE}) AS portion`,
);

/** All changes after `from` and up to `to`, in order of time, of every account: the key of the table has no account. */
export async function* changesIn(db: Reader, { from, to }: Span): AsyncGenerator<ChangeColumns> {
  for (let last: Position = { at: from, device_seq: Number.MAX_SAFE_INTEGER }; ;) {
    const row = await db.get<{ at: string; change: string }>(CHANGES(db), last.at, last.device_seq, to);
    if (!row) return;
    const at = JSON.parse(row.at) as number[];
    const changes = JSON.parse(row.change) as number[];
    const device_seq = new Float64Array(changes.length);
    const cause = new Uint8Array(changes.length);
    for (let i = 0; i < changes.length; i++) {
      device_seq[i] = Math.floor(changes[i]! / CAUSES_BELOW);
      cause[i] = changes[i]! % CAUSES_BELOW;
    }
    yield { at, device_seq, cause };
    if (at.length < CHANGES_AT_ONCE) return;
    last = { at: at.at(-1) ?? to, device_seq: device_seq.at(-1) ?? 0 };
  }
}

/** The states at a time of those of these devices that had connected by then: whether each was Online. */
export async function statesAt(
  db: Reader,
  seqs: readonly number[],
  at: number,
  otherWork: () => Promise<unknown>,
): Promise<Map<number, boolean>> {
  const states = new Map<number, boolean>();
  for (let first = 0; first < seqs.length; first += LOOKED_UP_AT_ONCE) {
    const some = seqs.slice(first, first + LOOKED_UP_AT_ONCE);
    for (const { device_seq, cause } of await lastChanges(db, some, { at, device_seq: Number.MAX_SAFE_INTEGER }))
      states.set(device_seq, isOnline(cause));
    await otherWork();
  }
  return states;
}

/** Of the devices in the scope that exist now, each from its first connection. `otherWork` is called between two portions. */
export async function stateSeries(
  db: Reader,
  scope: Scope,
  moments: Moments,
  otherWork: () => Promise<unknown> = otherRequests,
): Promise<StateSeries> {
  const { from } = moments;
  const to = from + moments.step * (moments.count - 1);
  const existing = new Counter(moments);
  const online = new Counter(moments);
  const devices = new Map<number, DeviceRow & { isOnline: boolean; since: number | undefined }>();
  for await (const rows of devicesOf(db, scope)) {
    for (const row of rows)
      if (row.last_seen !== null) devices.set(row.seq, { ...row, isOnline: false, since: undefined });
    await otherWork();
  }

  // What a device was before its first change in the span is looked up afterwards, for many of them at once.
  const beginnings: { seq: number; end: number }[] = [];
  for await (const changes of changesIn(db, { from, to })) {
    for (let i = 0; i < changes.at.length; i++) {
      const [at, seq] = [changes.at[i]!, changes.device_seq[i]!];
      const device = devices.get(seq);
      if (!device) continue;
      if (device.since === undefined) beginnings.push({ seq, end: at });
      else if (device.isOnline) online.add(device.since, at);
      device.isOnline = isOnline(changes.cause[i] as Cause);
      device.since = at;
    }
    await otherWork();
  }
  for (const { seq, since, isOnline: wasOnline, state_online, state_time } of devices.values())
    if (since !== undefined) {
      if (wasOnline) online.add(since, Infinity);
    } else if (state_time > to) beginnings.push({ seq, end: Infinity });
    else {
      existing.add(from, Infinity);
      if (state_online === 1) online.add(from, Infinity);
    }

  const before = await statesAt(
    db,
    beginnings.map(({ seq }) => seq),
    from,
    otherWork,
  );
  for (const { seq, end } of beginnings) {
    const wasOnline = before.get(seq);
    existing.add(wasOnline === undefined ? end : from, Infinity);
    if (wasOnline) online.add(from, end);
  }
  return { online: online.counts(), devices: existing.counts() };
}
