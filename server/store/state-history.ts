// The history of states: when each device went Online and Offline, and when the service was down.
//
// Each row is a change, written in the transaction that changes `devices.online`. When the service itself closes
// connections or is down, nothing is written, because devices that soon reconnect do not count as Offline. The rest are
// settled later.
import type { Database, Reader, Tx } from './database.ts';
import { inGroups } from './scope.ts';
import type { Scope } from './scope.ts';

/** Why a device changed its state; the database stores the numbers. */
export const CAUSES = { connected: 1, disconnected: 2, newKey: 3, notBack: 4, firstConnected: 5 } as const;
export type Cause = (typeof CAUSES)[keyof typeof CAUSES];
export const isOnline = (cause: Cause): boolean => cause === CAUSES.connected || cause === CAUSES.firstConnected;

export interface Span {
  from: number;
  to: number;
}
export interface StateChange {
  at: number;
  cause: Cause;
}

/** Records the state of a device, unless the history already has it. */
export async function noteState(tx: Tx, seq: number, cause: Cause, at: number): Promise<void> {
  const { changes } = await tx.run(
    'UPDATE devices SET state_online = ?1, state_time = ?2 WHERE seq = ?3 AND state_online <> ?1',
    Number(isOnline(cause)),
    at,
    seq,
  );
  if (changes === 0) return;
  const isFirst =
    cause === CAUSES.connected && !(await tx.get('SELECT 1 FROM state_changes WHERE device_seq = ? LIMIT 1', seq));
  await tx.run(
    `INSERT INTO state_changes (at, device_seq, cause) VALUES (?, ?, ?)
     ON CONFLICT (at, device_seq) DO UPDATE SET cause = excluded.cause`,
    at,
    seq,
    isFirst ? CAUSES.firstConnected : cause,
  );
}

// ---- When the service was down ---------------------------------------------------------------------------------------

/**
 * The interval between signs of life; a gap of more than three times as long means that the service was down or
 * suspended.
 */
export const ALIVE_EVERY_MS = 15_000;

const lastAlive = async (db: Reader): Promise<number | undefined> => {
  const row = await db.get<{ value: string }>("SELECT value FROM settings WHERE key = 'alive'");
  return row && Number(row.value);
};

const insertGap = (tx: Tx, { from, to }: Span) =>
  tx.run(
    `INSERT INTO service_gaps (from_time, to_time) VALUES (?, ?)
     ON CONFLICT (from_time) DO UPDATE SET to_time = excluded.to_time`,
    from,
    to,
  );

/**
 * Records that the service is up. `start` means that no agent was connected before. Everything before the very first
 * sign of life is unknown.
 */
export async function noteAlive(tx: Tx, now: number, { start = false } = {}): Promise<void> {
  const last = await lastAlive(tx);
  if (last === undefined || now - last > 3 * ALIVE_EVERY_MS || (start && now > last)) {
    // A state change recorded later is a sign of life, too.
    const noted = await tx.get<{ at: number | null }>('SELECT max(at) AS at FROM state_changes WHERE at < ?', now);
    await insertGap(tx, { from: last === undefined ? 0 : Math.max(last, noted?.at ?? 0), to: now });
  }
  await tx.run(
    "INSERT INTO settings (key, value) VALUES ('alive', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    String(now),
  );
}

/** Called when the computer's clock was set. Time that the clock skipped is a gap. */
export async function moveAlive(tx: Tx, by: number): Promise<void> {
  const last = await lastAlive(tx);
  if (last === undefined) return;
  if (by > 0) await insertGap(tx, { from: last, to: last + by });
  await tx.run("UPDATE settings SET value = ? WHERE key = 'alive'", String(last + by));
}

/** Oldest first, without overlaps. */
export async function gapsIn(db: Reader, { from, to }: Span): Promise<Span[]> {
  const rows = await db.all<{ from_time: number; to_time: number }>(
    'SELECT from_time, to_time FROM service_gaps WHERE to_time > ? AND from_time < ? ORDER BY from_time, to_time',
    from,
    to,
  );
  const gaps: Span[] = [];
  for (const row of rows) {
    const before = gaps.at(-1);
    const end = Math.min(row.to_time, to);
    if (before && row.from_time <= before.to) before.to = Math.max(before.to, end);
    else gaps.push({ from: Math.max(row.from_time, from), to: end });
  }
  return gaps;
}

// ---- Devices that do not come back -----------------------------------------------------------------------------------

/** Agents reconnect within this time after the service is back. */
const BACK_WITHIN_MS = 60_000;
/** Devices per transaction. */
const BATCH = 500;

/**
 * Finds devices that are Online in the history although no agent is connected: the service or a node was down, and they
 * did not reconnect in time. They count as Offline from when they were first found.
 */
export function openSettling(db: Database, now: () => number): () => Promise<void> {
  const opened = now();
  let found: Map<number, number> | undefined;
  return async () => {
    const rows = await db.all<{ seq: number }>('SELECT seq FROM devices WHERE online = 0 AND state_online = 1');
    const at = now();
    // A node that becomes the leader long after its start cannot tell what happened before.
    const first = !found && at - opened < BACK_WITHIN_MS ? opened : at;
    const before = found;
    found = new Map(rows.map(({ seq }) => [seq, Math.min(before?.get(seq) ?? first, at)]));
    const due = [...found].filter(([, since]) => at - since >= BACK_WITHIN_MS);
    for (let done = 0; done < due.length; done += BATCH)
      await db.write(
        async (tx) => {
          for (const [seq, since] of due.slice(done, done + BATCH))
            if (await tx.get('SELECT 1 FROM devices WHERE seq = ? AND online = 0', seq))
              await noteState(tx, seq, CAUSES.notBack, since);
        },
        { patient: true },
      );
  };
}

// ---- Reading ---------------------------------------------------------------------------------------------------------

export interface ListedChange extends StateChange {
  device_seq: number;
  id: string;
}
/** Where a page of changes ends. */
export type Position = Pick<ListedChange, 'at' | 'device_seq'>;

/** Changes of one device or of all in the scope, newest first. */
export function stateChanges(
  db: Reader,
  scope: Scope,
  {
    device,
    from,
    to,
    before,
    limit,
  }: { device?: number | undefined; before?: Position | undefined; limit: number } & Span,
): Promise<ListedChange[]> {
  const end = before ?? { at: to, device_seq: 0 };
  const own = inGroups(db.dialect, scope, 'grp');
  // Each query uses the index in its order: by time, or by device.
  const [where, order, ...range] =
    device === undefined
      ? ['at >= ? AND (at, device_seq) < (?, ?)', 'at DESC, device_seq DESC', from, end.at, end.device_seq]
      : [
          '(device_seq, at) >= (?, ?) AND (device_seq, at) < (?, ?)',
          'device_seq DESC, at DESC',
          device,
          from,
          device,
          end.at,
        ];
  return db.all<ListedChange>(
    // SQLite keeps the order of a CROSS JOIN: the newest changes first, not all devices.
    `SELECT at, device_seq, cause, devices.id FROM state_changes CROSS JOIN devices
     WHERE devices.seq = device_seq AND account_id = ? AND ${where}${own.sql}
     ORDER BY ${order} LIMIT ?`,
    scope.accountId,
    ...range,
    ...own.values,
    limit,
  );
}

export const createdAt = async (db: Reader, deviceSeq: number): Promise<number> =>
  (await db.get<{ created: number }>('SELECT created FROM devices WHERE seq = ?', deviceSeq))?.created ?? 0;

/** The last change of a device up to this time. */
export const lastChange = (db: Reader, deviceSeq: number, at: number): Promise<StateChange | undefined> =>
  db.get<StateChange>(
    `SELECT at, cause FROM (
       SELECT * FROM state_changes WHERE (device_seq, at) <= (?1, ?2) ORDER BY device_seq DESC, at DESC LIMIT 1) AS last
     WHERE device_seq = ?1`,
    deviceSeq,
    at,
  );

/** Changes removed per transaction. */
const REMOVED_AT_ONCE = 2_000;

/** Removes changes from before this time, except each device's last one, which says its state at that time. */
export async function pruneStates(db: Database, before: number): Promise<void> {
  for (let removed = REMOVED_AT_ONCE; removed === REMOVED_AT_ONCE;)
    removed = await db.write(
      async (tx) => {
        const { changes } = await tx.run(
          `DELETE FROM state_changes WHERE (at, device_seq) IN (
             SELECT at, device_seq FROM state_changes AS old WHERE at < ?1 AND (
               SELECT min(later.at) FROM state_changes AS later
               WHERE later.device_seq = old.device_seq AND later.at > old.at) < ?1
             ORDER BY at LIMIT ${REMOVED_AT_ONCE})`,
          before,
        );
        return changes;
      },
      { patient: true, essential: true },
    );
  await db.write(
    async (tx) => {
      await tx.run('DELETE FROM service_gaps WHERE to_time < ? AND from_time > 0', before);
      // The time before that is unknown from now on.
      await tx.run('UPDATE service_gaps SET to_time = ?1 WHERE from_time = 0 AND to_time < ?1', before);
    },
    { essential: true },
  );
}
