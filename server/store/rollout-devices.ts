// The states of a rollout's devices, derived from the job of their wave and from the device itself. They are stored
// once the rollout has ended.
import type { RolloutDeviceState } from '#/contract/rollouts.ts';
import type { Reader, Tx } from './database.ts';
import { perDialect } from './dialect.ts';
import type { Dialect } from './dialect.ts';
import type { RolloutRow, WaveRow } from './rollouts.ts';
import { inGroups, isOwnDevice, wholeAccount } from './scope.ts';
import type { Scope } from './scope.ts';

/**
 * The state of a device, derived from its job `j` and its own row `v`; see the contract. A job that has not been judged
 * yet counts as Running. `state_online` is that of the history, so a restart of the service does not make a device
 * NotBack.
 */
const STATE = `CASE
  WHEN r.skipped = 1 THEN 'Skipped'
  WHEN j.seq IS NULL OR j.status = 'Cancelled' THEN 'Cancelled'
  WHEN j.status IN ('Waiting', 'Running') THEN j.status
  WHEN EXISTS (SELECT 1 FROM to_judge WHERE job_seq = j.seq) THEN 'Running'
  WHEN coalesce(j.verdict, j.status) IN ('RolledBack', 'NoAnswer') THEN j.verdict
  WHEN coalesce(j.verdict, j.status) <> 'Succeeded' THEN 'Failed'
  WHEN v.seq IS NULL OR v.state_online = 0 THEN 'NotBack'
  ELSE 'Succeeded' END`;

/** Joins the job of a device `v` in its wave `w`. */
const jobOf = (sql: Dialect) => `LEFT JOIN jobs j ${sql.indexedBy('jobs_current')}
    ON j.parent_seq = w.job_seq AND j.device_seq = v.seq AND j.superseded = 0`;

export type StateCounts = Partial<Record<RolloutDeviceState, number>>;

export interface WaveCounts {
  counts: StateCounts;
  /** Devices that succeeded and have been Online long enough since their job ended. */
  back: number;
}

/** Of the devices in the scope; those that have been Online since `onlineSince` count as back. */
export async function countWave(
  db: Reader,
  rollout: Pick<RolloutRow, 'seq' | 'account_id'>,
  { number, job_seq }: Pick<WaveRow, 'number' | 'job_seq'>,
  onlineSince: number,
  scope: Scope = wholeAccount(rollout.account_id),
): Promise<WaveCounts> {
  const own = inGroups(db.dialect, scope, 'v.grp');
  const rows = await db.all<{ state: RolloutDeviceState; devices: number; back: number }>(
    `SELECT state, count(*) AS devices, sum(back) AS back FROM (
       SELECT ${STATE} AS state,
         CASE WHEN v.state_online = 1 AND v.state_time <= ? AND j.ended <= ? THEN 1 ELSE 0 END AS back
       FROM jobs j JOIN rollout_devices r ON r.rollout_seq = ? AND r.device_id = j.device_id AND r.wave = ?
       LEFT JOIN devices v ON v.seq = j.device_seq
       WHERE j.parent_seq = ? AND j.superseded = 0${own.sql}) AS each GROUP BY state`,
    onlineSince,
    onlineSince,
    rollout.seq,
    number,
    job_seq ?? -1,
    ...own.values,
  );
  const counts = Object.fromEntries(rows.map(({ state, devices }) => [state, devices]));
  return { counts, back: rows.find(({ state }) => state === 'Succeeded')?.back ?? 0 };
}

/** Since when this many devices of a wave have succeeded and been Online; undefined if there are fewer. */
export async function backSince(
  db: Reader,
  rollout: Pick<RolloutRow, 'seq' | 'account_id'>,
  { number, job_seq }: Pick<WaveRow, 'number' | 'job_seq'>,
  devices: number,
): Promise<number | undefined> {
  const row = await db.get<{ since: number }>(
    `SELECT CASE WHEN v.state_time > j.ended THEN v.state_time ELSE j.ended END AS since
     FROM jobs j JOIN rollout_devices r ON r.rollout_seq = ? AND r.device_id = j.device_id AND r.wave = ?
     JOIN devices v ON v.seq = j.device_seq
     WHERE j.parent_seq = ? AND j.superseded = 0 AND ${STATE} = 'Succeeded' ORDER BY since LIMIT 1 OFFSET ?`,
    rollout.seq,
    number,
    job_seq ?? -1,
    devices - 1,
  );
  return row?.since;
}

export interface DeviceStateRow {
  device_id: string;
  device_name: string;
  wave: number;
  state: RolloutDeviceState;
  job_id: string | null;
  attempt: number | null;
  reason: string | null;
  verdict_because: string | null;
  has_begun: number;
}

/** A position in the list of devices. */
export interface DevicePosition {
  wave: number;
  id: string;
}

const devicesWithStates = (
  sql: Dialect,
) => `SELECT r.device_id, coalesce(v.name, r.device_name) AS device_name, r.wave, j.id AS job_id, j.attempt,
    j.started, j.ended, j.reason, j.verdict_because, CASE WHEN w.number IS NULL THEN 0 ELSE 1 END AS has_begun,
    coalesce(r.outcome, CASE WHEN w.number IS NULL AND r.skipped = 0 THEN 'Pending' ELSE ${STATE} END) AS state
  FROM rollout_devices r
  LEFT JOIN rollout_waves w ON w.rollout_seq = r.rollout_seq AND w.number = r.wave
  LEFT JOIN devices v ON v.id = r.device_id AND v.account_id = ?
  ${jobOf(sql)}
  WHERE r.rollout_seq = ?`;

const KEEP = perDialect(
  (sql) => `UPDATE rollout_devices SET outcome = each.state FROM (${devicesWithStates(sql)}) AS each
    WHERE rollout_devices.rollout_seq = ? AND rollout_devices.device_id = each.device_id`,
);

/** Whether any job of its waves waits, runs or has not been judged. */
const isUnderWay = async (db: Reader, rolloutSeq: number): Promise<boolean> =>
  (await db.get(
    `SELECT 1 FROM rollout_waves w JOIN jobs j ON j.parent_seq = w.job_seq AND j.superseded = 0
     WHERE w.rollout_seq = ? AND (j.status IN ('Waiting', 'Running') OR EXISTS (SELECT 1 FROM to_judge WHERE job_seq = j.seq))
     LIMIT 1`,
    rolloutSeq,
  )) !== undefined;

/**
 * Stores the states of its devices once all jobs have ended. What happens later, when devices go offline, jobs are
 * retried or deleted, no longer affects them.
 */
export async function keepOutcomes(tx: Tx, rollout: RolloutRow): Promise<void> {
  if (await isUnderWay(tx, rollout.seq)) return;
  await tx.run(KEEP(tx), rollout.account_id, rollout.seq, rollout.seq);
  const waves = await countOutcomes(tx, wholeAccount(rollout.account_id), rollout);
  await tx.run('UPDATE rollouts SET kept = ? WHERE seq = ?', JSON.stringify(waves), rollout.seq);
}

/** The stored counts of the devices in the scope, by wave; undefined until the states are stored. */
export async function keptCounts(
  db: Reader,
  scope: Scope,
  { seq, kept, waves }: Pick<RolloutRow, 'seq' | 'kept' | 'waves'>,
): Promise<StateCounts[] | undefined> {
  if (kept === null) return undefined;
  return scope.groups ? countOutcomes(db, scope, { seq, waves }) : (JSON.parse(kept) as StateCounts[]);
}

async function countOutcomes(
  db: Reader,
  scope: Scope,
  rollout: Pick<RolloutRow, 'seq' | 'waves'>,
): Promise<StateCounts[]> {
  const own = isOwnDevice(db.dialect, scope, { id: 'rollout_devices.device_id' });
  const rows = await db.all<{ wave: number; outcome: RolloutDeviceState; devices: number }>(
    `SELECT wave, outcome, count(*) AS devices FROM rollout_devices WHERE rollout_seq = ?${own.sql} GROUP BY wave, outcome`,
    rollout.seq,
    ...own.values,
  );
  return Array.from({ length: rollout.waves }, (_, at): StateCounts =>
    Object.fromEntries(rows.filter(({ wave }) => wave === at).map(({ outcome, devices }) => [outcome, devices])),
  );
}

interface DevicesWanted {
  after: DevicePosition;
  limit: number;
  /** Filters; without them all devices are listed. */
  state?: RolloutDeviceState | undefined;
  wave?: number | undefined;
  /** Those that ran at some moment of it. */
  during?: Span | undefined;
  /** Those that have ended and took so many milliseconds. */
  took?: Span | undefined;
}

interface Span {
  from: number;
  to: number;
}

const ANY: Span = { from: -1, to: -1 };

/** Those in the scope, sorted by wave and id, after a position. */
export function devicesOf(
  db: Reader,
  scope: Scope,
  rollout: RolloutRow,
  { after, limit, state, wave = -1, during = ANY, took = ANY }: DevicesWanted,
): Promise<DeviceStateRow[]> {
  const own = inGroups(db.dialect, scope, 'v.grp');
  return db.all<DeviceStateRow>(
    `SELECT * FROM (${devicesWithStates(db.dialect)} AND (r.wave, r.device_id) > (?, ?)${own.sql}) AS each
    WHERE ? IN ('any', state) AND CAST(? AS BIGINT) IN (-1, wave)
      AND (CAST(? AS BIGINT) < 0 OR (started < CAST(? AS BIGINT) AND (ended IS NULL OR ended >= CAST(? AS BIGINT))))
      AND (CAST(? AS BIGINT) < 0 OR (ended - started >= CAST(? AS BIGINT) AND ended - started < CAST(? AS BIGINT)))
    ORDER BY wave, device_id LIMIT ?`,
    rollout.account_id,
    rollout.seq,
    after.wave,
    after.id,
    ...own.values,
    state ?? 'any',
    wave,
    during.from,
    during.to,
    during.from,
    took.from,
    took.from,
    took.to,
    limit,
  );
}

/** Of those in the scope. */
export function statesOf(
  db: Reader,
  scope: Scope,
  rollout: RolloutRow,
): Promise<Pick<DeviceStateRow, 'wave' | 'state' | 'device_id'>[]> {
  const own = inGroups(db.dialect, scope, 'v.grp');
  return db.all(
    `SELECT wave, state, device_id FROM (${devicesWithStates(db.dialect)}${own.sql}) AS each
     ORDER BY wave, state, device_id`,
    rollout.account_id,
    rollout.seq,
    ...own.values,
  );
}

export type RunRow = Pick<DeviceStateRow, 'device_id' | 'device_name' | 'wave' | 'state' | 'job_id'> & {
  started: number;
  ended: number | null;
};

/** Those in the scope that have begun, with the times of their last attempts. */
export function runsOf(db: Reader, scope: Scope, rollout: RolloutRow): Promise<RunRow[]> {
  const own = inGroups(db.dialect, scope, 'v.grp');
  return db.all(
    `SELECT device_id, device_name, wave, state, job_id, started, ended
     FROM (${devicesWithStates(db.dialect)}${own.sql}) AS each WHERE started IS NOT NULL ORDER BY wave, device_id`,
    rollout.account_id,
    rollout.seq,
    ...own.values,
  );
}

const EXIT_CODES = perDialect(
  (sql) => `SELECT id, exit_code FROM jobs
    WHERE account_id = ? AND exit_code IS NOT NULL AND id IN (SELECT w.value FROM ${sql.list('w')})`,
);

/** The exit codes of jobs, by id. */
export async function exitCodesOf(
  db: Reader,
  accountId: number,
  jobIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (jobIds.length === 0) return new Map();
  const rows = await db.all<{ id: string; exit_code: number }>(EXIT_CODES(db), accountId, JSON.stringify(jobIds));
  return new Map(rows.map(({ id, exit_code }) => [id, exit_code]));
}

/** Devices whose last attempt failed, with the job of their wave. */
export const failedDevices = (
  db: Reader,
  rollout: RolloutRow,
): Promise<{ seq: number; id: string; name: string; device_id: string }[]> =>
  db.all(
    `SELECT p.seq, p.id, p.name, j.device_id FROM rollout_waves w JOIN jobs p ON p.seq = w.job_seq
     JOIN jobs j ON j.parent_seq = w.job_seq AND j.superseded = 0
     JOIN rollout_devices r ON r.rollout_seq = w.rollout_seq AND r.device_id = j.device_id AND r.skipped = 0
     JOIN devices v ON v.seq = j.device_seq
     WHERE w.rollout_seq = ? AND ${STATE} IN ('Failed', 'RolledBack', 'NoAnswer') ORDER BY j.seq`,
    rollout.seq,
  );

/** Devices on which the deployment succeeded. */
export const succeededDevices = async (db: Reader, rollout: RolloutRow): Promise<string[]> =>
  (
    await db.all<{ device_id: string }>(
      `SELECT j.device_id FROM rollout_waves w JOIN jobs j ON j.parent_seq = w.job_seq AND j.superseded = 0
       JOIN devices v ON v.seq = j.device_seq
       WHERE w.rollout_seq = ? AND coalesce(j.verdict, j.status) = 'Succeeded' ORDER BY j.seq`,
      rollout.seq,
    )
  ).map(({ device_id }) => device_id);

const SKIP = perDialect(
  (sql) => `UPDATE rollout_devices SET skipped = 1
    WHERE rollout_seq = ? AND device_id IN (SELECT d.value FROM ${sql.list('d')}) RETURNING device_id, device_name, wave`,
);

/** Leaves devices out of the rollout; returns those that are in one of its waves. */
export const skipDevices = (
  tx: Tx,
  rolloutSeq: number,
  deviceIds: readonly string[],
): Promise<{ device_id: string; device_name: string; wave: number }[]> =>
  tx.all(SKIP(tx), rolloutSeq, JSON.stringify(deviceIds));

const WAITING = perDialect(
  (sql) => `SELECT j.seq, j.parent_seq FROM rollout_devices r
    JOIN rollout_waves w ON w.rollout_seq = r.rollout_seq AND w.number = r.wave
    JOIN devices v ON v.id = r.device_id
    JOIN jobs j ON j.parent_seq = w.job_seq AND j.device_seq = v.seq AND j.superseded = 0
    WHERE r.rollout_seq = ? AND j.status = 'Waiting' AND r.device_id IN (SELECT d.value FROM ${sql.list('d')})`,
);

/** The waiting jobs of devices in waves that have started. */
export const waitingJobs = (
  db: Reader,
  rolloutSeq: number,
  deviceIds: readonly string[],
): Promise<{ seq: number; parent_seq: number }[]> => db.all(WAITING(db), rolloutSeq, JSON.stringify(deviceIds));

/** All artifacts uploaded before this one, latest first. */
export const artifactsBefore = (
  db: Reader,
  accountId: number,
  id: string,
): Promise<{ id: string; name: string; version: string }[]> =>
  db.all(
    `SELECT id, name, version FROM artifacts
     WHERE account_id = ?1 AND seq < (SELECT seq FROM artifacts WHERE id = ?2 AND account_id = ?1) ORDER BY seq DESC`,
    accountId,
    id,
  );

const SITES = perDialect(
  (sql) => `SELECT seq, site, online FROM devices WHERE seq IN (SELECT CAST(w.value AS BIGINT) FROM ${sql.list('w')})`,
);

/** The site of each device and whether it is Online, by seq. */
export async function sitesOf(
  db: Reader,
  seqs: readonly number[],
): Promise<Map<number, { site: string; online: number }>> {
  const rows = await db.all<{ seq: number; site: string; online: number }>(SITES(db), JSON.stringify(seqs));
  return new Map(rows.map((row) => [row.seq, row]));
}

const OUTCOMES = perDialect(
  (sql) => `SELECT v.seq, CASE WHEN coalesce(j.verdict, j.status) = 'Succeeded' THEN 1 ELSE 0 END AS took
    FROM rollout_devices r JOIN devices v ON v.id = r.device_id AND +v.account_id = ?
    LEFT JOIN rollout_waves w ON w.rollout_seq = r.rollout_seq AND w.number = r.wave
    ${jobOf(sql)}
    WHERE r.rollout_seq = ? AND r.skipped = 0 ORDER BY v.seq`,
);

/** The rollout's devices that still exist, and on how many of them the deployment succeeded. */
export async function outcomeOf(
  db: Reader,
  rollout: Pick<RolloutRow, 'seq' | 'account_id'>,
): Promise<{ succeeded: number; deviceSeqs: number[] }> {
  const rows = await db.all<{ seq: number; took: number }>(OUTCOMES(db), rollout.account_id, rollout.seq);
  return { succeeded: rows.filter(({ took }) => took === 1).length, deviceSeqs: rows.map(({ seq }) => seq) };
}
