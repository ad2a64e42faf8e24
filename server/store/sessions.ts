// Browser sessions. The cookie's value rotates while it is used, so that a stolen one soon becomes useless; only the
// hashes of the current and the previous value are stored.
import { timingSafeEqual } from 'node:crypto';
import { hashSecret, newId, newSecret } from './ids.ts';
import { notFound } from './errors.ts';
import type { Reader, Tx } from './database.ts';
import { perDialect } from './dialect.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** A session ends after this long without use, or this long after sign-in. */
export const IDLE_MS = 12 * HOUR;
export const LIFETIME_MS = 7 * 24 * HOUR;
/** The age at which the next use replaces a value. */
export const ROTATE_AFTER_MS = 15 * MINUTE;
/** How long a replaced value remains valid, for requests that were already sent. */
export const PREVIOUS_VALID_MS = MINUTE;

/** This many of the newest sessions stay in the table after they have ended, without giving access. */
const KEPT_ENDED = 1000;

export interface Session {
  id: string;
  account_id: number;
  email: string;
  hash: Uint8Array;
  rotated: number;
  created: number;
  last_used: number;
  /** Whether the presented value is the previous one. */
  previous: boolean;
}

/** The live session for a cookie's value. */
export async function findSession(db: Reader, value: string, now: number): Promise<Session | undefined> {
  const hash = hashSecret(value);
  const row = await db.get<Omit<Session, 'previous'> & { token_id: string | null; revoked: number | null }>(
    `SELECT s.id, s.account_id, a.email, s.hash, s.rotated, s.created, s.last_used, s.token_id, t.revoked
     FROM sessions s JOIN accounts a ON a.id = s.account_id LEFT JOIN tokens t ON t.id = s.token_id
     WHERE s.hash = ? OR s.previous_hash = ?`,
    hash,
    hash,
  );
  if (!row || row.revoked !== null || !isLive(row, hash, now)) return undefined;
  return { ...row, previous: !timingSafeEqual(row.hash, hash) };
}

/**
 * The person behind an actor, as far as the service can tell people apart: the holder of a token, also in a browser
 * that signed in with it. Everybody who signs in by link counts as one person.
 */
export async function personOf(db: Reader, actor: string): Promise<string> {
  if (!actor.startsWith('session:')) return actor;
  const session = await db.get<{ token_id: string | null }>(
    'SELECT token_id FROM sessions WHERE id = ?',
    actor.slice(8),
  );
  return session?.token_id ? `token:${session.token_id}` : 'link';
}

/** Whether the value with this hash still gives access to the session. */
export function isLive(
  { hash, rotated, created, last_used }: Pick<Session, 'hash' | 'rotated' | 'created' | 'last_used'>,
  presented: Uint8Array,
  now: number,
): boolean {
  if (now >= last_used + IDLE_MS || now >= created + LIFETIME_MS) return false;
  // A session last used in the future dates from when the clock was wrong; it might not expire for years.
  if (last_used > now + HOUR) return false;
  return timingSafeEqual(hash, presented) || now < rotated + PREVIOUS_VALID_MS;
}

/** Whether this is the value of a session, or was until its last rotation. */
export const isSessionValue = async (db: Reader, value: string): Promise<boolean> => {
  const hashed = hashSecret(value);
  return (await db.get('SELECT 1 FROM sessions WHERE hash = ? OR previous_hash = ?', hashed, hashed)) !== undefined;
};

/** Creates a session for a browser at `address`, by a token or (without one) by a sign-in code. */
export async function insertSession(
  tx: Tx,
  accountId: number,
  { tokenId, address }: { tokenId: string | undefined; address: string },
  now: number,
): Promise<{ id: string; value: string }> {
  const id = newId();
  const value = newSecret('mus');
  // Keeps the newest sessions: a clock that is briefly years ahead must not sign everyone out.
  await tx.run(
    `DELETE FROM sessions WHERE (last_used <= ? OR created <= ?)
     AND rowid <= (SELECT max(rowid) FROM sessions) - ${KEPT_ENDED}`,
    now - IDLE_MS,
    now - LIFETIME_MS,
  );
  await tx.run(
    'INSERT INTO sessions (id, account_id, token_id, address, hash, rotated, created, last_used) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    id,
    accountId,
    tokenId ?? null,
    address,
    hashSecret(value),
    now,
    now,
    now,
  );
  return { id, value };
}

/** Replaces a session's value; undefined if another request just did. */
export async function rotateSession(
  tx: Tx,
  { id, hash }: Session,
  address: string,
  now: number,
): Promise<string | undefined> {
  const value = newSecret('mus');
  const { changes } = await tx.run(
    'UPDATE sessions SET previous_hash = hash, hash = ?, rotated = ?, last_used = ?, address = ? WHERE id = ? AND hash = ?',
    hashSecret(value),
    now,
    now,
    address,
    id,
    hash,
  );
  return changes === 0 ? undefined : value;
}

export const recordSessionUse = (tx: Tx, id: string, address: string, now: number) =>
  tx.run('UPDATE sessions SET last_used = ?, address = ? WHERE id = ?', now, address, id);

export const deleteSession = (tx: Tx, id: string) => tx.run('DELETE FROM sessions WHERE id = ?', id);

const LIVE = perDialect(
  (
    sql,
  ) => `SELECT s.id, s.created, s.last_used FROM ${sql.list('asked')} CROSS JOIN sessions s LEFT JOIN tokens t ON t.id = s.token_id
    WHERE s.id = asked.value AND t.revoked IS NULL AND s.last_used > ? AND s.created > ? AND s.last_used <= ?`,
);

export type SessionTimes = Pick<Session, 'id' | 'created' | 'last_used'>;

/** Which of these sessions are live, by the same rules as `isLive`. */
export const liveSessions = async (db: Reader, ids: string[], now: number): Promise<SessionTimes[]> =>
  ids.length === 0
    ? []
    : db.all<SessionTimes>(LIVE(db), JSON.stringify(ids), now - IDLE_MS, now - LIFETIME_MS, now + HOUR);

/** A session as listed, without secrets. */
export interface ListedSession {
  id: string;
  created: number;
  last_used: number;
  address: string;
  /** The name of the token that it was created with; null for a sign-in link. */
  name: string | null;
  prefix: string | null;
}

/** The account's live sessions, last used first. */
export const listSessions = (db: Reader, accountId: number, now: number): Promise<ListedSession[]> =>
  db.all<ListedSession>(
    `SELECT s.id, s.created, s.last_used, s.address, t.name, t.prefix
     FROM sessions s LEFT JOIN tokens t ON t.id = s.token_id
     WHERE s.account_id = ? AND t.revoked IS NULL AND s.last_used > ? AND s.created > ? AND s.last_used <= ?
     ORDER BY s.last_used DESC, s.rowid DESC`,
    accountId,
    now - IDLE_MS,
    now - LIFETIME_MS,
    now + HOUR,
  );

/** Ends a session of an account; its next request is refused. */
export async function endSession(tx: Tx, accountId: number, id: string): Promise<void> {
  const { changes } = await tx.run('DELETE FROM sessions WHERE id = ? AND account_id = ?', id, accountId);
  if (changes === 0) throw notFound('session', id);
}

/** Ends all sessions of an account except one. */
export const endSessions = (tx: Tx, accountId: number, but = '') =>
  tx.run('DELETE FROM sessions WHERE account_id = ? AND id <> ?', accountId, but);

/** A sign-in code is valid for this long, once. */
const CODE_VALID_MS = 10 * MINUTE;

/** Creates the account's only sign-in code; earlier ones become invalid. */
export async function createSigninCode(tx: Tx, accountId: number, now: number): Promise<string> {
  const code = newSecret('muc');
  await tx.run('DELETE FROM signin_codes WHERE account_id = ? OR expires <= ?', accountId, now);
  await tx.run(
    'INSERT INTO signin_codes (hash, account_id, expires) VALUES (?, ?, ?)',
    hashSecret(code),
    accountId,
    now + CODE_VALID_MS,
  );
  return code;
}

/** Uses up a code and returns its account; undefined if it is unknown, used or expired. */
export async function redeemSigninCode(tx: Tx, code: string, now: number): Promise<number | undefined> {
  const row = await tx.get<{ account_id: number; expires: number }>(
    'DELETE FROM signin_codes WHERE hash = ? RETURNING account_id, expires',
    hashSecret(code),
  );
  return row && now < row.expires ? row.account_id : undefined;
}
