// Standing orders in the database, and which devices were given a job by them. What became of a device is not stored: it
// is in that job, and in the version that the device has.
import { notFound } from './errors.ts';
import type { Reader, Tx } from './database.ts';
import { perDialect } from './dialect.ts';
import type { Dialect } from './dialect.ts';
import { fold } from './fold.ts';

export interface StandingOrderRow {
  seq: number;
  account_id: number;
  name: string;
  grp: string;
  artifact_id: string;
  artifact_name: string;
  artifact_version: string;
  /** Raised by each change. */
  version: number;
  /** Who changed it last: its jobs are theirs. */
  actor: string;
  address: string;
  changed: number;
  /** 0: the artifact was deleted. */
  has_artifact: number;
}

const SELECT = `SELECT o.*, CASE WHEN a.id IS NULL THEN 0 ELSE 1 END AS has_artifact
  FROM standing_orders o LEFT JOIN artifacts a ON a.id = o.artifact_id`;

/** By name. */
export const standingOrdersOf = (db: Reader, accountId: number): Promise<StandingOrderRow[]> =>
  db.all<StandingOrderRow>(`${SELECT} WHERE o.account_id = ? ORDER BY o.folded`, accountId);

/** Those of all accounts whose artifact is there. */
export const activeStandingOrders = (db: Reader): Promise<StandingOrderRow[]> =>
  db.all<StandingOrderRow>(`${SELECT} WHERE a.id IS NOT NULL ORDER BY o.seq`);

export const findStandingOrder = (db: Reader, accountId: number, name: string): Promise<StandingOrderRow | undefined> =>
  db.get<StandingOrderRow>(`${SELECT} WHERE o.account_id = ? AND o.folded = ?`, accountId, fold(name.trim()));

export async function standingOrderNamed(db: Reader, accountId: number, name: string): Promise<StandingOrderRow> {
  const row = await findStandingOrder(db, accountId, name);
  if (!row) throw notFound('standing order', name);
  return row;
}

type Saved = Omit<StandingOrderRow, 'seq' | 'version' | 'has_artifact'>;

export const saveStandingOrder = (tx: Tx, order: Saved) =>
  tx.run(
    `INSERT INTO standing_orders (account_id, folded, name, grp, artifact_id, artifact_name, artifact_version, actor,
       address, changed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (account_id, folded) DO UPDATE SET
       name = excluded.name, grp = excluded.grp, artifact_id = excluded.artifact_id,
       artifact_name = excluded.artifact_name, artifact_version = excluded.artifact_version, actor = excluded.actor,
       address = excluded.address, changed = excluded.changed, version = standing_orders.version + 1`,
    order.account_id,
    fold(order.name),
    order.name,
    order.grp,
    order.artifact_id,
    order.artifact_name,
    order.artifact_version,
    order.actor,
    order.address,
    order.changed,
  );

/** Its devices are given jobs anew. */
export const beginAnew = (tx: Tx, orderSeq: number) =>
  tx.run('DELETE FROM standing_order_devices WHERE order_seq = ?', orderSeq);

export const deleteStandingOrder = (tx: Tx, orderSeq: number) =>
  tx.run('DELETE FROM standing_orders WHERE seq = ?', orderSeq);

// ---- Who is to be given a job --------------------------------------------------------------------------------------

/** Rollouts of the same artifact that have not ended: their devices are left to them. */
export interface LeftToRollouts {
  rolloutSeqs: readonly number[];
  /** Tags whose devices join such a rollout later. */
  tagIds: readonly string[];
}

const TO_GIVE = perDialect(
  (sql) => `SELECT d.seq, d.id FROM devices d
    LEFT JOIN device_versions v ON v.device_seq = d.seq AND v.artifact_name = ?
    LEFT JOIN standing_order_devices n ON n.order_seq = ? AND n.device_seq = d.seq
    WHERE d.account_id = ? AND d.grp = ? AND n.device_seq IS NULL AND (v.version IS NULL OR v.version <> ?)
      AND NOT EXISTS (SELECT 1 FROM jobs j ${sql.indexedBy('jobs_unfinished')} WHERE j.device_seq = d.seq AND j.status IN ('Waiting', 'Running')
        AND (SELECT t.rule_name FROM jobs t
          WHERE t.seq = coalesce(j.parent_seq, j.seq) AND t.artifact_version IS NOT NULL) = ?)
      AND d.seq NOT IN (
        SELECT coalesce((SELECT j.device_seq FROM jobs j WHERE j.seq = job_seq), 0) FROM to_judge)
      AND NOT EXISTS (SELECT 1 FROM rollout_devices r WHERE r.device_id = d.id AND r.skipped = 0
        AND r.rollout_seq IN (SELECT CAST(w.value AS BIGINT) FROM ${sql.list('w')}))
      AND NOT EXISTS (SELECT 1 FROM device_tags g WHERE g.device_seq = d.seq
        AND g.tag_id IN (SELECT w.value FROM ${sql.list('w')}))
    ORDER BY d.seq LIMIT ?`,
);

/** Devices of the group without the version, that were given no job by it and have none of the artifact under way. */
export const devicesToGive = (
  db: Reader,
  order: StandingOrderRow,
  { rolloutSeqs, tagIds }: LeftToRollouts,
  limit: number,
): Promise<{ seq: number; id: string }[]> =>
  db.all(
    TO_GIVE(db),
    order.artifact_name,
    order.seq,
    order.account_id,
    order.grp,
    order.artifact_version,
    order.artifact_name,
    JSON.stringify(rolloutSeqs),
    JSON.stringify(tagIds),
    limit,
  );

const NOTE = perDialect(
  (sql) => `INSERT INTO standing_order_devices (order_seq, device_seq, job_seq)
    SELECT CAST(? AS BIGINT), CAST(w.value AS BIGINT), CAST(? AS BIGINT) FROM ${sql.list('w')}`,
);

/** Belongs into the unit of work that submits the job. */
export const noteGiven = (tx: Tx, orderSeq: number, jobSeq: number, deviceSeqs: readonly number[]) =>
  tx.run(NOTE(tx), orderSeq, jobSeq, JSON.stringify(deviceSeqs));

// ---- What became of them -------------------------------------------------------------------------------------------

/** See the contract. A job that is still to be judged by its outcome rules runs. */
const STATE = `CASE
  WHEN v.version = o.artifact_version THEN 'Has'
  WHEN n.device_seq IS NULL THEN 'Pending'
  WHEN j.seq IS NULL OR j.status = 'Cancelled' THEN 'Cancelled'
  WHEN j.status IN ('Waiting', 'Running') THEN j.status
  WHEN EXISTS (SELECT 1 FROM to_judge WHERE job_seq = j.seq) THEN 'Running'
  WHEN coalesce(j.verdict, j.status) IN ('RolledBack', 'NoAnswer') THEN j.verdict
  WHEN coalesce(j.verdict, j.status) <> 'Succeeded' THEN 'Failed'
  ELSE 'Replaced' END`;
const devicesOf = (
  sql: Dialect,
) => `FROM standing_orders o JOIN devices d ON d.account_id = o.account_id AND d.grp = o.grp
  LEFT JOIN device_versions v ON v.device_seq = d.seq AND v.artifact_name = o.artifact_name
  LEFT JOIN standing_order_devices n ON n.order_seq = o.seq AND n.device_seq = d.seq
  LEFT JOIN jobs j ${sql.indexedBy('jobs_current')}
    ON j.parent_seq = n.job_seq AND j.device_seq = d.seq AND j.superseded = 0
  WHERE o.seq = ?`;

const COUNTS = perDialect(
  (sql) => `SELECT state, count(*) AS devices FROM (SELECT ${STATE} AS state ${devicesOf(sql)}) AS each GROUP BY state`,
);

export async function countStandingOrder(db: Reader, orderSeq: number): Promise<Record<string, number>> {
  const rows = await db.all<{ state: string; devices: number }>(COUNTS(db), orderSeq);
  return Object.fromEntries(rows.map(({ state, devices }) => [state, devices]));
}

export interface OrderedDeviceRow {
  seq: number;
  device_id: string;
  device_name: string;
  state: string;
  job_id: string | null;
  reason: string | null;
  exit_code: number | null;
  verdict_because: string | null;
}

interface DevicesAsked {
  /** In one of these states; empty: in any. */
  states: readonly string[];
  /** Only devices that were created before this one. */
  before: number;
  limit: number;
}

const LIST = perDialect(
  (sql) => `SELECT * FROM (SELECT d.seq, d.id AS device_id, d.name AS device_name, ${STATE} AS state, j.id AS job_id,
      j.reason, j.exit_code, j.verdict_because ${devicesOf(sql)} AND d.seq < ?) AS each
    WHERE (? = 0 OR state IN (SELECT w.value FROM ${sql.list('w')})) ORDER BY seq DESC LIMIT ?`,
);

/** The devices of the group, those that were created last first. */
export const standingOrderDevices = (
  db: Reader,
  orderSeq: number,
  { states, before, limit }: DevicesAsked,
): Promise<OrderedDeviceRow[]> =>
  db.all<OrderedDeviceRow>(LIST(db), orderSeq, before, states.length, JSON.stringify(states), limit);

const ASK_AGAIN = perDialect(
  (sql) => `DELETE FROM standing_order_devices WHERE order_seq = ?
    AND device_seq IN (SELECT CAST(w.value AS BIGINT) FROM ${sql.list('w')})`,
);

/** Lets these devices be given a job once more; the change counts as one of the order. */
export async function askAgain(tx: Tx, orderSeq: number, deviceSeqs: readonly number[]): Promise<void> {
  await tx.run(ASK_AGAIN(tx), orderSeq, JSON.stringify(deviceSeqs));
  await tx.run('UPDATE standing_orders SET version = version + 1 WHERE seq = ?', orderSeq);
}
