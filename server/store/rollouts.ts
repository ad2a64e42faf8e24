// Rollouts and their waves. The state of each device is derived from the job of its wave and from the device
// (rollout-devices.ts).
import type { RolloutDraft, RolloutState } from '#/contract/rollouts.ts';
import { notFound } from './errors.ts';
import type { Caller } from './caller.ts';
import { beginnerOf } from './current-rights.ts';
import type { Beginner } from './current-rights.ts';
import { newId } from './ids.ts';
import { insertRow } from './database.ts';
import type { Reader, Tx } from './database.ts';
import { perDialect } from './dialect.ts';
import { inGroups, isInScope, isOwnDevice, wholeAccount } from './scope.ts';
import type { Scope } from './scope.ts';

export interface RolloutRow extends Beginner {
  seq: number;
  id: string;
  account_id: number;
  name: string;
  /** The submitted draft without DeviceIds, as JSON. */
  settings: string;
  state: RolloutState;
  version: number;
  because: string;
  /** The last wave that has started, from 0; -1 before the first. */
  wave: number;
  waves: number;
  /** 1 if a person has approved the next wave. */
  confirmed: number;
  /** Who created it, or resumed it last: its jobs are submitted in their name, and need their rights. */
  actor: string;
  address: string;
  created: number;
  ended: number | null;
  /** The number of devices in each state, by wave, as JSON; null until the states are stored. */
  kept: string | null;
  /** Set if it is read for a role limited to groups: how many of its devices that role sees, and others. */
  part?: RolloutPart;
}

interface RolloutPart {
  own: number;
  /** Devices in other groups. */
  outside: number;
  /** Deleted devices: in which group they were is not known. */
  deleted: number;
}

export interface WaveRow {
  number: number;
  job_seq: number | null;
  job_id: string | null;
  started: number;
  /** From when its time limit counts: when it started, or was last retried or resumed. */
  began: number;
  /** When its gate passed; null until then. */
  passed: number | null;
  /** The failures that were already known when a person resumed the rollout. */
  forgiven: number;
  /** 1 if a person advanced it before its gate passed. */
  by_hand: number;
  /** Its figures when it passed, as JSON; null before that, and in waves that passed under an earlier version. */
  verdict: string | null;
}

export type Settings = Omit<RolloutDraft, 'DeviceIds' | 'Waves'>;
export const settingsOf = ({ settings }: Pick<RolloutRow, 'settings'>): Settings => JSON.parse(settings) as Settings;

/** The rollout with this id, or a 404 if none of its devices is in the scope. */
export async function rolloutById(db: Reader, scope: Scope, id: string): Promise<RolloutRow> {
  const row = await db.get<RolloutRow>('SELECT * FROM rollouts WHERE id = ? AND account_id = ?', id, scope.accountId);
  const [visible] = row ? await rolloutsInScope(db, scope, [row]) : [];
  if (!visible) throw notFound('rollout', id);
  return visible;
}

/** The rollouts with a device in the scope, newest first. */
export const rolloutsOf = async (db: Reader, scope: Scope): Promise<RolloutRow[]> =>
  rolloutsInScope(
    db,
    scope,
    await db.all<RolloutRow>('SELECT * FROM rollouts WHERE account_id = ? ORDER BY seq DESC', scope.accountId),
  );

// ---- What a role limited to groups sees ------------------------------------------------------------------------------

async function rolloutsInScope(db: Reader, scope: Scope, rows: RolloutRow[]): Promise<RolloutRow[]> {
  if (!scope.groups) return rows;
  const { sql, values } = inGroups(db.dialect, scope, 'v.grp');
  const visible: RolloutRow[] = [];
  for (const row of rows) {
    const part = await db.get<RolloutPart>(
      `SELECT coalesce(sum(CASE WHEN v.seq IS NOT NULL${sql} THEN 1 ELSE 0 END), 0) AS own,
         coalesce(sum(CASE WHEN v.seq IS NOT NULL AND NOT (v.seq IS NOT NULL${sql}) THEN 1 ELSE 0 END), 0) AS outside,
         coalesce(sum(CASE WHEN v.seq IS NULL THEN 1 ELSE 0 END), 0) AS deleted
       FROM rollout_devices r LEFT JOIN devices v ON v.id = r.device_id AND +v.account_id = ? WHERE r.rollout_seq = ?`,
      ...values,
      ...values,
      scope.accountId,
      row.seq,
    );
    if (part && part.own > 0) visible.push({ ...row, part });
  }
  return visible;
}

/** Whether all of it is in the scope: devices that were deleted were, if it was for a group of the scope. */
export function isWhole(scope: Scope, row: RolloutRow): boolean {
  if (!row.part) return true;
  const { DeviceGroup } = settingsOf(row);
  return row.part.outside === 0 && (row.part.deleted === 0 || (!!DeviceGroup && isInScope(scope, DeviceGroup)));
}

/** The rollouts of all accounts that advance on their own. */
export const openRollouts = (db: Reader): Promise<RolloutRow[]> =>
  db.all<RolloutRow>("SELECT * FROM rollouts WHERE state IN ('Scheduled', 'Running', 'Waiting') ORDER BY seq");

/** The ended rollouts of all accounts whose device states are not stored yet, because jobs may still be running. */
export const rolloutsToKeep = (db: Reader): Promise<RolloutRow[]> =>
  db.all<RolloutRow>('SELECT * FROM rollouts WHERE kept IS NULL AND ended IS NOT NULL ORDER BY seq');

const INSERT_DEVICES = perDialect(
  (sql) => `INSERT INTO rollout_devices (rollout_seq, wave, device_id, device_name)
    SELECT CAST(? AS BIGINT), CAST(? AS BIGINT), d.id, d.name FROM devices d
    WHERE +d.account_id = ? AND d.id IN (SELECT w.value FROM ${sql.list('w')})
    ON CONFLICT DO NOTHING`,
);

/** Adds devices to a wave, except those that are in one already. */
export const addDevices = (
  tx: Tx,
  rollout: Pick<RolloutRow, 'seq' | 'account_id'>,
  wave: number,
  ids: readonly string[],
) => tx.run(INSERT_DEVICES(tx), rollout.seq, wave, rollout.account_id, JSON.stringify(ids));

interface NewRollout {
  caller: Pick<Caller, 'account' | 'actor' | 'address' | 'credential' | 'role' | 'groups'>;
  draft: Settings;
  waves: readonly (readonly string[])[];
  at: number;
}

export async function insertRollout(tx: Tx, { caller, draft, waves, at }: NewRollout): Promise<RolloutRow> {
  const id = newId();
  const { credential, role, groups_json } = await beginnerOf(tx, caller);
  const seq = await insertRow(
    tx,
    `INSERT INTO rollouts (id, account_id, name, settings, state, waves, actor, address, created, credential, role, groups_json)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    caller.account.id,
    draft.Name,
    tx.dialect.storable(JSON.stringify(draft)),
    draft.StartTime === undefined ? 'Running' : 'Scheduled',
    waves.length,
    caller.actor,
    caller.address,
    at,
    credential,
    role,
    groups_json,
  );
  for (const [wave, ids] of waves.entries()) await addDevices(tx, { seq, account_id: caller.account.id }, wave, ids);
  return rolloutById(tx, wholeAccount(caller.account.id), id);
}

/** From now on its jobs are submitted in the name of this caller. */
export async function setBeginner(
  tx: Tx,
  { seq }: Pick<RolloutRow, 'seq'>,
  caller: NewRollout['caller'],
): Promise<void> {
  const { actor, credential, role, groups_json } = await beginnerOf(tx, caller);
  await tx.run(
    'UPDATE rollouts SET actor = ?, address = ?, credential = ?, role = ?, groups_json = ? WHERE seq = ?',
    actor,
    caller.address,
    credential,
    role,
    groups_json,
    seq,
  );
}

/** Applies a step. Returns false if another step was applied since the row was read. */
export async function applyStep(
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
  /** Who did it; '' for the service. */
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

/** Newest first. */
export const stepsOf = (db: Reader, rolloutSeq: number, limit: number): Promise<StepRow[]> =>
  db.all<StepRow>(
    'SELECT at, actor, text, reason FROM rollout_steps WHERE rollout_seq = ? ORDER BY seq DESC LIMIT ?',
    rolloutSeq,
    limit,
  );

export const deleteRollout = (tx: Tx, seq: number) => tx.run('DELETE FROM rollouts WHERE seq = ?', seq);

// ---- Waves ---------------------------------------------------------------------------------------------------------

/** The waves that have started. */
export const wavesOf = (db: Reader, rolloutSeq: number): Promise<WaveRow[]> =>
  db.all<WaveRow>(
    `SELECT w.number, w.job_seq, j.id AS job_id, w.started, w.began, w.passed, w.forgiven, w.by_hand, w.verdict
     FROM rollout_waves w LEFT JOIN jobs j ON j.seq = w.job_seq WHERE w.rollout_seq = ? ORDER BY w.number`,
    rolloutSeq,
  );

export const insertWave = (tx: Tx, rolloutSeq: number, wave: Pick<WaveRow, 'number' | 'job_seq' | 'started'>) =>
  tx.run(
    'INSERT INTO rollout_waves (rollout_seq, number, job_seq, started, began) VALUES (?, ?, ?, ?, ?)',
    rolloutSeq,
    wave.number,
    wave.job_seq,
    wave.started,
    wave.started,
  );

export const setWave = (tx: Tx, rolloutSeq: number, { number, began, passed, forgiven, by_hand, verdict }: WaveRow) =>
  tx.run(
    'UPDATE rollout_waves SET began = ?, passed = ?, forgiven = ?, by_hand = ?, verdict = ? WHERE rollout_seq = ? AND number = ?',
    began,
    passed,
    forgiven,
    by_hand,
    verdict,
    rolloutSeq,
    number,
  );

/** The devices of a wave that still exist and were not skipped. */
export const devicesOfWave = async (db: Reader, rollout: RolloutRow, wave: number): Promise<string[]> =>
  (
    await db.all<{ id: string }>(
      `SELECT d.id FROM rollout_devices r JOIN devices d ON d.id = r.device_id AND +d.account_id = ?
       WHERE r.rollout_seq = ? AND r.wave = ? AND r.skipped = 0 ORDER BY d.seq`,
      rollout.account_id,
      rollout.seq,
      wave,
    )
  ).map(({ id }) => id);

/** The number of planned and skipped devices in the scope, by wave. */
export function plannedDevices(
  db: Reader,
  scope: Scope,
  rolloutSeq: number,
): Promise<{ wave: number; devices: number; skipped: number }[]> {
  const own = isOwnDevice(db.dialect, scope, { id: 'rollout_devices.device_id' });
  return db.all(
    `SELECT wave, count(*) AS devices, sum(skipped) AS skipped FROM rollout_devices
     WHERE rollout_seq = ?${own.sql} GROUP BY wave ORDER BY wave`,
    rolloutSeq,
    ...own.values,
  );
}
