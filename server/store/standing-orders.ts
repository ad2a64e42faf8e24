// Standing orders, and the devices that they have deployed to. The state of a device is derived from its job and from
// the version that it has.
import { notFound } from './errors.ts';
import type { Reader, Tx } from './database.ts';
import type { Beginner } from './current-rights.ts';
import { perDialect } from './dialect.ts';
import type { Dialect } from './dialect.ts';
import { fold } from '#/contract/fold.ts';
import { isInScope } from './scope.ts';
import type { Scope } from './scope.ts';

export interface StandingOrderRow extends Beginner {
  seq: number;
  account_id: number;
  name: string;
  grp: string;
  artifact_id: string;
  artifact_name: string;
  artifact_version: string;
  /** Incremented by each change. */
  version: number;
  /** Who changed it last: its jobs are submitted in their name, and need their rights. */
  actor: string;
  address: string;
  changed: number;
  /** 0 if the artifact was deleted. */
  has_artifact: number;
}

const SELECT = `SELECT o.*, CASE WHEN a.id IS NULL THEN 0 ELSE 1 END AS has_artifact
  FROM standing_orders o LEFT JOIN artifacts a ON a.id = o.artifact_id`;

/** The orders for groups in the scope, sorted by name. */
export const standingOrdersOf = async (db: Reader, scope: Scope): Promise<StandingOrderRow[]> =>
  (await db.all<StandingOrderRow>(`${SELECT} WHERE o.account_id = ? ORDER BY o.folded`, scope.accountId)).filter(
    ({ grp }) => isInScope(scope, grp),
  );

/** The standing orders of all accounts whose artifact still exists. */
export const activeStandingOrders = (db: Reader): Promise<StandingOrderRow[]> =>
  db.all<StandingOrderRow>(`${SELECT} WHERE a.id IS NOT NULL ORDER BY o.seq`);

/** The order with this name, if it is for a group in the scope. */
export async function findStandingOrder(db: Reader, scope: Scope, name: string): Promise<StandingOrderRow | undefined> {
  const row = await db.get<StandingOrderRow>(
    `${SELECT} WHERE o.account_id = ? AND o.folded = ?`,
    scope.accountId,
    fold(name.trim()),
  );
  return row && isInScope(scope, row.grp) ? row : undefined;
}

export async function standingOrderNamed(db: Reader, scope: Scope, name: string): Promise<StandingOrderRow> {
  const row = await findStandingOrder(db, scope, name);
  if (!row) throw notFound('standing order', name);
  return row;
}

type Saved = Omit<StandingOrderRow, 'seq' | 'version' | 'has_artifact'>;

export const saveStandingOrder = (tx: Tx, order: Saved) =>
  tx.run(
    `INSERT INTO standing_orders (account_id, folded, name, grp, artifact_id, artifact_name, artifact_version, actor,
       address, changed, credential, role, groups_json) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (account_id, folded) DO UPDATE SET
       name = excluded.name, grp = excluded.grp, artifact_id = excluded.artifact_id,
       artifact_name = excluded.artifact_name, artifact_version = excluded.artifact_version, actor = excluded.actor,
       address = excluded.address, changed = excluded.changed, credential = excluded.credential, role = excluded.role,
       groups_json = excluded.groups_json, version = standing_orders.version + 1`,
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
    order.credential,
    order.role,
    order.groups_json,
  );

/** Forgets which devices have had a job, so that all of them get one again. */
export const resetStandingOrder = (tx: Tx, orderSeq: number) =>
  tx.run('DELETE FROM standing_order_devices WHERE order_seq = ?', orderSeq);

export const deleteStandingOrder = (tx: Tx, orderSeq: number) =>
  tx.run('DELETE FROM standing_orders WHERE seq = ?', orderSeq);

// ---- Which devices get a job ---------------------------------------------------------------------------------------

/** Unfinished rollouts of the same artifact, whose devices the order leaves to them. */
export interface ClaimedByRollouts {
  rolloutSeqs: readonly number[];
  /** Tags whose devices will join such a rollout. */
  tagIds: readonly string[];
}

const TO_DEPLOY = perDialect(
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

/**
 * Devices of the group that lack the version, have not had a job from this order, and have no unfinished job of the
 * artifact.
 */
export const devicesToDeploy = (
  db: Reader,
  order: StandingOrderRow,
  { rolloutSeqs, tagIds }: ClaimedByRollouts,
  limit: number,
): Promise<{ seq: number; id: string }[]> =>
  db.all(
    TO_DEPLOY(db),
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

/** Call this in the transaction that submits the job. */
export const noteDeployed = (tx: Tx, orderSeq: number, jobSeq: number, deviceSeqs: readonly number[]) =>
  tx.run(NOTE(tx), orderSeq, jobSeq, JSON.stringify(deviceSeqs));

// ---- The states of devices -----------------------------------------------------------------------------------------

/** The state of a device; see the contract. A job that has not been judged yet counts as Running. */
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
  /** Only devices in one of these states; all if empty. */
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

/** The devices of the group, latest created first. */
export const standingOrderDevices = (
  db: Reader,
  orderSeq: number,
  { states, before, limit }: DevicesAsked,
): Promise<OrderedDeviceRow[]> =>
  db.all<OrderedDeviceRow>(LIST(db), orderSeq, before, states.length, JSON.stringify(states), limit);

const RETRY = perDialect(
  (sql) => `DELETE FROM standing_order_devices WHERE order_seq = ?
    AND device_seq IN (SELECT CAST(w.value AS BIGINT) FROM ${sql.list('w')})`,
);

/** Lets these devices get another job, and increments the order's version. */
export async function retryDevices(tx: Tx, orderSeq: number, deviceSeqs: readonly number[]): Promise<void> {
  await tx.run(RETRY(tx), orderSeq, JSON.stringify(deviceSeqs));
  await tx.run('UPDATE standing_orders SET version = version + 1 WHERE seq = ?', orderSeq);
}
