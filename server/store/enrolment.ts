// Enrolment keys, the machines that joined with them, and what those asked for.
import { MOST_ENROLMENT_KEYS, MOST_PENDING } from '#/contract/enrolment.ts';
import type { PendingBecause, ReportedFacts } from '#/contract/enrolment.ts';
import { insertRow } from './database.ts';
import type { Reader, Tx } from './database.ts';
import { notFound } from './errors.ts';
import { hashSecret, newId, newSecret, withChecksum } from './ids.ts';
import { requireRoom } from './room.ts';
import { inGroups } from './scope.ts';
import type { Scope } from './scope.ts';
import { openSeal } from './seal.ts';

export interface EnrolmentKeyRow {
  seq: number;
  id: string;
  account_id: number;
  name: string;
  prefix: string;
  /** What its devices get. */
  grp: string;
  customer: string;
  site: string;
  tags_json: string;
  /** 0: no limit. */
  max_uses: number;
  uses: number;
  expires: number | null;
  needs_approval: number;
  created: number;
  last_used: number | null;
  /** Whether its command was to allow tunnels; null if it was not said. */
  allow_tunnels: number | null;
}

const KEY_COLUMNS = `seq, id, account_id, name, prefix, grp, customer, site, tags_json, max_uses, uses, expires,
  needs_approval, created, last_used, allow_tunnels`;

const prefixed = (table: string, columns: string): string =>
  columns
    .split(',')
    .map((column) => `${table}.${column.trim()}`)
    .join(', ');

/** Characters of a secret by which a person recognizes it. */
const PREFIX_LENGTH = 10;

export const listEnrolmentKeys = (db: Reader, scope: Scope): Promise<EnrolmentKeyRow[]> => {
  const own = inGroups(db.dialect, scope, 'grp');
  return db.all<EnrolmentKeyRow>(
    `SELECT ${KEY_COLUMNS} FROM enrolment_keys WHERE account_id = ?${own.sql} ORDER BY seq DESC`,
    scope.accountId,
    ...own.values,
  );
};

type NewKey = Omit<EnrolmentKeyRow, 'seq' | 'id' | 'prefix' | 'uses' | 'created' | 'last_used'>;

/** Creates a key; the secret is returned only here. */
export async function insertEnrolmentKey(tx: Tx, key: NewKey, now: number): Promise<{ id: string; secret: string }> {
  await requireRoom(
    tx,
    { most: MOST_ENROLMENT_KEYS, what: 'enrolment keys', remedy: 'Delete keys that are no longer needed first.' },
    'enrolment_keys WHERE account_id = ?',
    key.account_id,
  );
  const id = newId();
  const secret = withChecksum(newSecret('mek'));
  await tx.run(
    `INSERT INTO enrolment_keys (id, account_id, name, prefix, hash, grp, customer, site, tags_json, max_uses, expires,
       needs_approval, allow_tunnels, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    key.account_id,
    key.name.toWellFormed(),
    secret.slice(0, PREFIX_LENGTH),
    hashSecret(secret),
    key.grp.toWellFormed(),
    key.customer.toWellFormed(),
    key.site.toWellFormed(),
    key.tags_json,
    key.max_uses,
    key.expires,
    key.needs_approval,
    key.allow_tunnels,
    now,
  );
  return { id, secret };
}

/** Deletes a key, with what waits for approval because of it. Devices that joined with it stay. */
export async function deleteEnrolmentKey(tx: Tx, scope: Scope, id: string): Promise<void> {
  const own = inGroups(tx.dialect, scope, 'grp');
  const { changes } = await tx.run(
    `DELETE FROM enrolment_keys WHERE id = ? AND account_id = ?${own.sql}`,
    id,
    scope.accountId,
    ...own.values,
  );
  if (changes === 0) throw notFound('enrolment key', id);
}

/** The key with this secret, and its account. Keys of a removed account no longer count. */
export const enrolmentKeyOf = (
  db: Reader,
  secret: string,
): Promise<(EnrolmentKeyRow & { email: string }) | undefined> =>
  db.get<EnrolmentKeyRow & { email: string }>(
    `SELECT ${prefixed('k', KEY_COLUMNS)}, a.email FROM enrolment_keys k JOIN accounts a ON a.id = k.account_id
     WHERE k.hash = ? AND a.removed IS NULL`,
    hashSecret(secret),
  );

export const enrolmentKeyBySeq = (db: Reader, seq: number): Promise<EnrolmentKeyRow | undefined> =>
  db.get<EnrolmentKeyRow>(`SELECT ${KEY_COLUMNS} FROM enrolment_keys WHERE seq = ?`, seq);

/** Counts a use of the key; false if it has none left, unless a person approved this one. */
export async function countUse(tx: Tx, seq: number, now: number, isApproved = false): Promise<boolean> {
  const { changes } = await tx.run(
    `UPDATE enrolment_keys SET uses = uses + 1, last_used = ?
     WHERE seq = ? AND (max_uses = 0 OR uses < max_uses OR 1 = ?)`,
    now,
    seq,
    isApproved ? 1 : 0,
  );
  return changes > 0;
}

// ---- Machines --------------------------------------------------------------------------------------------------------

/** The stored form of a fingerprint. Its first characters are what the agent prints, for comparison. */
export const machineOf = (fingerprint: string): Buffer => hashSecret(fingerprint);

interface KnownDevice {
  seq: number;
  id: string;
  account_id: number;
  name: string;
  grp: string;
  online: number;
  last_seen: number | null;
}

/** The device that a machine is. */
export const deviceOfMachine = (db: Reader, accountId: number, machine: Uint8Array): Promise<KnownDevice | undefined> =>
  db.get<KnownDevice>(
    `SELECT d.seq, d.id, d.account_id, d.name, d.grp, d.online, d.last_seen
     FROM enrolled_machines m JOIN devices d ON d.seq = m.device_seq WHERE m.account_id = ? AND m.machine = ?`,
    accountId,
    machine,
  );

export const noteMachine = (tx: Tx, accountId: number, machine: Uint8Array, deviceSeq: number) =>
  tx.run(
    `INSERT INTO enrolled_machines (account_id, machine, device_seq) VALUES (?1, ?2, ?3)
     ON CONFLICT (account_id, machine) DO UPDATE SET device_seq = ?3`,
    accountId,
    machine,
    deviceSeq,
  );

// ---- What machines ask for -------------------------------------------------------------------------------------------

export interface EnrolmentRow extends GivenKey {
  seq: number;
  id: string;
  account_id: number;
  key_seq: number;
  machine: Uint8Array;
  state: 'Waiting' | 'Rejected' | 'Approved' | 'Answered';
  because: PendingBecause | '';
  name: string;
  grp: string;
  facts_json: string;
  address: string;
  first_asked: number;
  last_asked: number;
}

const COLUMNS = `seq, id, account_id, key_seq, machine, state, because, name, grp, facts_json, address, first_asked,
  last_asked, device_seq, answer, session`;

/** A machine as it asks: with the secret that it chose, if it did. */
export interface Asking {
  accountId: number;
  machine: Uint8Array;
  secret: string | undefined;
}

const NO_SECRET = new Uint8Array();
const secretHash = ({ secret }: Asking) => (secret === undefined ? NO_SECRET : hashSecret(secret));

export const findEnrolment = (db: Reader, asking: Asking): Promise<EnrolmentRow | undefined> =>
  db.get<EnrolmentRow>(
    `SELECT ${COLUMNS} FROM enrolments WHERE account_id = ? AND machine = ? AND secret_hash = ?`,
    asking.accountId,
    asking.machine,
    secretHash(asking),
  );

/** Whether a person refused this machine, whatever secret it comes with. */
export const isRejected = async (db: Reader, { accountId, machine }: Asking): Promise<boolean> =>
  (await db.get(
    "SELECT 1 FROM enrolments WHERE account_id = ? AND machine = ? AND state = 'Rejected'",
    accountId,
    machine,
  )) !== undefined;

interface Asked {
  keySeq: number;
  name: string;
  group: string;
  facts: ReportedFacts;
  address: string;
  deviceSeq: number | undefined;
  because: PendingBecause | '';
}

/** Records that a machine waits, or that it still does. */
export async function waitForApproval(tx: Tx, asking: Asking, asked: Asked, now: number): Promise<string> {
  const before = await findEnrolment(tx, asking);
  if (before?.state === 'Waiting') {
    await tx.run('UPDATE enrolments SET last_asked = ?, address = ? WHERE seq = ?', now, asked.address, before.seq);
    return before.id;
  }
  await requireRoom(
    tx,
    { most: MOST_PENDING, what: 'devices that wait for approval', remedy: 'Approve or reject some of them first.' },
    "enrolments WHERE account_id = ? AND state IN ('Waiting', 'Rejected')",
    asking.accountId,
  );
  return (await saveEnrolment(tx, asking, asked, 'Waiting', now)).id;
}

async function saveEnrolment(
  tx: Tx,
  asking: Asking,
  { keySeq, name, group, facts, address, deviceSeq, because }: Asked,
  state: EnrolmentRow['state'],
  now: number,
): Promise<{ seq: number; id: string }> {
  await tx.run(
    'DELETE FROM enrolments WHERE account_id = ? AND machine = ? AND secret_hash = ?',
    asking.accountId,
    asking.machine,
    secretHash(asking),
  );
  const id = newId();
  const seq = await insertRow(
    tx,
    `INSERT INTO enrolments (id, account_id, key_seq, machine, secret_hash, state, because, name, grp, facts_json, address,
       first_asked, last_asked, device_seq) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?12, ?13)`,
    id,
    asking.accountId,
    keySeq,
    asking.machine,
    secretHash(asking),
    state,
    because,
    name.toWellFormed(),
    group.toWellFormed(),
    JSON.stringify(facts),
    address,
    now,
    deviceSeq ?? null,
  );
  return { seq, id };
}

const { seal, open } = openSeal('muster enrolment');
const aboutOf = (seq: number) => `enrolment ${seq}`;

/** A key that was given to a device, and may be given to it again until it is used. */
export interface GivenKey {
  device_seq: number | null;
  /** The key, sealed with the secret of the device. */
  answer: Uint8Array | null;
  /** The session of the device at that time: a later one means that the key was used. */
  session: number;
}

/** The key, if it was not used yet. @param opened opens the seal */
export async function unusedKey(
  db: Reader,
  { answer, device_seq, session }: GivenKey,
  opened: (sealed: Uint8Array) => string | undefined,
): Promise<string | undefined> {
  if (answer === null || device_seq === null) return undefined;
  const device = await db.get<{ session: number }>('SELECT session FROM devices WHERE seq = ?', device_seq);
  return device?.session === session ? opened(answer) : undefined;
}

/** Records the answer, so that it can be repeated to the holder of the secret until the key was used. */
export async function noteAnswer(
  tx: Tx,
  asking: Asking,
  asked: Asked & { deviceSeq: number },
  key: string,
  now: number,
): Promise<void> {
  const { seq } = await saveEnrolment(tx, asking, asked, 'Answered', now);
  await tx.run(
    `UPDATE enrolments SET answer = ?, session = (SELECT session FROM devices WHERE devices.seq = device_seq) WHERE seq = ?`,
    asking.secret === undefined ? null : seal(asking.secret, aboutOf(seq), key),
    seq,
  );
}

/** The key of an earlier answer, if it was not used yet; undefined without a secret, too. */
export const repeatedKey = (db: Reader, row: EnrolmentRow, secret: string): Promise<string | undefined> =>
  unusedKey(db, row, (sealed) => open(secret, aboutOf(row.seq), sealed));

export type PendingRow = EnrolmentRow & { key_name: string; site: string; device_id: string | null };

/** What waits for a person, or was rejected by one. */
export const listPending = (db: Reader, scope: Scope): Promise<PendingRow[]> => {
  const own = inGroups(db.dialect, scope, 'e.grp');
  // The device that the machine is may be in a group of others.
  const ownDevice = inGroups(db.dialect, scope, 'd.grp');
  return db.all<PendingRow>(
    `SELECT ${prefixed('e', COLUMNS)}, k.name AS key_name, k.site, d.id AS device_id
     FROM enrolments e JOIN enrolment_keys k ON k.seq = e.key_seq LEFT JOIN devices d ON d.seq = e.device_seq${ownDevice.sql}
     WHERE e.account_id = ? AND e.state IN ('Waiting', 'Rejected')${own.sql} ORDER BY e.seq DESC`,
    ...ownDevice.values,
    scope.accountId,
    ...own.values,
  );
};

/** What waits or was rejected, by its id, or a 404. */
export async function pendingById(db: Reader, scope: Scope, id: string): Promise<EnrolmentRow> {
  const own = inGroups(db.dialect, scope, 'grp');
  const row = await db.get<EnrolmentRow>(
    `SELECT ${COLUMNS} FROM enrolments WHERE id = ? AND account_id = ? AND state IN ('Waiting', 'Rejected')${own.sql}`,
    id,
    scope.accountId,
    ...own.values,
  );
  if (!row) throw notFound('pending device', id);
  return row;
}

export const approveEnrolment = (tx: Tx, seq: number, deviceSeq: number) =>
  tx.run("UPDATE enrolments SET state = 'Approved', device_seq = ? WHERE seq = ?", deviceSeq, seq);

/** Of all requests of this machine one remains, which keeps it out. */
export async function rejectEnrolment(tx: Tx, { seq, account_id, machine }: EnrolmentRow): Promise<void> {
  await tx.run("UPDATE enrolments SET state = 'Rejected' WHERE seq = ?", seq);
  await tx.run(
    "DELETE FROM enrolments WHERE account_id = ? AND machine = ? AND state IN ('Waiting', 'Approved') AND seq <> ?",
    account_id,
    machine,
    seq,
  );
}
