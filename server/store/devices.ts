// Devices in the database. Lists of them are in device-list.ts.
import type { AgentProblem, AgentUpdate, DeviceChange, DeviceDraft, Position } from '#/contract/devices.ts';
import { hashSecret, newId, newSecret } from './ids.ts';
import { notFound, Problem } from '../http/problem.ts';
import { insertRow } from './database.ts';
import type { Reader, Tx } from './database.ts';
import { fold } from './fold.ts';

/** The columns that the rest of the service needs. */
export interface DeviceRow {
  seq: number;
  id: string;
  account_id: number;
  name: string;
}

/** The account's device with this id, or a 404. */
export async function deviceById(db: Reader, accountId: number, id: string): Promise<DeviceRow> {
  const row = await db.get<DeviceRow>(
    'SELECT seq, id, account_id, name FROM devices WHERE id = ? AND account_id = ?',
    id,
    accountId,
  );
  if (!row) throw notFound('device', id);
  return row;
}

export const deviceByKey = (db: Reader, key: string): Promise<DeviceRow | undefined> =>
  db.get<DeviceRow>('SELECT seq, id, account_id, name FROM devices WHERE key_hash = ?', hashSecret(key));

/** The account of a device; undefined after its deletion. */
export const accountOfDevice = async (db: Reader, seq: number): Promise<number | undefined> =>
  (await db.get<{ account_id: number }>('SELECT account_id FROM devices WHERE seq = ?', seq))?.account_id;

/** Adds a device, unless the account's licence is used up. The key is returned only here. */
export async function insertDevice(
  tx: Tx,
  accountId: number,
  draft: DeviceDraft,
  now: number,
): Promise<{ seq: number; id: string; key: string }> {
  const { changes } = await tx.run(
    'UPDATE accounts SET num_devices = num_devices + 1 WHERE id = ? AND num_devices < max_devices',
    accountId,
  );
  if (changes === 0) throw await licenceUsedUp(tx, accountId);
  const id = newId();
  const key = newSecret('mdk');
  const name = draft.DeviceName.toWellFormed();
  const seq = await insertRow(
    tx,
    'INSERT INTO devices (id, account_id, name, name_folded, grp, key_hash, created) VALUES (?, ?, ?, ?, ?, ?, ?)',
    id,
    accountId,
    name,
    fold(name),
    draft.DeviceGroup.toWellFormed(),
    hashSecret(key),
    now,
  );
  return { seq, id, key };
}

async function licenceUsedUp(db: Reader, accountId: number): Promise<Problem> {
  const plan = await db.get<{ used: number; allowed: number }>(
    'SELECT num_devices AS used, max_devices AS allowed FROM accounts WHERE id = ?',
    accountId,
  );
  return new Problem(
    403,
    'The device licence is used up',
    `The account holds ${plan?.used} of ${plan?.allowed} devices: delete devices that are no longer needed, or have the licence raised (MAX_DEVICES).`,
  );
}

/** Writes only the given fields. */
export async function updateDevice(tx: Tx, seq: number, change: DeviceChange): Promise<void> {
  const set = async (column: string, value: string | undefined) => {
    if (value !== undefined) await tx.run(`UPDATE devices SET ${column} = ? WHERE seq = ?`, value.toWellFormed(), seq);
  };
  await set('name', change.DeviceName);
  if (change.DeviceName !== undefined) await set('name_folded', fold(change.DeviceName.toWellFormed()));
  await set('grp', change.DeviceGroup);
  await set('customer', change.CustomerName);
  await set('site', change.CustomerSite);
}

export const placeDevice = (tx: Tx, seq: number, { Lat, Lng }: Position) =>
  tx.run('UPDATE devices SET lat = ?, lng = ? WHERE seq = ?', Lat, Lng, seq);

/** Deletes a device with its key, tags and tunnels. dispatch.ts handles its jobs. */
export async function deleteDevice(tx: Tx, { seq, account_id }: DeviceRow): Promise<void> {
  await tx.run('DELETE FROM devices WHERE seq = ?', seq);
  await tx.run('UPDATE accounts SET num_devices = num_devices - 1 WHERE id = ?', account_id);
}

/** Gives a device a new key; the old one becomes invalid. */
export async function replaceKey(tx: Tx, seq: number): Promise<string> {
  const key = newSecret('mdk');
  await tx.run('UPDATE devices SET key_hash = ? WHERE seq = ?', hashSecret(key), seq);
  return key;
}

/** What an agent reports when it connects. */
export interface Inventory {
  addr: string;
  port: string;
  version: string;
  os: string;
  arch: string;
  hostname: string;
  at: number;
}

export const markOnline = (tx: Tx, seq: number, { addr, port, version, os, arch, hostname, at }: Inventory) =>
  tx.run(
    `UPDATE devices SET online = 1, last_seen = ?, local_addr = ?, local_port = ?, agent_version = ?, os = ?, arch = ?, hostname = ?
     WHERE seq = ?`,
    at,
    addr,
    port,
    version,
    os,
    arch,
    hostname,
    seq,
  );

/** Whether an agent can update itself, and what is wrong with it; `text` is for users. */
export interface AgentState {
  update: AgentUpdate | '';
  problem: AgentProblem | '';
  text: string;
}

/** Writes only changes; the time of a problem is when it first occurred. */
export const setAgentState = (tx: Tx, seq: number, { update, problem, text }: AgentState, at: number) =>
  tx.run(
    `UPDATE devices SET agent_update = ?1, agent_problem = ?2, agent_problem_text = ?3,
       agent_problem_time = CASE WHEN ?2 = '' THEN NULL
         WHEN agent_problem = ?2 AND agent_problem_text = ?3 THEN agent_problem_time ELSE ?4 END
     WHERE seq = ?5 AND (agent_update <> ?1 OR agent_problem <> ?2 OR agent_problem_text <> ?3)`,
    update,
    problem,
    text,
    problem === '' ? null : at,
    seq,
  );

/** Records an agent that was refused because of its link version and continues to try. */
export async function markRefused(
  tx: Tx,
  seq: number,
  { version, problem, text, at }: { version: string; problem: AgentProblem; text: string; at: number },
): Promise<void> {
  await setAgentState(tx, seq, { update: '', problem, text }, at);
  await tx.run('UPDATE devices SET agent_version = ? WHERE seq = ? AND agent_version <> ?', version, seq, version);
}

export const markOffline = (tx: Tx, seq: number, at: number) =>
  tx.run('UPDATE devices SET online = 0, last_seen = ? WHERE seq = ?', at, seq);

/** Sets "last seen" of all connected devices to now. */
export const markSeen = (tx: Tx, at: number) => tx.run('UPDATE devices SET last_seen = ? WHERE online = 1', at);

/** Marks all devices Offline: no agent is connected after a start. */
export const markAllOffline = (tx: Tx) => tx.run('UPDATE devices SET online = 0 WHERE online = 1');
