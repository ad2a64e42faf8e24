// Rollouts in the database. What became of each device is not stored: it is in the job of its wave, and in the device.
import type { RolloutDeviceState, RolloutDraft, RolloutState } from '#/contract/rollouts.ts';
import { notFound } from '../http/problem.ts';
import type { Caller } from '../http/caller.ts';
import { newId } from './ids.ts';
import { insertRow } from './database.ts';
import type { Reader, Tx } from './database.ts';
import { perDialect } from './dialect.ts';

export interface RolloutRow {
  seq: number;
  id: string;
  account_id: number;
  name: string;
  /** As it was made, without DeviceIds, as JSON. */
  settings: string;
  state: RolloutState;
  version: number;
  because: string;
  /** The last wave that has begun, from 0; -1 before the first. */
  wave: number;
  waves: number;
  /** 1: a person has let the next wave begin. */
  confirmed: number;
  /** Who made it: its jobs are theirs. */
  actor: string;
  address: string;
  created: number;
  ended: number | null;
}

export interface WaveRow {
  number: number;
  job_seq: number | null;
  job_id: string | null;
  /** When it began, or was tried again or resumed. */
  began: number;
  /** When it passed. */
  passed: number | null;
  /** Failures that a person knew of when the rollout was resumed. */
  forgiven: number;
}

export type Settings = Omit<RolloutDraft, 'DeviceIds' | 'Waves'>;
export const settingsOf = ({ settings }: Pick<RolloutRow, 'settings'>): Settings => JSON.parse(settings) as Settings;

export async function rolloutById(db: Reader, accountId: number, id: string): Promise<RolloutRow> {
  const row = await db.get<RolloutRow>('SELECT * FROM rollouts WHERE id = ? AND account_id = ?', id, accountId);
  if (!row) throw notFound('rollout', id);
  return row;
}

/** Newest first. */
export const rolloutsOf = (db: Reader, accountId: number): Promise<RolloutRow[]> =>
  db.all<RolloutRow>('SELECT * FROM rollouts WHERE account_id = ? ORDER BY seq DESC', accountId);

/** Those that go on by themselves, of all accounts. */
export const openRollouts = (db: Reader): Promise<RolloutRow[]> =>
  db.all<RolloutRow>("SELECT * FROM rollouts WHERE state IN ('Scheduled', 'Running', 'Waiting') ORDER BY seq");

const INSERT_DEVICES = perDialect(
  (sql) => `INSERT INTO rollout_devices (rollout_seq, wave, device_id, device_name)
    SELECT CAST(? AS BIGINT), CAST(? AS BIGINT), d.id, d.name FROM devices d
    WHERE d.account_id = ? AND d.id IN (SELECT w.value FROM ${sql.list('w')})
    ON CONFLICT DO NOTHING`,
);

/** Adds devices to a wave; those that are in one already stay there. */
export const addDevices = (
  tx: Tx,
  rollout: Pick<RolloutRow, 'seq' | 'account_id'>,
  wave: number,
  ids: readonly string[],
) => tx.run(INSERT_DEVICES(tx), rollout.seq, wave, rollout.account_id, JSON.stringify(ids));

interface NewRollout {
  caller: Pick<Caller, 'account' | 'actor' | 'address'>;
  draft: Settings;
  waves: readonly (readonly string[])[];
  at: number;
}

export async function insertRollout(tx: Tx, { caller, draft, waves, at }: NewRollout): Promise<RolloutRow> {
  const id = newId();
  const seq = await insertRow(
    tx,
    `INSERT INTO rollouts (id, account_id, name, settings, state, waves, actor, address, created)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    caller.account.id,
    draft.Name,
    tx.dialect.storable(JSON.stringify(draft)),
    draft.StartTime === undefined ? 'Running' : 'Scheduled',
    waves.length,
    caller.actor,
    caller.address,
    at,
  );
  for (const [wave, ids] of waves.entries()) await addDevices(tx, { seq, account_id: caller.account.id }, wave, ids);
  return rolloutById(tx, caller.account.id, id);
}

/** What changes with a step. Returns false if somebody else was faster. */
export async function stepTo(
  tx: Tx,
  row: RolloutRow,
  change: Partial<Pick<RolloutRow, 'state' | 'because' | 'wave' | 'confirmed' | 'ended'>>,
): Promise<boolean> {
  const next = { ...row, ...change };
  const { changes } = await tx.run(
    `UPDATE rollouts SET state = ?, because = ?, wave = ?, confirmed = ?, ended = ?, version = version + 1
     WHERE seq = ? AND version = ?`,
    next.state,
    next.because,
    next.wave,
    next.confirmed,
    next.ended,
    row.seq,
    row.version,
  );
  return changes > 0;
}

export interface StepRow {
  at: number;
  /** '' for the service. */
  actor: string;
  text: string;
  reason: string;
}

export const noteStep = (tx: Tx, rollout: Pick<RolloutRow, 'seq'>, step: StepRow) =>
  tx.run(
    'INSERT INTO rollout_steps (rollout_seq, at, actor, text, reason) VALUES (?, ?, ?, ?, ?)',
    rollout.seq,
    step.at,
    step.actor,
    step.text,
    step.reason,
  );

/** The newest first. */
export const stepsOf = (db: Reader, rolloutSeq: number, limit: number): Promise<StepRow[]> =>
  db.all<StepRow>(
    'SELECT at, actor, text, reason FROM rollout_steps WHERE rollout_seq = ? ORDER BY seq DESC LIMIT ?',
    rolloutSeq,
    limit,
  );

export const deleteRollout = (tx: Tx, seq: number) => tx.run('DELETE FROM rollouts WHERE seq = ?', seq);

// ---- Waves ---------------------------------------------------------------------------------------------------------

/** Those that have begun. */
export const wavesOf = (db: Reader, rolloutSeq: number): Promise<WaveRow[]> =>
  db.all<WaveRow>(
    `SELECT w.number, w.job_seq, j.id AS job_id, w.began, w.passed, w.forgiven
     FROM rollout_waves w LEFT JOIN jobs j ON j.seq = w.job_seq WHERE w.rollout_seq = ? ORDER BY w.number`,
    rolloutSeq,
  );

export const insertWave = (tx: Tx, rolloutSeq: number, wave: Pick<WaveRow, 'number' | 'job_seq' | 'began'>) =>
  tx.run(
    'INSERT INTO rollout_waves (rollout_seq, number, job_seq, began) VALUES (?, ?, ?, ?)',
    rolloutSeq,
    wave.number,
    wave.job_seq,
    wave.began,
  );

export const setWave = (tx: Tx, rolloutSeq: number, { number, began, passed, forgiven }: WaveRow) =>
  tx.run(
    'UPDATE rollout_waves SET began = ?, passed = ?, forgiven = ? WHERE rollout_seq = ? AND number = ?',
    began,
    passed,
    forgiven,
    rolloutSeq,
    number,
  );

/** The devices of a wave that still exist and were not left out. */
export const devicesToBegin = async (db: Reader, rollout: RolloutRow, wave: number): Promise<string[]> =>
  (
    await db.all<{ id: string }>(
      `SELECT d.id FROM rollout_devices r JOIN devices d ON d.id = r.device_id AND d.account_id = ?
       WHERE r.rollout_seq = ? AND r.wave = ? AND r.skipped = 0 ORDER BY d.seq`,
      rollout.account_id,
      rollout.seq,
      wave,
    )
  ).map(({ id }) => id);

/** Planned devices by wave. */
export const plannedIn = (
  db: Reader,
  rolloutSeq: number,
): Promise<{ wave: number; devices: number; skipped: number }[]> =>
  db.all(
    `SELECT wave, count(*) AS devices, sum(skipped) AS skipped FROM rollout_devices
     WHERE rollout_seq = ? GROUP BY wave ORDER BY wave`,
    rolloutSeq,
  );

// ---- Devices -------------------------------------------------------------------------------------------------------

/**
 * The state of a device by its job `j` and itself `v`, see the contract. A job that is still to be judged by its outcome
 * rules runs. After a stop of the service a device has not been away: its state is that of the history.
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

export interface WaveCounts {
  counts: Partial<Record<RolloutDeviceState, number>>;
  /** Succeeded, and Online since the end of its job for so long. */
  back: number;
}

/** `onlineSince`: devices that were Online before this count as back. */
export async function countWave(
  db: Reader,
  rollout: Pick<RolloutRow, 'seq' | 'account_id'>,
  { number, job_seq }: Pick<WaveRow, 'number' | 'job_seq'>,
  onlineSince: number,
): Promise<WaveCounts> {
  const rows = await db.all<{ state: RolloutDeviceState; devices: number; back: number }>(
    `SELECT state, count(*) AS devices, sum(back) AS back FROM (
       SELECT ${STATE} AS state,
         CASE WHEN v.state_online = 1 AND v.state_time <= ?1 AND j.ended <= ?1 THEN 1 ELSE 0 END AS back
       FROM jobs j JOIN rollout_devices r ON r.rollout_seq = ?2 AND r.device_id = j.device_id AND r.wave = ?3
       LEFT JOIN devices v ON v.seq = j.device_seq
       WHERE j.parent_seq = ?4 AND j.superseded = 0) AS each GROUP BY state`,
    onlineSince,
    rollout.seq,
    number,
    job_seq ?? -1,
  );
  const counts = Object.fromEntries(rows.map(({ state, devices }) => [state, devices]));
  return { counts, back: rows.find(({ state }) => state === 'Succeeded')?.back ?? 0 };
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

/** By wave and id, after a position. */
export const devicesOf = (
  db: Reader,
  rollout: RolloutRow,
  after: DevicePosition,
  limit: number,
): Promise<DeviceStateRow[]> =>
  db.all<DeviceStateRow>(
    `SELECT r.device_id, coalesce(v.name, r.device_name) AS device_name, r.wave, j.id AS job_id, j.attempt, j.reason,
       j.verdict_because, CASE WHEN w.number IS NULL THEN 0 ELSE 1 END AS has_begun,
       CASE WHEN w.number IS NULL AND r.skipped = 0 THEN 'Pending' ELSE ${STATE} END AS state
     FROM rollout_devices r
     LEFT JOIN rollout_waves w ON w.rollout_seq = r.rollout_seq AND w.number = r.wave
     LEFT JOIN devices v ON v.id = r.device_id AND v.account_id = ?
     LEFT JOIN jobs j ON j.device_seq = v.seq AND j.parent_seq = w.job_seq AND j.superseded = 0
     WHERE r.rollout_seq = ? AND (r.wave, r.device_id) > (?, ?) ORDER BY r.wave, r.device_id LIMIT ?`,
    rollout.account_id,
    rollout.seq,
    after.wave,
    after.id,
    limit,
  );

/** Ids of devices whose last attempt failed, by the job of their wave. */
export const failedDevices = (db: Reader, rollout: RolloutRow): Promise<{ job_id: string; device_id: string }[]> =>
  db.all(
    `SELECT p.id AS job_id, j.device_id FROM rollout_waves w JOIN jobs p ON p.seq = w.job_seq
     JOIN jobs j ON j.parent_seq = w.job_seq AND j.superseded = 0
     JOIN rollout_devices r ON r.rollout_seq = w.rollout_seq AND r.device_id = j.device_id AND r.skipped = 0
     JOIN devices v ON v.seq = j.device_seq
     WHERE w.rollout_seq = ? AND ${STATE} IN ('Failed', 'RolledBack', 'NoAnswer') ORDER BY j.seq`,
    rollout.seq,
  );

/** Devices that took what the rollout brought. */
export const succeededDevices = async (db: Reader, rollout: RolloutRow): Promise<string[]> =>
  (
    await db.all<{ device_id: string }>(
      `SELECT j.device_id FROM rollout_waves w JOIN jobs j ON j.parent_seq = w.job_seq AND j.superseded = 0
       JOIN devices v ON v.seq = j.device_seq
       WHERE w.rollout_seq = ? AND coalesce(j.verdict, j.status) = 'Succeeded' ORDER BY j.seq`,
      rollout.seq,
    )
  ).map(({ device_id }) => device_id);

/** Leaves a device out; returns its wave, or undefined if it is in none. */
export const skipDevice = (tx: Tx, rolloutSeq: number, deviceId: string): Promise<{ wave: number } | undefined> =>
  tx.get(
    'UPDATE rollout_devices SET skipped = 1 WHERE rollout_seq = ? AND device_id = ? RETURNING wave',
    rolloutSeq,
    deviceId,
  );

/** The job of a device in a wave that has begun. */
export const jobOfDevice = (db: Reader, rolloutSeq: number, deviceId: string): Promise<{ id: string } | undefined> =>
  db.get(
    `SELECT j.id FROM rollout_devices r
     JOIN rollout_waves w ON w.rollout_seq = r.rollout_seq AND w.number = r.wave
     JOIN devices v ON v.id = r.device_id
     JOIN jobs j ON j.device_seq = v.seq AND j.parent_seq = w.job_seq AND j.superseded = 0
     WHERE r.rollout_seq = ? AND r.device_id = ?`,
    rolloutSeq,
    deviceId,
  );

/** The artifact of the same name that was uploaded before this one. */
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
