// Sessions of a gateway. A gateway has no accounts: each session contains a user's token for the upstream service,
// encrypted with a key derived from the browser's cookie, so a copy of the file reveals nothing.
import { hashSecret, newId, newSecret } from './ids.ts';
import type { Reader, Tx } from './database.ts';
import type { DatabaseKind } from './database-file.ts';
import { openSeal } from './seal.ts';
import { IDLE_MS, isLive, LIFETIME_MS } from './sessions.ts';

/** The version of commit 7223ce0e, whose gateway ran rollouts itself. */
export const WITH_ROLLOUTS = 3;
const FORMER_TABLES = 'rollout_steps rollout_waves rollout_devices rollouts to_judge orders jobs devices accounts';

/** The database of a gateway. */
export const SEALED_SESSIONS: DatabaseKind = {
  versions: { oldest: WITH_ROLLOUTS, newest: 4 },
  schema: `
    CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

    CREATE TABLE sealed_sessions (
      id TEXT PRIMARY KEY,
      upstream TEXT NOT NULL,                 -- the only address that the token may be sent to
      email TEXT NOT NULL,
      hash BLOB NOT NULL UNIQUE,
      sealed BLOB NOT NULL,
      previous_hash BLOB UNIQUE,
      previous_sealed BLOB,
      rotated INTEGER NOT NULL,
      created INTEGER NOT NULL,
      last_used INTEGER NOT NULL
    ) STRICT;`,
  upgrade: () =>
    FORMER_TABLES.split(' ')
      .map((table) => `DROP TABLE ${table};`)
      .join('\n'),
  ownTable: 'sealed_sessions',
};

export interface SealedSession {
  id: string;
  email: string;
  token: string;
  hash: Uint8Array;
  rotated: number;
  last_used: number;
  previous: boolean;
}

const { seal, open } = openSeal('muster sealed session');
const aboutOf = (id: string, upstream: string) => `${id} ${upstream}`;

interface Row {
  id: string;
  email: string;
  hash: Uint8Array;
  sealed: Uint8Array;
  previous_sealed: Uint8Array | null;
  rotated: number;
  created: number;
  last_used: number;
}

/** The live session for a cookie's value and this upstream service. */
export async function findSealedSession(
  db: Reader,
  upstream: string,
  value: string,
  now: number,
): Promise<SealedSession | undefined> {
  const presented = hashSecret(value);
  const row = await db.get<Row>(
    `SELECT id, email, hash, sealed, previous_sealed, rotated, created, last_used FROM sealed_sessions
     WHERE (hash = ? OR previous_hash = ?) AND upstream = ?`,
    presented,
    presented,
    upstream,
  );
  if (!row || !isLive(row, presented, now)) return undefined;
  const previous = !presented.equals(row.hash);
  const sealed = previous ? row.previous_sealed : row.sealed;
  const token = sealed ? open(value, aboutOf(row.id, upstream), sealed) : undefined;
  return token === undefined ? undefined : { ...row, token, previous };
}

/** Creates a session with this token. */
export async function insertSealedSession(
  tx: Tx,
  upstream: string,
  email: string,
  token: string,
  now: number,
): Promise<{ value: string }> {
  const id = newId();
  const value = newSecret('mus');
  await tx.run(
    'DELETE FROM sealed_sessions WHERE last_used <= ? OR created <= ? OR upstream <> ?',
    now - IDLE_MS,
    now - LIFETIME_MS,
    upstream,
  );
  await tx.run(
    `INSERT INTO sealed_sessions (id, upstream, email, hash, sealed, rotated, created, last_used)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    upstream,
    email,
    hashSecret(value),
    seal(value, aboutOf(id, upstream), token),
    now,
    now,
    now,
  );
  return { value };
}

/** Replaces a session's value; undefined if another request just did. */
export async function rotateSealedSession(
  tx: Tx,
  upstream: string,
  { id, hash, token }: SealedSession,
  now: number,
): Promise<string | undefined> {
  const value = newSecret('mus');
  const { changes } = await tx.run(
    `UPDATE sealed_sessions SET previous_hash = hash, previous_sealed = sealed, hash = ?, sealed = ?, rotated = ?, last_used = ?
     WHERE id = ? AND hash = ?`,
    hashSecret(value),
    seal(value, aboutOf(id, upstream), token),
    now,
    now,
    id,
    hash,
  );
  return changes === 0 ? undefined : value;
}

export const recordSealedSessionUse = (tx: Tx, id: string, now: number) =>
  tx.run('UPDATE sealed_sessions SET last_used = ? WHERE id = ?', now, id);

export const deleteSealedSession = (tx: Tx, id: string) => tx.run('DELETE FROM sealed_sessions WHERE id = ?', id);

/** Called when the computer's clock was set (clock.ts). */
export const moveSealedSessions = (tx: Tx, by: number) =>
  tx.run('UPDATE sealed_sessions SET rotated = rotated + ?1, created = created + ?1, last_used = last_used + ?1', by);
