// Devices in the database. SQLite builds listings as JSON text: a page of 25 takes half the time of converting rows to
// objects and objects to text.
import type {
  AgentProblem,
  AgentUpdate,
  DeviceChange,
  DeviceDraft,
  DeviceFilter,
  Position,
} from '#/contract/devices.ts';
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

const isoTime = (column: string) => `strftime('%Y-%m-%dT%H:%M:%f+00:00', ${column} / 1000.0, 'unixepoch')`;

/** The contract's listing object, from a row named `d`. */
const LISTING = `json_object(
  'DeviceId', d.id, 'DeviceName', d.name, 'DeviceGroup', d.grp, 'LocalAddr', d.local_addr, 'LocalPort', d.local_port,
  'DeviceStatus', iif(d.online, 'Online', 'Offline'), 'CustomerName', d.customer, 'CustomerSite', d.site,
  'CreatedTime', ${isoTime('d.created')}, 'LastSeenTime', ifnull(${isoTime('d.last_seen')}, ''),
  'AgentVersion', d.agent_version, 'AgentUpdate', d.agent_update, 'AgentProblem', d.agent_problem,
  'AgentProblemText', d.agent_problem_text, 'AgentProblemTime', ifnull(${isoTime('d.agent_problem_time')}, ''),
  'SysOS', d.os, 'SysArch', d.arch, 'SysHostname', d.hostname,
  'Tags', json((
    SELECT json_group_array(json_object('TagId', t.id, 'TagName', t.name))
    FROM device_tags dt JOIN tags t ON t.id = dt.tag_id WHERE dt.device_seq = d.seq
  ))
)`;

const PAGE = `
  SELECT json_group_array(${LISTING}) AS json
  FROM (SELECT * FROM devices INDEXED BY devices_of_account WHERE account_id = ? AND seq >= ? ORDER BY seq LIMIT ?) d`;

/** JSON list of `rows` devices from `seq` on, in creation order. */
export const listFrom = async (db: Reader, accountId: number, seq: number, rows: number): Promise<string> =>
  (await db.get<{ json: string }>(PAGE, accountId, seq, rows))?.json ?? '[]';

/** JSON list of the devices that meet every condition; an empty condition does not count. */
export async function listFiltered(
  db: Reader,
  accountId: number,
  filter: DeviceFilter,
  offset: number,
  rows: number,
): Promise<string> {
  const { where, values } = conditions(accountId, filter);
  if (!where) return '[]';
  const sql = `
    SELECT json_group_array(${LISTING}) AS json FROM (
      SELECT * FROM devices
      WHERE seq IN (SELECT seq FROM devices WHERE ${where} ORDER BY seq LIMIT ? OFFSET ?) ORDER BY seq
      LIMIT -1
    ) d`;
  return (await db.get<{ json: string }>(sql, ...values, rows, offset))?.json ?? '[]';
}

/**
 * The seqs of matching devices among the first `rows` after `seq`, and the last seq that was examined (null past the
 * end). No index helps to find part of a name, and searching a whole fleet at once would delay other requests.
 */
export async function matchesAfter(
  db: Reader,
  accountId: number,
  filter: DeviceFilter,
  seq: number,
  rows: number,
): Promise<{ seqs: number[]; last: number | null }> {
  const { where, values } = conditions(accountId, filter);
  const { last } = (await db.get<{ last: number | null }>(
    'SELECT max(seq) AS last FROM (SELECT seq FROM devices WHERE account_id = ? AND seq > ? ORDER BY seq LIMIT ?)',
    accountId,
    seq,
    rows,
  )) ?? { last: null };
  if (last === null || !where) return { seqs: [], last: null };
  const sql = `SELECT seq FROM devices WHERE ${where} AND seq > ? AND seq <= ? ORDER BY seq`;
  return { seqs: (await db.all<{ seq: number }>(sql, ...values, seq, last)).map((row) => row.seq), last };
}

/** JSON list of the devices with these seqs, in creation order. */
export const listSeqs = async (db: Reader, seqs: number[]): Promise<string> =>
  (
    await db.get<{ json: string }>(
      `SELECT json_group_array(${LISTING}) AS json FROM (
       SELECT * FROM devices WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq LIMIT -1
     ) d`,
      JSON.stringify(seqs),
    )
  )?.json ?? '[]';

/** The conditions of a filter as SQL; `where` is empty if no device can meet them. */
function conditions(accountId: number, filter: DeviceFilter): { where: string; values: (string | number)[] } {
  const parts = ['account_id = ?'];
  const values: (string | number)[] = [accountId];
  const add = (sql: string, ...more: (string | number)[]) => {
    parts.push(sql);
    values.push(...more);
  };
  if (filter.device_name) add('instr(name_folded, ?) > 0', fold(filter.device_name));
  if (filter.device_id) add('instr(id, ?) > 0', fold(filter.device_id));
  if (filter.device_group) add('grp = ?', filter.device_group);
  if (filter.device_tag)
    add(
      'seq IN (SELECT device_seq FROM device_tags WHERE tag_id IN (SELECT id FROM tags WHERE account_id = ? AND (id = ? OR name = ?)))',
      accountId,
      filter.device_tag,
      filter.device_tag,
    );
  if (filter.device_status) {
    const status = fold(filter.device_status.trim());
    if (status === 'online') add('online = 1');
    else if (status === 'offline') add('online = 0');
    else return { where: '', values: [] };
  }
  return { where: parts.join(' AND '), values };
}

/** JSON objects of the devices with these ids, in the order of the ids, without unknown ones. */
export const listSelected = async (db: Reader, accountId: number, ids: string[]): Promise<string[]> =>
  (
    await db.all<{ json: string }>(
      `SELECT ${LISTING} AS json FROM json_each(?) asked CROSS JOIN devices d ON d.id = asked.value AND d.account_id = ?
       ORDER BY asked.key`,
      JSON.stringify(ids),
      accountId,
    )
  ).map(({ json }) => json);

/** JSON list of the locations of `rows` devices after `seq`, and the last seq (null past the end). */
export const locationsAfter = async (db: Reader, accountId: number, seq: number, rows: number) =>
  (await db.get<{ json: string; last: number | null }>(
    `SELECT json_group_array(json_object('DeviceId', id, 'Lat', lat, 'Lng', lng)) AS json, max(seq) AS last
     FROM (SELECT seq, id, lat, lng FROM devices WHERE account_id = ? AND seq > ? ORDER BY seq LIMIT ?)`,
    accountId,
    seq,
    rows,
  )) ?? { json: '[]', last: null };

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
       agent_problem_time = iif(?2 = '', NULL, iif(agent_problem = ?2 AND agent_problem_text = ?3, agent_problem_time, ?4))
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
