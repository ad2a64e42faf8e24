// Device keys that are replaced over the agent's connection: the device is asked to take a new key, is sent one, and uses
// it. Until then the old key counts, and the new one too. Of the new one only the hash is stored: the node that sent it
// keeps the key while that session lasts, and in another session the device is sent another one.
import type { Reader, Tx } from './database.ts';

/** Has the device take a new key when it is connected; one that it was sent already is sent again. */
export async function askForRotation(tx: Tx, seq: number, at: number): Promise<void> {
  await tx.run(
    `UPDATE devices SET rotation_asked = coalesce(rotation_asked, ?), next_key_sent = NULL, rotation_problem = ''
     WHERE seq = ?`,
    at,
    seq,
  );
  tx.syncAgents(seq);
}

export interface RotationRow {
  rotation_asked: number | null;
  next_key_sent: number | null;
  /** Why its agent cannot take a new key; '' if it can. */
  key_fixed: string;
  online: number;
}

export const rotationOf = (db: Reader, seq: number): Promise<RotationRow | undefined> =>
  db.get<RotationRow>('SELECT rotation_asked, next_key_sent, key_fixed, online FROM devices WHERE seq = ?', seq);

/** Records the key that the device is being sent. */
export const noteSentKey = (tx: Tx, seq: number, keyHash: Uint8Array, at: number) =>
  tx.run(
    "UPDATE devices SET next_key_hash = ?, next_key_sent = ?, rotation_problem = '' WHERE seq = ?",
    keyHash,
    at,
    seq,
  );

/** Puts the key that the device was sent in place of its old one; undefined if it was sent another one, or none. */
export const takeKey = (
  tx: Tx,
  seq: number,
  keyHash: Uint8Array,
  at: number,
): Promise<{ id: string; account_id: number } | undefined> =>
  tx.get(
    `UPDATE devices SET key_hash = next_key_hash, key_since = ?, rotation_asked = NULL, next_key_hash = NULL,
       next_key_sent = NULL, rotation_problem = '' WHERE seq = ? AND next_key_hash = ? RETURNING id, account_id`,
    at,
    seq,
    keyHash,
  );

/** Whether the device has the key of this hash now. */
export const hasKey = async (db: Reader, seq: number, keyHash: Uint8Array): Promise<boolean> =>
  (await db.get('SELECT 1 FROM devices WHERE seq = ? AND key_hash = ?', seq, keyHash)) !== undefined;

/** Records why the agent of this session did not take the key that it was sent. */
export const noteKeyRefused = (tx: Tx, seq: number, session: number, because: string) =>
  tx.run(
    `UPDATE devices SET rotation_problem = ? WHERE seq = ? AND session = ? AND rotation_asked IS NOT NULL`,
    tx.dialect.storable(because),
    seq,
    session,
  );

/**
 * The same for agents that have been connected since they were sent a key before this time, and still use the old one. Of a
 * device that is Offline nobody knows whether it has the new key: what it comes back with decides.
 */
export const noteUnusedKeys = (tx: Tx, before: number, because: string) =>
  tx.run(
    `UPDATE devices SET rotation_problem = ? WHERE next_key_sent < ? AND online = 1 AND rotation_problem = ''`,
    because,
    before,
  );

/** The accounts whose devices take new keys after some days. */
export const rotatingAccounts = (db: Reader): Promise<{ id: number; days: number }[]> =>
  db.all('SELECT id, rotation_days AS days FROM accounts WHERE rotation_days > 0 AND removed IS NULL ORDER BY id');

/** Devices of an account that have had their keys since before this time, oldest keys first. */
export const devicesWithOldKeys = (
  db: Reader,
  accountId: number,
  before: number,
  limit: number,
): Promise<{ seq: number; id: string }[]> =>
  db.all(
    `SELECT seq, id FROM devices WHERE account_id = ? AND rotation_asked IS NULL AND key_since < ?
     ORDER BY key_since LIMIT ?`,
    accountId,
    before,
    limit,
  );
