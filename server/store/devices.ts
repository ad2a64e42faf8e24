// Devices in the database. Lists of them are in device-list.ts.
import type { AgentProblem, AgentUpdate, DeviceChange, DeviceDraft, Position } from '#/contract/devices.ts';
import { hashSecret, newId, newSecret } from './ids.ts';
import { LimitReached, notFound } from './errors.ts';
import { insertRow } from './database.ts';
import type { Reader, Tx } from './database.ts';
import { perDialect } from './dialect.ts';
import { CAUSES, noteState } from './state-history.ts';
import { fold } from '#/contract/fold.ts';
import { DEVICES_RENAMED } from './name-index.ts';
import { DEVICES_MOVED, inGroups } from './scope.ts';
import type { Scope } from './scope.ts';
import { markTunnelsDown } from './tunnels.ts';

export interface DeviceRow {
  seq: number;
  id: string;
  account_id: number;
  name: string;
}

/** The device with this id, if it is in the scope. */
export function findDevice(db: Reader, scope: Scope, id: string): Promise<DeviceRow | undefined> {
  const own = inGroups(db.dialect, scope, 'grp');
  return db.get<DeviceRow>(
    `SELECT seq, id, account_id, name FROM devices WHERE id = ? AND account_id = ?${own.sql}`,
    id,
    scope.accountId,
    ...own.values,
  );
}

/** The device with this id, or a 404 if the scope has none. */
export async function deviceById(db: Reader, scope: Scope, id: string): Promise<DeviceRow> {
  const row = await findDevice(db, scope, id);
  if (!row) throw notFound('device', id);
  return row;
}

interface KeyedDevice extends DeviceRow {
  /** The session of its agent. */
  session: number;
  node: string;
  /** Whether this is the key that it was sent, and uses for the first time now. */
  isNext: boolean;
}

/**
 * The device with the key of this hash: its own one, or the one that it was sent to replace that. One statement, because the
 * second key may become the first one between two.
 */
export async function deviceByKeyHash(db: Reader, keyHash: Uint8Array): Promise<KeyedDevice | undefined> {
  const row = await db.get<DeviceRow & { session: number; node: string; is_next: number }>(
    `SELECT seq, id, account_id, name, session, node, CASE WHEN key_hash = ?1 THEN 0 ELSE 1 END AS is_next FROM devices
     WHERE key_hash = ?1 OR next_key_hash = ?1 ORDER BY is_next LIMIT 1`,
    keyHash,
  );
  if (!row) return undefined;
  const { is_next: isNext, ...device } = row;
  return { ...device, isNext: isNext === 1 };
}

export const deviceByKey = (db: Reader, key: string): Promise<DeviceRow | undefined> =>
  deviceByKeyHash(db, hashSecret(key));

/** The account of a device; undefined after its deletion. */
export const accountOfDevice = async (db: Reader, seq: number): Promise<number | undefined> =>
  (await db.get<{ account_id: number }>('SELECT account_id FROM devices WHERE seq = ?', seq))?.account_id;

/** Adds a device with a new key, which is returned only here. */
export async function insertDevice(
  tx: Tx,
  accountId: number,
  draft: DeviceDraft,
  now: number,
): Promise<DeviceRow & { key: string }> {
  const key = newSecret('mdk');
  return { ...(await insertKeyedDevice(tx, accountId, draft, hashSecret(key), now)), key };
}

/** Adds a device with the key of this hash, unless the account's licence is used up. */
export async function insertKeyedDevice(
  tx: Tx,
  accountId: number,
  { DeviceName, DeviceGroup, CustomerName = '', CustomerSite = '' }: DeviceDraft & DeviceChange,
  keyHash: Uint8Array,
  now: number,
): Promise<DeviceRow> {
  const { changes } = await tx.run(
    'UPDATE accounts SET num_devices = num_devices + 1 WHERE id = ? AND num_devices < max_devices',
    accountId,
  );
  if (changes === 0) throw await licenceUsedUp(tx, accountId);
  const id = newId();
  const name = DeviceName.toWellFormed();
  const seq = await insertRow(
    tx,
    `INSERT INTO devices (id, account_id, name, name_folded, grp, key_hash, key_since, created, state_time, customer, site)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?7, ?8, ?9)`,
    id,
    accountId,
    name,
    fold(name),
    DeviceGroup.toWellFormed(),
    keyHash,
    now,
    CustomerName.toWellFormed(),
    CustomerSite.toWellFormed(),
  );
  return { seq, id, account_id: accountId, name };
}

async function licenceUsedUp(db: Reader, accountId: number): Promise<LimitReached> {
  const plan = await db.get<{ allowed: number }>('SELECT max_devices AS allowed FROM accounts WHERE id = ?', accountId);
  // How many there are is no business of a role that sees only some of them.
  return new LimitReached(
    'The device licence is used up',
    `It is for ${plan?.allowed} devices: delete devices that are no longer needed, or have the licence raised (MAX_DEVICES).`,
  );
}

/** Writes only the given fields. */
export async function updateDevice(tx: Tx, seq: number, change: DeviceChange): Promise<void> {
  const set = async (column: string, value: string | undefined) => {
    if (value !== undefined) await tx.run(`UPDATE devices SET ${column} = ? WHERE seq = ?`, value.toWellFormed(), seq);
  };
  await set('name', change.DeviceName);
  if (change.DeviceName !== undefined) {
    await set('name_folded', fold(change.DeviceName.toWellFormed()));
    tx.bump(DEVICES_RENAMED);
  }
  await set('grp', change.DeviceGroup);
  if (change.DeviceGroup !== undefined) tx.bump(DEVICES_MOVED);
  await set('customer', change.CustomerName);
  await set('site', change.CustomerSite);
}

export type DeviceValues = Required<DeviceChange> & Position;

/** The values of a device that a person can change. */
export const deviceValues = (db: Reader, seq: number): Promise<DeviceValues | undefined> =>
  db.get<DeviceValues>(
    `SELECT name AS "DeviceName", grp AS "DeviceGroup", customer AS "CustomerName", site AS "CustomerSite",
       lat AS "Lat", lng AS "Lng" FROM devices WHERE seq = ?`,
    seq,
  );

export const placeDevice = (tx: Tx, seq: number, { Lat, Lng }: Position) =>
  tx.run('UPDATE devices SET lat = ?, lng = ? WHERE seq = ?', Lat, Lng, seq);

/** Deletes a device with its key, tags and tunnels. dispatch.ts handles its jobs. */
export async function deleteDevice(tx: Tx, { seq, account_id }: DeviceRow): Promise<void> {
  await tx.run('DELETE FROM devices WHERE seq = ?', seq);
  await tx.run('UPDATE accounts SET num_devices = num_devices - 1 WHERE id = ?', account_id);
  tx.syncAgents(seq);
}

/** Gives a device a new key; the old key and the agent's session become invalid. */
export async function replaceKey(tx: Tx, seq: number, at: number): Promise<string> {
  const key = newSecret('mdk');
  await setKey(tx, seq, hashSecret(key), at);
  return key;
}

/** The same with the key of this hash. */
export async function setKey(tx: Tx, seq: number, keyHash: Uint8Array, at: number): Promise<void> {
  await tx.run(
    `UPDATE devices SET key_hash = ?, key_since = ?, rotation_asked = NULL, next_key_hash = NULL, next_key_sent = NULL,
       rotation_problem = '', session = session + 1, online = 0 WHERE seq = ?`,
    keyHash,
    at,
    seq,
  );
  tx.bump(ONLINE);
  await noteState(tx, seq, CAUSES.newKey, at);
  await markTunnelsDown(tx, seq);
  tx.syncAgents(seq);
}

/** The version of which devices are Online; see Database.version. */
export const ONLINE = 'online';

/** What an agent reports when it connects. */
export interface Inventory {
  addr: string;
  port: string;
  version: string;
  os: string;
  arch: string;
  hostname: string;
  /** The destinations that it lets the service ask for; '' from agents that say nothing. */
  tunnelsAllowed: string;
  /** Why it cannot take a new key; '' if it can. */
  keyFixed: string;
  at: number;
}

/**
 * Records that an agent connected with this key, and starts a session. Undefined if the device now has another key.
 * Another node with an earlier session of this device notices that it was replaced.
 */
export async function beginSession(
  tx: Tx,
  { seq, keyHash, node }: { seq: number; keyHash: Uint8Array; node: string },
  { addr, port, version, os, arch, hostname, tunnelsAllowed, keyFixed, at }: Inventory,
): Promise<number | undefined> {
  const row = await tx.get<{ session: number }>(
    `UPDATE devices SET online = 1, session = session + 1, node = ?, last_seen = ?, local_addr = ?, local_port = ?,
       agent_version = ?, os = ?, arch = ?, hostname = ?, tunnels_allowed = ?, key_fixed = ?
     WHERE seq = ? AND key_hash = ? RETURNING session`,
    node,
    at,
    addr,
    port,
    version,
    os,
    arch,
    hostname,
    tunnelsAllowed,
    keyFixed,
    seq,
    keyHash,
  );
  if (row) await noteState(tx, seq, CAUSES.connected, at);
  if (row) tx.bump(ONLINE);
  return row?.session;
}

/** What a node reads of a device to check on its agent's session. */
export interface SessionRow {
  seq: number;
  session: number;
  node: string;
  update_asked: string;
  rotation_asked: number | null;
}

const SESSIONS = perDialect(
  (sql) => `SELECT seq, session, node, update_asked, rotation_asked FROM devices
    WHERE seq IN (SELECT CAST(value AS BIGINT) FROM ${sql.list('asked')})`,
);

/** The current sessions of these devices, by seq. */
export const sessionsOf = async (db: Reader, seqs: Iterable<number>): Promise<Map<number, SessionRow>> =>
  new Map((await db.all<SessionRow>(SESSIONS(db), JSON.stringify([...seqs]))).map((row) => [row.seq, row]));

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

/** Records an agent that was refused because of its link version; it will keep trying. */
export async function markRefused(
  tx: Tx,
  seq: number,
  { version, problem, text, at }: { version: string; problem: AgentProblem; text: string; at: number },
): Promise<void> {
  // While one agent is connected, another one with the same key does not change the device.
  if (await tx.get('SELECT 1 FROM devices WHERE seq = ? AND online = 1', seq)) return;
  await setAgentState(tx, seq, { update: '', problem, text }, at);
  await tx.run('UPDATE devices SET agent_version = ? WHERE seq = ? AND agent_version <> ?', version, seq, version);
}

/** Whether no other agent of the device has connected since, and its key was not replaced. */
export const isLatest = async (
  db: Reader,
  { deviceSeq, session }: { deviceSeq: number; session: number },
): Promise<boolean> =>
  (await db.get('SELECT 1 FROM devices WHERE seq = ? AND session = ?', deviceSeq, session)) !== undefined;

/**
 * Records that the agent of this session disconnected; false if another one has connected since. `sentAway` means that
 * the service closed the connection and expects the agent back.
 */
export async function markOffline(
  tx: Tx,
  { seq, session, sentAway }: { seq: number; session: number; sentAway: boolean },
  at: number,
): Promise<boolean> {
  const { changes } = await tx.run(
    'UPDATE devices SET online = 0, last_seen = ? WHERE seq = ? AND session = ?',
    at,
    seq,
    session,
  );
  if (changes > 0) tx.bump(ONLINE);
  if (changes > 0 && !sentAway) await noteState(tx, seq, CAUSES.disconnected, at);
  return changes > 0;
}

/** Sets "last seen" of all devices that are connected to this node to now. */
export const markSeen = (tx: Tx, node: string, at: number) =>
  tx.run('UPDATE devices SET last_seen = ? WHERE node = ? AND online = 1', at, node);

/** Marks all devices Offline: no agent is connected after a start. */
export const markAllOffline = (tx: Tx) => tx.run('UPDATE devices SET online = 0 WHERE online = 1');

/** Whether the device's agent is connected and says that it can update itself. */
export const updateAbility = async (db: Reader, seq: number) =>
  (await db.get<{ online: number; update: AgentUpdate | ''; text: string }>(
    'SELECT online, agent_update AS "update", agent_problem_text AS "text" FROM devices WHERE seq = ?',
    seq,
  )) ?? { online: 0, update: '' as const, text: '' };

/** The version of the device's agent, and the destinations that it lets the service ask for; '' if it said nothing. */
export const allowanceOf = async (db: Reader, seq: number): Promise<{ allowed: string; agentVersion: string }> =>
  (await db.get<{ allowed: string; agentVersion: string }>(
    'SELECT tunnels_allowed AS allowed, agent_version AS "agentVersion" FROM devices WHERE seq = ?',
    seq,
  )) ?? { allowed: '', agentVersion: '' };

/** SHA-256 of the device's key, in hexadecimal. */
export async function keyHashOf(db: Reader, seq: number): Promise<string> {
  const row = await db.get<{ key_hash: Uint8Array }>('SELECT key_hash FROM devices WHERE seq = ?', seq);
  return Buffer.from(row?.key_hash ?? []).toString('hex');
}

/** Asks the agent to update itself; `asked` names the program, see jobs/agent-updates.ts. */
export async function askToUpdate(tx: Tx, seq: number, asked: string): Promise<void> {
  await tx.run('UPDATE devices SET update_asked = ? WHERE seq = ?', asked, seq);
  tx.syncAgents(seq);
}

export const noteAskedUpdate = (tx: Tx, seq: number) =>
  tx.run("UPDATE devices SET update_asked = '' WHERE seq = ?", seq);
