// API tokens. The table holds their hashes: a copy of it opens nothing.
import { hashSecret, newId, newSecret } from './ids.ts';
import { notFound } from '../http/problem.ts';
import type { Reader, Tx } from './database.ts';

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

/** Enough of a secret to recognise it by; of a short one that a person chose, next to nothing. */
const prefixOf = (secret: string) => secret.slice(0, secret.length >= 24 ? 10 : 2);

/** The live tokens of an account, oldest first. */
export const listTokens = (db: Reader, accountId: number): TokenRow[] =>
  db.all<TokenRow>(
    'SELECT id, name, prefix, created, last_used FROM tokens WHERE account_id = ? AND revoked IS NULL ORDER BY created, rowid',
    accountId,
  );

/** Whose token this is; undefined for one that is unknown or revoked. */
export const holderOf = (db: Reader, secret: string): TokenHolder | undefined =>
  db.get<TokenHolder>(
    `SELECT t.id, t.account_id, a.email, t.last_used FROM tokens t JOIN accounts a ON a.id = t.account_id
     WHERE t.hash = ? AND t.revoked IS NULL`,
    hashSecret(secret),
  );

const INSERT = 'INSERT INTO tokens (id, account_id, name, prefix, hash, source, created) VALUES (?, ?, ?, ?, ?, ?, ?)';

/** Makes a token; the secret is returned here and never again. */
export function makeToken(tx: Tx, accountId: number, name: string, now: number): { id: string; secret: string } {
  const id = newId();
  const secret = newSecret('mut');
  tx.run(INSERT, id, accountId, name.toWellFormed(), prefixOf(secret), hashSecret(secret), 'made', now);
  return { id, secret };
}

/** Ends a token and every session that was opened with it. */
export function revokeToken(tx: Tx, accountId: number, id: string, now: number): void {
  const { changes } = tx.run(
    'UPDATE tokens SET revoked = ? WHERE id = ? AND account_id = ? AND revoked IS NULL',
    now,
    id,
    accountId,
  );
  if (changes === 0) throw notFound('token', id);
  tx.run('DELETE FROM sessions WHERE token_id = ?', id);
}

export const noteTokenUse = (tx: Tx, id: string, now: number) =>
  tx.run('UPDATE tokens SET last_used = ? WHERE id = ?', now, id);

/**
 * Makes AUTH_TOKEN the account's token of that name and ends the one it replaces. Says `revoked` when this very token
 * was revoked before: it stays so, or revoking it would only last until the next start.
 */
export function adoptEnvToken(tx: Tx, accountId: number, secret: string, now: number): 'adopted' | 'revoked' {
  const hash = hashSecret(secret);
  const known = tx.get<{ id: string; revoked: number | null; source: string }>(
    'SELECT id, revoked, source FROM tokens WHERE hash = ?',
    hash,
  );
  for (const { id } of tx.all<{ id: string }>(
    `SELECT id FROM tokens WHERE account_id = ? AND source = 'env' AND revoked IS NULL AND hash <> ?`,
    accountId,
    hash,
  )) {
    // Those of a sign-in link too: the operator changes AUTH_TOKEN to have everybody out who came in by what was before,
    // and this very start prints a new link.
    tx.run('DELETE FROM sessions WHERE token_id = ? OR (account_id = ? AND token_id IS NULL)', id, accountId);
    tx.run('DELETE FROM tokens WHERE id = ?', id);
  }
  if (known) return known.revoked === null ? 'adopted' : 'revoked';
  tx.run(INSERT, newId(), accountId, 'AUTH_TOKEN', prefixOf(secret), hash, 'env', now);
  return 'adopted';
}
