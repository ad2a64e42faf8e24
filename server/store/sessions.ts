// Browser sessions. The cookie's value rotates while it is used, so that a stolen one soon becomes useless; only the
// hashes of the current and the previous value are stored.
import { timingSafeEqual } from 'node:crypto';
import { hashSecret, newId, newSecret } from './ids.ts';
import { notFound } from './errors.ts';
import type { Reader, Tx } from './database.ts';
import { perDialect } from './dialect.ts';
import type { Rights } from '#/contract/permissions.ts';
import { recordSeen, rightsWithin } from './people.ts';
import type { StoredRights } from './people.ts';

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
  person_id: string | null;
  /** The token that it was opened with. */
  token_id: string | null;
  how: string;
  /** The person has to set up a second factor, which the account requires, before anything else. */
  needsOtp: boolean;
  rights: Rights;
  /** Whether the presented value is the previous one. */
  previous: boolean;
}

interface FoundSession extends Omit<Session, 'previous' | 'rights' | 'needsOtp'> {
  needs_otp: number;
  ends: number | null;
  token_revoked: number | null;
  token_expires: number | null;
  token_role: string | null;
  token_groups: string | null;
  person_state: string | null;
  person_role: string | null;
  person_groups: string | null;
}

const stored = (role: string | null, groups: string | null): StoredRights | undefined =>
  role === null || groups === null ? undefined : { role, groups_json: groups };

/** What a session permits: never more than its token and its person may. */
function rightsIn(
  row: Pick<FoundSession, 'token_role' | 'token_groups' | 'person_role' | 'person_groups'>,
): Rights | undefined {
  const person = stored(row.person_role, row.person_groups);
  const own = stored(row.token_role, row.token_groups) ?? person;
  return own && rightsWithin(own, person);
}
/**
 * Whether the account requires a second factor that this session's person lacks. Whoever signed in at a provider has it
 * there, and the link that the service prints always lets its owner in.
 */
const NEEDS_OTP = `CASE WHEN a.needs_otp = 1 AND s.how = 'password' AND p.otp_secret IS NULL THEN 1 ELSE 0 END`;

/** The live session for a cookie's value. */
export async function findSession(db: Reader, value: string, now: number): Promise<Session | undefined> {
  const hash = hashSecret(value);
  const row = await db.get<FoundSession>(
    `SELECT s.id, s.account_id, coalesce(p.email, a.email) AS email, s.hash, s.rotated, s.created, s.last_used, s.ends,
       s.person_id, s.how, s.token_id, ${NEEDS_OTP} AS needs_otp, t.revoked AS token_revoked, t.expires AS token_expires, t.role AS token_role,
       t.groups_json AS token_groups, p.state AS person_state, p.role AS person_role, p.groups_json AS person_groups
     FROM sessions s JOIN accounts a ON a.id = s.account_id LEFT JOIN tokens t ON t.id = s.token_id
       LEFT JOIN people p ON p.id = s.person_id
     WHERE s.hash = ? OR s.previous_hash = ?`,
    hash,
    hash,
  );
  if (!row || !isLive(row, hash, now)) return undefined;
  if (row.token_revoked !== null || (row.token_expires !== null && now >= row.token_expires)) return undefined;
  if (row.person_id !== null && row.person_state !== 'Active') return undefined;
  const rights = rightsIn(row);
  if (!rights) return undefined;
  return { ...row, rights, needsOtp: row.needs_otp === 1, previous: !timingSafeEqual(row.hash, hash) };
}

/** The person whose session had this value, if it would still be live but for somebody who removed or disabled them. */
export async function lostSession(
  db: Reader,
  value: string,
  now: number,
): Promise<{ account_id: number; person_id: string; state: 'Removed' | 'Disabled' } | undefined> {
  const hash = hashSecret(value);
  const row = await db.get<Omit<FoundSession, 'person_id'> & { person_id: string; state: 'Removed' | 'Disabled' }>(
    `SELECT s.*, p.state FROM sessions s JOIN people p ON p.id = s.person_id
     WHERE (s.hash = ? OR s.previous_hash = ?) AND s.ends = 0 AND p.state IN ('Removed', 'Disabled')`,
    hash,
    hash,
  );
  return row && isLive({ ...row, ends: null }, hash, now) ? row : undefined;
}

/** Whose private things an actor sees: a person's, or those of a token of the account, also in a browser that signed in with it. */
export async function holderOf(db: Reader, actor: string): Promise<string> {
  if (!actor.startsWith('session:')) return actor;
  const session = await db.get<{ token_id: string | null }>(
    'SELECT token_id FROM sessions WHERE id = ?',
    actor.slice(8),
  );
  return session?.token_id ? `token:${session.token_id}` : actor;
}

/** How and when a browser signed in. */
export const readSession = (db: Reader, id: string): Promise<{ how: NewSession['how']; created: number } | undefined> =>
  db.get<{ how: NewSession['how']; created: number }>('SELECT how, created FROM sessions WHERE id = ?', id);

/** Whether the value with this hash still gives access to the session. */
export function isLive(
  {
    hash,
    rotated,
    created,
    last_used,
    ends = null,
  }: Pick<Session, 'hash' | 'rotated' | 'created' | 'last_used'> & { ends?: number | null },
  presented: Uint8Array,
  now: number,
): boolean {
  if (now >= last_used + IDLE_MS || now >= created + LIFETIME_MS || (ends !== null && now >= ends)) return false;
  // A session last used in the future dates from when the clock was wrong; it might not expire for years.
  if (last_used > now + HOUR) return false;
  return timingSafeEqual(hash, presented) || now < rotated + PREVIOUS_VALID_MS;
}

/** Whether this is the value of a session, or was until its last rotation. */
export const isSessionValue = async (db: Reader, value: string): Promise<boolean> => {
  const hashed = hashSecret(value);
  return (await db.get('SELECT 1 FROM sessions WHERE hash = ? OR previous_hash = ?', hashed, hashed)) !== undefined;
};

/** How a browser signed in. */
export interface NewSession {
  how: 'link' | 'token' | 'password' | 'oidc';
  personId?: string | undefined;
  tokenId?: string | undefined;
  /** When it ends at the latest, if that is sooner than usual. */
  ends?: number | undefined;
  address: string;
}

/** Creates a session for a browser. */
export async function insertSession(
  tx: Tx,
  accountId: number,
  { how, personId, tokenId, ends, address }: NewSession,
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
    `INSERT INTO sessions (id, account_id, how, person_id, token_id, ends, address, hash, rotated, created, last_used)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    accountId,
    how,
    personId ?? null,
    tokenId ?? null,
    ends ?? null,
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

export async function recordSessionUse(
  tx: Tx,
  { id, person_id }: Pick<Session, 'id' | 'person_id'>,
  address: string,
  now: number,
): Promise<void> {
  await tx.run('UPDATE sessions SET last_used = ?, address = ? WHERE id = ?', now, address, id);
  if (person_id !== null) await recordSeen(tx, person_id, now);
}

export const deleteSession = (tx: Tx, id: string) => tx.run('DELETE FROM sessions WHERE id = ?', id);

const LIVE = perDialect(
  (
    sql,
  ) => `SELECT s.id, s.created, s.last_used, s.ends, s.person_id, s.token_id, t.expires AS token_expires, t.role AS token_role, t.groups_json AS token_groups, p.role AS person_role,
      p.groups_json AS person_groups
    FROM ${sql.list('asked')} CROSS JOIN sessions s JOIN accounts a ON a.id = s.account_id
      LEFT JOIN tokens t ON t.id = s.token_id LEFT JOIN people p ON p.id = s.person_id
    WHERE s.id = asked.value AND t.revoked IS NULL AND s.last_used > ? AND s.created > ? AND s.last_used <= ?
      AND (s.ends IS NULL OR s.ends > ?) AND (t.expires IS NULL OR t.expires > ?)
      AND (s.person_id IS NULL OR p.state = 'Active') AND ${NEEDS_OTP} = 0`,
);

export interface LiveSession extends Pick<Session, 'id' | 'created' | 'last_used' | 'person_id' | 'token_id'> {
  rights: Rights;
  /** The date on which it, or the token that it was opened with, ends at the latest. */
  ends: number | null;
}

type LiveRow = Omit<LiveSession, 'rights'> & Pick<FoundSession, 'token_expires'> & Parameters<typeof rightsIn>[0];

/** Which of these sessions are live, by the same rules as `isLive`, and what they permit now. */
export async function liveSessions(db: Reader, ids: string[], now: number): Promise<LiveSession[]> {
  if (ids.length === 0) return [];
  const times = [now - IDLE_MS, now - LIFETIME_MS, now + HOUR, now, now];
  const rows = await db.all<LiveRow>(LIVE(db), JSON.stringify(ids), ...times);
  return rows.flatMap((row) => {
    const rights = rightsIn(row);
    const ends = [row.ends, row.token_expires].filter((each) => each !== null);
    return rights ? [{ ...row, rights, ends: ends.length === 0 ? null : Math.min(...ends) }] : [];
  });
}

/** A session as listed, without secrets. */
export interface ListedSession {
  id: string;
  created: number;
  last_used: number;
  address: string;
  how: NewSession['how'];
  /** The name of the token that it was created with; null for other ways to sign in. */
  name: string | null;
  prefix: string | null;
  /** Null for a token of the account. */
  person_id: string | null;
  /** The person's name, or else the e-mail address. */
  person: string | null;
}

/** Whose sessions: those of a person, or those that were opened with a token. */
export type SessionOwner = { personId: string } | { tokenId: string };

const ofOwner = (owner: SessionOwner | undefined): { sql: string; values: string[] } => {
  if (!owner) return { sql: '', values: [] };
  return 'personId' in owner
    ? { sql: ' AND s.person_id = ?', values: [owner.personId] }
    : { sql: ' AND s.token_id = ?', values: [owner.tokenId] };
};

/** The account's live sessions, or those of one owner, last used first. */
export function listSessions(
  db: Reader,
  accountId: number,
  now: number,
  owner?: SessionOwner,
): Promise<ListedSession[]> {
  const { sql, values } = ofOwner(owner);
  return db.all<ListedSession>(
    `SELECT s.id, s.created, s.last_used, s.address, s.how, t.name, t.prefix, s.person_id,
       coalesce(nullif(p.name, ''), p.email) AS person
     FROM sessions s LEFT JOIN tokens t ON t.id = s.token_id LEFT JOIN people p ON p.id = s.person_id
     WHERE s.account_id = ? AND t.revoked IS NULL AND s.last_used > ? AND s.created > ? AND s.last_used <= ?
       AND (s.ends IS NULL OR s.ends > ?)${sql}
     ORDER BY s.last_used DESC, s.rowid DESC`,
    accountId,
    now - IDLE_MS,
    now - LIFETIME_MS,
    now + HOUR,
    now,
    ...values,
  );
}

/** Ends a session of an account, and of this owner if there is one; its next request is refused. */
export async function endSession(tx: Tx, accountId: number, id: string, owner?: SessionOwner): Promise<void> {
  const { sql, values } = ofOwner(owner);
  const { changes } = await tx.run(
    `DELETE FROM sessions AS s WHERE s.id = ? AND s.account_id = ?${sql}`,
    id,
    accountId,
    ...values,
  );
  if (changes === 0) throw notFound('session', id);
}

/** Ends all sessions of an account, or of an owner, except one. */
export function endSessions(
  tx: Tx,
  accountId: number,
  { but = '', owner }: { but?: string | undefined; owner?: SessionOwner | undefined } = {},
) {
  const { sql, values } = ofOwner(owner);
  return tx.run(`DELETE FROM sessions AS s WHERE s.account_id = ? AND s.id <> ?${sql}`, accountId, but, ...values);
}

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
