// API tokens. The table contains only their hashes.
import { MOST_TOKENS } from '#/contract/limits.ts';
import { hashSecret, newId, newSecret } from './ids.ts';
import { notFound } from './errors.ts';
import type { Reader, Tx } from './database.ts';
import { perDialect } from './dialect.ts';
import { requireRoom } from './room.ts';

export interface TokenRow {
  id: string;
  name: string;
  prefix: string;
  created: number;
  last_used: number | null;
}

/** The account of a token. */
export interface TokenHolder {
  id: string;
  account_id: number;
  email: string;
  last_used: number | null;
}

/** Enough of a secret to recognize it, but almost nothing of a short one that a person chose. */
const prefixOf = (secret: string) => secret.slice(0, secret.length >= 24 ? 10 : 2);

/** The account's live tokens, oldest first. */
export const listTokens = (db: Reader, accountId: number): Promise<TokenRow[]> =>
  db.all<TokenRow>(
    'SELECT id, name, prefix, created, last_used FROM tokens WHERE account_id = ? AND revoked IS NULL ORDER BY created, rowid',
    accountId,
  );

/** The holder of a token; undefined if it is unknown or revoked. */
export const tokenHolder = (db: Reader, secret: string): Promise<TokenHolder | undefined> =>
  db.get<TokenHolder>(
    `SELECT t.id, t.account_id, a.email, t.last_used FROM tokens t JOIN accounts a ON a.id = t.account_id
     WHERE t.hash = ? AND t.revoked IS NULL`,
    hashSecret(secret),
  );

const LIVE = perDialect(
  (sql) => `SELECT t.id FROM ${sql.list('asked')} CROSS JOIN tokens t WHERE t.id = asked.value AND t.revoked IS NULL`,
);

/** Which of these tokens are not revoked. */
export const liveTokens = async (db: Reader, ids: string[]): Promise<string[]> =>
  ids.length === 0 ? [] : (await db.all<{ id: string }>(LIVE(db), JSON.stringify(ids))).map(({ id }) => id);

const INSERT = 'INSERT INTO tokens (id, account_id, name, prefix, hash, source, created) VALUES (?, ?, ?, ?, ?, ?, ?)';

/** Creates a token; the secret is returned only here. */
export async function createToken(
  tx: Tx,
  accountId: number,
  name: string,
  now: number,
): Promise<{ id: string; secret: string }> {
  await requireRoom(
    tx,
    { most: MOST_TOKENS, what: 'tokens', remedy: 'Revoke tokens that are no longer needed first.' },
    'tokens WHERE account_id = ? AND revoked IS NULL',
    accountId,
  );
  const id = newId();
  const secret = newSecret('mut');
  await tx.run(INSERT, id, accountId, name.toWellFormed(), prefixOf(secret), hashSecret(secret), 'made', now);
  return { id, secret };
}

/** Revokes a token and ends every session created with it. */
export async function revokeToken(tx: Tx, accountId: number, id: string, now: number): Promise<void> {
  const { changes } = await tx.run(
    'UPDATE tokens SET revoked = ? WHERE id = ? AND account_id = ? AND revoked IS NULL',
    now,
    id,
    accountId,
  );
  if (changes === 0) throw notFound('token', id);
  await tx.run('DELETE FROM sessions WHERE token_id = ?', id);
}

export const recordTokenUse = (tx: Tx, id: string, now: number) =>
  tx.run('UPDATE tokens SET last_used = ? WHERE id = ?', now, id);

/**
 * Makes AUTH_TOKEN the account's token of that name and deletes the one that it replaces. Returns `revoked` if this
 * token was revoked before: it stays revoked, because a revocation must survive a restart.
 */
export async function adoptEnvToken(
  tx: Tx,
  accountId: number,
  secret: string,
  now: number,
): Promise<'adopted' | 'revoked'> {
  const hash = hashSecret(secret);
  const known = await tx.get<{ id: string; revoked: number | null; source: string }>(
    'SELECT id, revoked, source FROM tokens WHERE hash = ?',
    hash,
  );
  for (const { id } of await tx.all<{ id: string }>(
    `SELECT id FROM tokens WHERE account_id = ? AND source = 'env' AND revoked IS NULL AND hash <> ?`,
    accountId,
    hash,
  )) {
    // Sessions from sign-in links end too: a changed AUTH_TOKEN signs everyone out, and this start prints a new link.
    await tx.run('DELETE FROM sessions WHERE token_id = ? OR (account_id = ? AND token_id IS NULL)', id, accountId);
    await tx.run('DELETE FROM tokens WHERE id = ?', id);
  }
  if (known) return known.revoked === null ? 'adopted' : 'revoked';
  await tx.run(INSERT, newId(), accountId, 'AUTH_TOKEN', prefixOf(secret), hash, 'env', now);
  return 'adopted';
}
