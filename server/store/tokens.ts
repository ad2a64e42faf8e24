// API tokens. The table contains only their hashes.
import { MOST_TOKENS, MOST_TOKENS_OF_PERSON } from '#/contract/limits.ts';
import { hashSecret, newId, newSecret, withChecksum } from './ids.ts';
import { notFound } from './errors.ts';
import type { Reader, Tx } from './database.ts';
import { perDialect } from './dialect.ts';
import type { Rights } from '#/contract/permissions.ts';
import { rightsWithin } from './people.ts';
import type { StoredRights } from './people.ts';
import { requireRoom } from './room.ts';

export interface TokenRow extends StoredRights {
  id: string;
  name: string;
  prefix: string;
  created: number;
  last_used: number | null;
  /** The address of its last use; '' before it. */
  last_used_from: string;
  expires: number | null;
  /** Null for a token of the account. */
  person_id: string | null;
  /** The person's name, or else the e-mail address. */
  person: string | null;
}

/** Whose tokens: those of a person, or one token alone. */
export type TokenOwner = ({ personId: string } | { tokenId: string }) & {
  /** Those of the account that are limited within these groups, too: what an Admin of the groups makes and revokes. */
  groups?: readonly string[];
};

const ofOwner = (owner: TokenOwner | undefined): { sql: string; values: string[] } => {
  if (!owner) return { sql: '', values: [] };
  const limited = owner.groups ? " OR (person_id IS NULL AND groups_json <> '[]')" : '';
  return 'personId' in owner
    ? { sql: ` AND (person_id = ?${limited})`, values: [owner.personId] }
    : { sql: ` AND (id = ?${limited})`, values: [owner.tokenId] };
};

/** Whether a row that `ofOwner` lets through is one's own, or within the groups. */
const isSeen = (owner: TokenOwner | undefined, row: TokenRow): boolean => {
  if (!owner?.groups || row.person_id !== null || ('tokenId' in owner && row.id === owner.tokenId)) return true;
  return (JSON.parse(row.groups_json) as string[]).every((group) => owner.groups?.includes(group));
};

/** The account of a token, and what the token gives. */
export interface TokenHolder {
  id: string;
  account_id: number;
  email: string;
  last_used: number | null;
  person_id: string | null;
  rights: Rights;
}

/** Enough of a secret to recognize it, but almost nothing of a short one that a person chose. */
const prefixOf = (secret: string) => secret.slice(0, secret.length >= 24 ? 10 : 2);

/** The account's tokens that are not revoked, or those of one owner, oldest first. */
export async function listTokens(db: Reader, accountId: number, owner?: TokenOwner): Promise<TokenRow[]> {
  const { sql, values } = ofOwner(owner);
  const rows = await db.all<TokenRow>(
    `SELECT id, name, prefix, created, last_used, last_used_from, role, groups_json, expires, person_id,
       (SELECT coalesce(nullif(people.name, ''), people.email) FROM people WHERE people.id = person_id) AS person
     FROM tokens WHERE account_id = ? AND revoked IS NULL${sql} ORDER BY created, rowid`,
    accountId,
    ...values,
  );
  return rows.filter((row) => isSeen(owner, row));
}

/** When a token ends; undefined if it never does. */
export const tokenExpiry = async (db: Reader, id: string): Promise<number | undefined> =>
  (await db.get<{ expires: number | null }>('SELECT expires FROM tokens WHERE id = ?', id))?.expires ?? undefined;

interface HolderRow extends Omit<TokenHolder, 'rights'>, StoredRights {
  expires: number | null;
  person_role: string | null;
  person_groups: string | null;
}

/** The holder of a token; undefined if it is unknown, revoked or expired, or if its person may not sign in. */
export async function tokenHolder(db: Reader, secret: string, now: number): Promise<TokenHolder | undefined> {
  const row = await db.get<HolderRow>(
    `SELECT t.id, t.account_id, a.email, t.last_used, t.person_id, t.role, t.groups_json, t.expires,
       p.role AS person_role, p.groups_json AS person_groups
     FROM tokens t JOIN accounts a ON a.id = t.account_id
       LEFT JOIN people p ON p.id = t.person_id AND p.state = 'Active'
     WHERE t.hash = ? AND t.revoked IS NULL`,
    hashSecret(secret),
  );
  if (!row || (row.expires !== null && now >= row.expires)) return undefined;
  const { id, account_id, email, last_used, person_id, person_role } = row;
  if (person_id !== null && person_role === null) return undefined;
  return { id, account_id, email, last_used, person_id, rights: rightsWithin(row, personOf(row)) };
}

const personOf = ({
  person_role: role,
  person_groups: groups_json,
}: Pick<HolderRow, 'person_role' | 'person_groups'>): StoredRights | undefined =>
  role === null || groups_json === null ? undefined : { role, groups_json };

const LIVE = perDialect(
  (sql) => `SELECT t.id, t.role, t.groups_json, t.expires, p.role AS person_role, p.groups_json AS person_groups
    FROM ${sql.list('asked')} CROSS JOIN tokens t LEFT JOIN people p ON p.id = t.person_id AND p.state = 'Active'
    WHERE t.id = asked.value AND t.revoked IS NULL AND (t.expires IS NULL OR t.expires > ?)
      AND (t.person_id IS NULL OR p.id IS NOT NULL)`,
);

type LiveRow = Pick<HolderRow, 'id' | 'expires' | 'role' | 'groups_json' | 'person_role' | 'person_groups'>;

/** Which of these tokens still give access, and what they permit now. */
export const liveTokens = async (
  db: Reader,
  ids: string[],
  now: number,
): Promise<{ id: string; rights: Rights; ends: number | null }[]> =>
  ids.length === 0
    ? []
    : (await db.all<LiveRow>(LIVE(db), JSON.stringify(ids), now)).map((row) => ({
        id: row.id,
        ends: row.expires,
        rights: rightsWithin(row, personOf(row)),
      }));

const INSERT = `INSERT INTO tokens (id, account_id, name, prefix, hash, source, created, person_id, role, groups_json, expires)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const EVERYTHING: Rights = { role: 'Admin' };

interface NewToken {
  /** Whose it is; undefined: the account's. */
  personId?: string | undefined;
  rights?: Rights;
  expires?: number | undefined;
}

/** Creates a token; the secret is returned only here. The caller must have checked that its maker may give these rights. */
export async function createToken(
  tx: Tx,
  accountId: number,
  name: string,
  now: number,
  { personId, rights = EVERYTHING, expires }: NewToken = {},
): Promise<{ id: string; secret: string }> {
  // Stored, an empty list would mean all groups.
  if (rights.groups?.length === 0) throw new TypeError('A token of no group would be useless');
  const remedy = 'Revoke tokens that are no longer needed first.';
  // Nobody can use up the room of others.
  if (personId === undefined)
    await requireRoom(
      tx,
      { most: MOST_TOKENS, what: 'tokens of the account', remedy },
      'tokens WHERE account_id = ? AND person_id IS NULL AND revoked IS NULL',
      accountId,
    );
  else
    await requireRoom(
      tx,
      { most: MOST_TOKENS_OF_PERSON, what: 'tokens of this person', remedy },
      'tokens WHERE person_id = ? AND revoked IS NULL',
      personId,
    );
  const id = newId();
  const secret = withChecksum(newSecret('mut'));
  await tx.run(
    INSERT,
    id,
    accountId,
    name.toWellFormed(),
    prefixOf(secret),
    hashSecret(secret),
    'made',
    now,
    personId ?? null,
    rights.role,
    JSON.stringify(rights.groups ?? []),
    expires ?? null,
  );
  return { id, secret };
}

/** Revokes a token and ends every session created with it. */
export async function revokeToken(
  tx: Tx,
  accountId: number,
  id: string,
  now: number,
  owner?: TokenOwner,
): Promise<void> {
  if (owner && !(await listTokens(tx, accountId, owner)).some((token) => token.id === id)) throw notFound('token', id);
  const { changes } = await tx.run(
    `UPDATE tokens SET revoked = ? WHERE id = ? AND account_id = ? AND revoked IS NULL`,
    now,
    id,
    accountId,
  );
  if (changes === 0) throw notFound('token', id);
  await tx.run('DELETE FROM sessions WHERE token_id = ?', id);
}

export const recordTokenUse = (tx: Tx, id: string, address: string, now: number) =>
  tx.run('UPDATE tokens SET last_used = ?, last_used_from = ? WHERE id = ?', now, address, id);

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
  await tx.run(INSERT, newId(), accountId, 'AUTH_TOKEN', prefixOf(secret), hash, 'env', now, null, 'Admin', '[]', null);
  return 'adopted';
}
