// Running totals: each state change stores how long its device was Online before it, and its number among the device's
// changes. The sums of any span are the differences between two changes, however many lie between them.
//
// Totals are added in the background, in order of time; the table `state_totals` says how far. Triggers set it back
// when a change is recorded late. Changes without totals are summed up one by one.
import { setImmediate as otherRequests } from 'node:timers/promises';
import type { Database, Reader, Tx } from './database.ts';
import { perDialect } from './dialect.ts';
import { gapsIn, isOnline, type Cause, type Position, type Span, type StateChange } from './state-history.ts';
import { sumStates, unknownIn, type DeviceStates, type StateSums } from './state-sums.ts';

/** The most changes per transaction. */
const AT_ONCE = 500;

const position = (db: Reader) => db.get<Position>('SELECT at, device_seq FROM state_totals');

interface Totals {
  online_before: number;
  number: number;
}
type Totaled = Position & StateChange & Totals;

const LAST_CHANGES = perDialect(
  (sql) => `SELECT state_changes.* FROM ${sql.list('asked')} JOIN state_changes
      ON device_seq = CAST(asked.value AS BIGINT) AND at = (
        SELECT CASE WHEN device_seq = CAST(asked.value AS BIGINT) THEN at END FROM state_changes
        WHERE (device_seq, at) <= (CAST(asked.value AS BIGINT), CAST(?2 AS BIGINT) - CASE WHEN CAST(asked.value AS BIGINT) > ?3 THEN 1 ELSE 0 END)
        ORDER BY device_seq DESC, at DESC LIMIT 1)`,
);

/** The last change of each of these devices at or before a position in the order of all changes. */
export const lastChanges = (db: Reader, devices: readonly number[], { at, device_seq }: Position): Promise<Totaled[]> =>
  db.all<Totaled>(LAST_CHANGES(db), JSON.stringify(devices), at, device_seq);

const STORE = perDialect((sql) => {
  const number = (name: string) => `CAST(${sql.field('w.value', name)} AS BIGINT)`;
  return `UPDATE state_changes SET online_before = ${number('online_before')}, number = ${number('number')}
    FROM ${sql.list('w')} WHERE state_changes.at = ${number('at')} AND state_changes.device_seq = ${number('device_seq')}`;
});

/** Adds totals to the next changes before `before`; false if there are no more. */
export const addTotals = (db: Database, before: number, atOnce = AT_ONCE): Promise<boolean> =>
  db.write(
    async (tx) => {
      const from = (await position(tx)) ?? { at: 0, device_seq: 0 };
      const rows = await tx.all<Position & StateChange>(
        `SELECT at, device_seq, cause FROM state_changes
         WHERE (at, device_seq) > (?, ?) AND at < ? ORDER BY at, device_seq LIMIT ?`,
        from.at,
        from.device_seq,
        before,
        atOnce,
      );
      const last = rows.at(-1);
      if (!last) return false;
      const known = await lastChanges(tx, [...new Set(rows.map(({ device_seq }) => device_seq))], from);
      await tx.run(STORE(tx), JSON.stringify(await totalsOf(tx, rows, known)));
      await moveTo(tx, last);
      return rows.length === atOnce;
    },
    { patient: true },
  );

/** Changes and gaps may be recorded up to this much later. */
const SETTLED_MS = 120_000;
/** The time that a run may take, so that other work gets the rest of each second. */
const RUN_MS = 300;

/** Adds totals to settled changes, as many as one run gets to. */
export async function addSettledTotals(db: Database, now: number): Promise<void> {
  const begun = performance.now();
  while ((await addTotals(db, now - SETTLED_MS)) && performance.now() - begun < RUN_MS) await otherRequests();
}

async function totalsOf(db: Reader, rows: (Position & StateChange)[], known: Totaled[]): Promise<Totaled[]> {
  const before = new Map(known.map((change) => [change.device_seq, change]));
  const begin = known.reduce((least, { at }) => Math.min(least, at), rows[0]?.at ?? 0);
  const gaps = await gapsIn(db, { from: begin, to: rows.at(-1)?.at ?? 0 });
  return rows.map((row) => {
    const earlier = before.get(row.device_seq);
    const totals = earlier
      ? { online_before: earlier.online_before + onlineSince(earlier, row.at, gaps), number: earlier.number + 1 }
      : { online_before: 0, number: 1 };
    const totaled = { ...row, ...totals };
    before.set(row.device_seq, totaled);
    return totaled;
  });
}

const moveTo = (tx: Tx, { at, device_seq }: Position) =>
  tx.run(
    `INSERT INTO state_totals (one, at, device_seq) VALUES (1, ?, ?)
     ON CONFLICT (one) DO UPDATE SET at = excluded.at, device_seq = excluded.device_seq`,
    at,
    device_seq,
  );

/** How long a device was Online after a change, until the next one. */
const onlineSince = ({ at, cause }: StateChange, until: number, gaps: readonly Span[]): number =>
  isOnline(cause) && until > at ? until - at - unknownIn(gaps, at, until) : 0;

// ---- Reading ---------------------------------------------------------------------------------------------------------

export interface DeviceSums extends StateSums {
  seq: number;
  id: string;
  name: string;
  grp: string;
  site: string;
  /** When the span begins. */
  wasOnline: boolean;
  /** It had not connected yet when the span ended. */
  isNew: boolean;
}

/**
 * The changes around the part of a span in which all have totals: `was` is the last one before it, the others are the
 * first and the last one in it.
 */
interface Row extends Omit<DeviceSums, keyof StateSums | 'wasOnline' | 'isNew'>, Omit<DeviceStates, 'changes'> {
  last_seen: number | null;
  /** The end of the part with totals. */
  until: number;
  first_at: number | null;
  first_online: number;
  first_number: number;
  last_at: number;
  last_cause: Cause;
  last_online: number;
  last_number: number;
}

const CHANGES_OF = perDialect(
  (sql) => `SELECT device_seq, at, cause FROM state_changes
    WHERE device_seq IN (SELECT CAST(value AS BIGINT) FROM ${sql.list('asked')}) AND at > ? AND at <= ? ORDER BY device_seq, at`,
);

/** The changes of these devices after `from` and up to `to`, of each in order of time. */
export const changesOfDevices = (
  db: Reader,
  devices: readonly number[],
  { from, to }: Span,
): Promise<(Position & StateChange)[]> => db.all(CHANGES_OF(db), JSON.stringify(devices), from, to);

async function changesOf(db: Reader, devices: Row[], { from, to }: Span): Promise<(device: Row) => StateChange[]> {
  const found = new Map(devices.map(({ seq }) => [seq, [] as StateChange[]]));
  if (devices.length > 0 && from < to)
    for (const { device_seq, ...change } of await changesOfDevices(db, [...found.keys()], { from, to }))
      found.get(device_seq)?.push(change);
  return ({ seq }) => found.get(seq) ?? [];
}

/** The sums of the next devices after `after`, in order of seq. `gaps` are all gaps in the span. */
export async function nextSums(
  db: Reader,
  { accountId, span, gaps }: { accountId: number; span: Span; gaps: readonly Span[] },
  after: number,
  limit: number,
): Promise<DeviceSums[]> {
  const { from, to } = span;
  // If the span starts in a gap, nothing is known until its end.
  const begin = gaps[0] && gaps[0].from <= from ? gaps[0].to : from;
  const rows = await db.all<Row>(
    // How far the totals go is read in the statement that reads them, because it may be set back at any time. The
    // subqueries find times by the index by device, the joins find changes by their key: with any other plan an engine
    // would read the changes of all devices.
    `SELECT asked.*, before.cause AS was, first.online_before AS first_online, first.number AS first_number,
       last.cause AS last_cause, last.online_before AS last_online, last.number AS last_number
     FROM (
       SELECT seq, id, name, grp, site, created - created % 1000 AS created, last_seen, totals.until,
         (SELECT CASE WHEN device_seq = seq THEN at END FROM state_changes
           WHERE (device_seq, at) <= (seq, ?1) ORDER BY device_seq DESC, at DESC LIMIT 1) AS before_at,
         (SELECT CASE WHEN device_seq = seq AND at <= totals.until THEN at END FROM state_changes
           WHERE (device_seq, at) > (seq, ?1) ORDER BY device_seq, at LIMIT 1) AS first_at,
         (SELECT CASE WHEN device_seq = seq AND at > ?1 THEN at END FROM state_changes
           WHERE (device_seq, at) <= (seq, totals.until) ORDER BY device_seq DESC, at DESC LIMIT 1) AS last_at
       FROM devices CROSS JOIN (
         SELECT CASE WHEN max(at) <= ?2 THEN max(at) - 1 WHEN max(at) > ?2 THEN ?2 ELSE 0 END AS until FROM state_totals
       ) AS totals
       WHERE account_id = ?3 AND seq > ?4 ORDER BY seq LIMIT ?5
     ) AS asked
     LEFT JOIN state_changes AS before ON before.at = before_at AND before.device_seq = seq
     LEFT JOIN state_changes AS first ON first.at = first_at AND first.device_seq = seq
     LEFT JOIN state_changes AS last ON last.at = last_at AND last.device_seq = seq
     ORDER BY seq`,
    begin,
    to,
    accountId,
    after,
    limit,
  );
  const end = Math.max(begin, rows[0]?.until ?? 0);
  // After the clock was set back, changes can be older than their device.
  const isOlderThanDevice = ({ created, was, first_at }: Row) =>
    created > begin && (was !== null || (first_at !== null && first_at < created));
  const before = await changesOf(db, rows, { from, to: begin });
  const irregular = await changesOf(db, rows.filter(isOlderThanDevice), { from: begin, to: end });
  const rest = await changesOf(db, rows, { from: end, to });
  return rows.map((row) => {
    const { seq, id, name, grp, site, created } = row;
    const known = isOlderThanDevice(row)
      ? { online: 0, changes: 0, was: row.was, to: begin }
      : byTotals(row, { from: begin, to: end }, gaps);
    const changes = [...irregular(row), ...rest(row)];
    const later = sumStates({ created, was: known.was, changes }, { from: known.to, to }, gaps);
    // A device counts from its first connection; one without a history of that, which has been seen, from its creation.
    const first = row.was === null ? (row.first_at ?? changes[0]?.at ?? (row.last_seen === null ? to : from)) : from;
    const all = to - Math.min(Math.max(from, created, first), to);
    const online = known.online + later.online;
    const unknown = unknownIn(gaps, to - all, to);
    return {
      seq,
      id,
      name,
      grp,
      site,
      wasOnline: row.was !== null && isOnline(row.was),
      isNew: row.was === null && first >= to,
      online,
      unknown,
      offline: all - online - unknown,
      changes: before(row).length + known.changes + later.changes,
    };
  });
}

/** The sums of the span according to the totals, and the state at its end. */
function byTotals(row: Row, { from, to }: Span, gaps: readonly Span[]) {
  const { was, first_at, last_at, last_cause } = row;
  const onlineAtFirst = was === null ? 0 : onlineSince({ at: from, cause: was }, first_at ?? to, gaps);
  if (first_at === null) return { online: onlineAtFirst, changes: 0, was, to };
  return {
    online:
      onlineAtFirst + row.last_online - row.first_online + onlineSince({ at: last_at, cause: last_cause }, to, gaps),
    changes: row.last_number - row.first_number + 1,
    was: last_cause,
    to,
  };
}
