// The people of an account, their roles, and the groups that a role is limited to.
import { MOST_PEOPLE } from '#/contract/limits.ts';
import { commonRights, isLess, ROLES } from '#/contract/permissions.ts';
import type { Rights, Role } from '#/contract/permissions.ts';
import type { Caller } from './caller.ts';
import type { Reader, Tx } from './database.ts';
import { Conflict, notFound } from './errors.ts';
import { fold } from '#/contract/fold.ts';
import { hashSecret, newId, newSecret } from './ids.ts';
import { requireRoom } from './room.ts';

export interface PersonRow {
  seq: number;
  id: string;
  account_id: number;
  email: string;
  name: string;
  role: Role;
  groups_json: string;
  state: 'Invited' | 'Active' | 'Disabled' | 'Removed';
  source: 'password' | 'oidc';
  password: string;
  otp_secret: Uint8Array | null;
  otp_step: number;
  recovery_json: string;
  issuer: string | null;
  subject: string | null;
  role_source: string;
  created: number;
  last_seen: number | null;
}

/** Rights as a row has them: an empty list of groups means all of them. */
export interface StoredRights {
  role: string;
  groups_json: string;
}

export function rightsOf({ role, groups_json }: StoredRights): Rights {
  const groups = JSON.parse(groups_json) as string[];
  const known = ROLES.find((each) => each === role);
  if (!known) throw new Error(`The role "${role}" is unknown`);
  return { role: known, ...(groups.length > 0 && { groups }) };
}

/** What a token or session gives: never more than its person has now. */
export const rightsWithin = (own: StoredRights, person: StoredRights | undefined): Rights =>
  person ? commonRights(rightsOf(own), rightsOf(person)) : rightsOf(own);

/** Who signs in by the printed link: the oldest Admin of the account whose role covers all groups. */
export const ownerOf = (db: Reader, accountId: number): Promise<PersonRow | undefined> =>
  db.get<PersonRow>(
    `SELECT * FROM people WHERE account_id = ? AND state = 'Active' AND role = 'Admin' AND groups_json = '[]'
     ORDER BY seq LIMIT 1`,
    accountId,
  );

/**
 * Makes sure that somebody owns the account: `email` at first. Whoever signed in by link before there were people becomes
 * that person, private views included. The owner keeps the address of the account when the operator changes it.
 *
 * @param before the address that the account had until now
 */
export async function setUpOwner(
  tx: Tx,
  accountId: number,
  { email, before, now }: { email: string; before: string | undefined; now: number },
): Promise<void> {
  const known = await tx.get('SELECT 1 FROM people WHERE account_id = ?', accountId);
  if (known) {
    if (before === undefined || fold(before) === fold(email) || (await personByEmail(tx, email))) return;
    await tx.run(
      `UPDATE people SET email = ?, email_folded = ? WHERE account_id = ? AND email_folded = ? AND role_source = 'operator'`,
      email,
      fold(email),
      accountId,
      fold(before),
    );
    return;
  }
  const id = newId();
  await tx.run(
    `INSERT INTO people (id, account_id, email, email_folded, name, role, state, role_source, created)
     VALUES (?, ?, ?, ?, '', 'Admin', 'Active', 'operator', ?)`,
    id,
    accountId,
    email,
    fold(email),
    now,
  );
  await tx.run(`UPDATE sessions SET person_id = ? WHERE account_id = ? AND token_id IS NULL`, id, accountId);
  for (const column of ['owner', 'made_by', 'changed_by'])
    await tx.run(
      `UPDATE views SET ${column} = ? WHERE account_id = ? AND ${column} = 'link'`,
      `person:${id}`,
      accountId,
    );
}

/** The most people of an account. */
const ROOM = { most: MOST_PEOPLE, what: 'people', remedy: 'Remove people who have left first.' };
const HOUR = 3_600_000;
/** How long the link in an invitation or for a forgotten password works. */
export const CODE_VALID_MS = { invite: 72 * HOUR, reset: HOUR } as const;
export type CodePurpose = keyof typeof CODE_VALID_MS;

/** A person as listed. */
export interface ListedPerson extends PersonRow {
  state: Exclude<PersonRow['state'], 'Removed'>;
  /** When the open invitation expires. */
  invite_expires: number | null;
}

const LISTED = `SELECT p.*, c.expires AS invite_expires FROM people p
  LEFT JOIN person_codes c ON c.person_id = p.id AND c.purpose = 'invite' AND c.expires > ?`;

/** The people of an account, in the order in which they came. */
export const listPeople = (db: Reader, accountId: number, now: number): Promise<ListedPerson[]> =>
  db.all<ListedPerson>(`${LISTED} WHERE p.account_id = ? AND p.state <> 'Removed' ORDER BY p.seq`, now, accountId);

/** A person of this account, or a NotFound. */
export async function readPerson(db: Reader, accountId: number, id: string): Promise<PersonRow> {
  const found = await db.get<PersonRow>(
    "SELECT * FROM people WHERE account_id = ? AND id = ? AND state <> 'Removed'",
    accountId,
    id,
  );
  if (!found) throw notFound('person', id);
  return found;
}

export const personById = (db: Reader, id: string): Promise<PersonRow | undefined> =>
  db.get<PersonRow>("SELECT * FROM people WHERE id = ? AND state <> 'Removed'", id);

export const personByEmail = (db: Reader, email: string): Promise<PersonRow | undefined> =>
  db.get<PersonRow>('SELECT * FROM people WHERE email_folded = ?', fold(email.trim()));

/** How a person is shown. */
export const shownName = ({ name, email }: Pick<PersonRow, 'name' | 'email'>): string => name || email;

/** Whether somebody's rights differ: another person, or a token with less than everything. */
export async function hasOthers(db: Reader, accountId: number): Promise<boolean> {
  const found = await db.get(
    `SELECT 1 FROM accounts a WHERE a.id = ? AND (
       (SELECT count(*) FROM people p WHERE p.account_id = a.id AND p.state <> 'Removed') > 1
       OR EXISTS (SELECT 1 FROM tokens t WHERE t.account_id = a.id AND t.revoked IS NULL
         AND (t.role <> 'Admin' OR t.groups_json <> '[]')))`,
    accountId,
  );
  return found !== undefined;
}

interface NewPerson {
  email: string;
  name: string;
  rights: Rights;
  state: 'Invited' | 'Active';
  /** Who or what gives the role: an actor, or a claim of the identity provider. */
  roleSource: string;
  /** The identity at a provider. */
  identity?: { issuer: string; subject: string } | undefined;
}

/** Adds a person, and returns the id. An e-mail address belongs to one person on the whole service. */
export async function insertPerson(
  tx: Tx,
  accountId: number,
  { email, name, rights, state, roleSource, identity }: NewPerson,
  now: number,
): Promise<string> {
  await requireRoom(tx, ROOM, "people WHERE account_id = ? AND state <> 'Removed'", accountId);
  if (await personByEmail(tx, email)) throw emailTaken(email);
  const id = newId();
  await tx.run(
    `INSERT INTO people (id, account_id, email, email_folded, name, role, groups_json, state, source, issuer, subject,
       role_source, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    accountId,
    email.toWellFormed(),
    fold(email.trim()),
    name.trim().toWellFormed(),
    rights.role,
    JSON.stringify(rights.groups ?? []),
    state,
    identity ? 'oidc' : 'password',
    identity?.issuer ?? null,
    identity?.subject ?? null,
    roleSource,
    now,
  );
  return id;
}

const emailTaken = (email: string) =>
  new Conflict(
    `The e-mail address ${email} is taken`,
    'An address belongs to one person on this service. Use another one, or change the person who has it.',
  );

/** Makes a link's code, and ends the one before. Only its hash is stored. */
export async function createPersonCode(
  tx: Tx,
  personId: string,
  purpose: CodePurpose,
  now: number,
): Promise<{ code: string; expires: number }> {
  const code = newSecret('mup');
  const expires = now + CODE_VALID_MS[purpose];
  await tx.run(
    'DELETE FROM person_codes WHERE (person_id = ? AND purpose = ?) OR expires <= ?',
    personId,
    purpose,
    now,
  );
  await tx.run(
    'INSERT INTO person_codes (hash, person_id, purpose, expires) VALUES (?, ?, ?, ?)',
    hashSecret(code),
    personId,
    purpose,
    expires,
  );
  return { code, expires };
}

/** The person for whom a link was made, and for what; undefined if it was used, expired or replaced. */
export async function personOfCode(
  db: Reader,
  code: string,
  now: number,
): Promise<{ person: PersonRow; purpose: CodePurpose } | undefined> {
  const found = await db.get<{ person_id: string; purpose: CodePurpose; expires: number }>(
    'SELECT person_id, purpose, expires FROM person_codes WHERE hash = ?',
    hashSecret(code),
  );
  if (!found || now >= found.expires) return undefined;
  const person = await personById(db, found.person_id);
  const { purpose } = found;
  if (person?.source !== 'password') return undefined;
  return person.state === (purpose === 'invite' ? 'Invited' : 'Active') ? { person, purpose } : undefined;
}

/** Ends the links that were made for a person. */
export const deletePersonCodes = (tx: Tx, personId: string) =>
  tx.run('DELETE FROM person_codes WHERE person_id = ?', personId);

/** What the caller may do at this moment, read inside a transaction; undefined if nothing any more. */
export async function currentRights(
  tx: Reader,
  { credential }: Pick<Caller, 'credential'>,
): Promise<Rights | undefined> {
  const [kind, id = ''] = credential.split(':');
  const row = await tx.get<{
    role: string | null;
    groups_json: string | null;
    person_id: string | null;
    person_role: string | null;
    person_groups: string | null;
  }>(
    kind === 'token'
      ? `SELECT t.role, t.groups_json, t.person_id, p.role AS person_role, p.groups_json AS person_groups
         FROM tokens t LEFT JOIN people p ON p.id = t.person_id AND p.state = 'Active'
         WHERE t.id = ? AND t.revoked IS NULL`
      : `SELECT t.role, t.groups_json, s.person_id, p.role AS person_role, p.groups_json AS person_groups
         FROM sessions s LEFT JOIN tokens t ON t.id = s.token_id LEFT JOIN people p ON p.id = s.person_id AND p.state = 'Active'
         WHERE s.id = ? AND t.revoked IS NULL AND coalesce(s.ends, 1) > 0`,
    id,
  );
  if (!row || (row.person_id !== null && row.person_role === null)) return undefined;
  const person = storedRights(row.person_role, row.person_groups);
  const own = storedRights(row.role, row.groups_json) ?? person;
  return own && rightsWithin(own, person);
}

const storedRights = (role: string | null, groups: string | null): StoredRights | undefined =>
  role === null || groups === null ? undefined : { role, groups_json: groups };

/** Refuses to take the account's last Admin, whose role covers all groups, from it. */
async function requireOtherAdmin(tx: Tx, { account_id, id, ...person }: PersonRow): Promise<void> {
  const other = await tx.get(
    `SELECT 1 FROM people WHERE account_id = ? AND id <> ? AND state = 'Active' AND role = 'Admin' AND groups_json = '[]'`,
    account_id,
    id,
  );
  if (other || person.state !== 'Active' || person.role !== 'Admin' || person.groups_json !== '[]') return;
  throw new Conflict(
    `${shownName(person)} is the last Admin of the account`,
    'Somebody has to be able to manage it. Make another person Admin of all groups first.',
  );
}

/**
 * Changes a role and where it holds. If anything is taken away, the person's sessions end, and the tokens lose it for good:
 * a role that grows again does not give it back to them.
 */
export async function setRights(
  tx: Tx,
  person: PersonRow,
  rights: Rights,
  { roleSource, now }: { roleSource: string; now: number },
): Promise<void> {
  const isLesser = isLess(rights, rightsOf(person));
  if (isLesser) await requireOtherAdmin(tx, person);
  await tx.run(
    'UPDATE people SET role = ?, groups_json = ?, role_source = ? WHERE id = ?',
    rights.role,
    JSON.stringify(rights.groups ?? []),
    roleSource,
    person.id,
  );
  if (!isLesser) return;
  await endSessionsOf(tx, person.id);
  const tokens = await tx.all<StoredRights & { id: string }>(
    'SELECT id, role, groups_json FROM tokens WHERE person_id = ? AND revoked IS NULL',
    person.id,
  );
  for (const token of tokens) {
    const { role, groups } = commonRights(rightsOf(token), rights);
    // Stored, an empty list would mean all groups.
    if (groups?.length === 0) await tx.run('UPDATE tokens SET revoked = ? WHERE id = ?', now, token.id);
    else
      await tx.run(
        'UPDATE tokens SET role = ?, groups_json = ? WHERE id = ?',
        role,
        JSON.stringify(groups ?? []),
        token.id,
      );
  }
}

/** Ends the sessions of a person, except one. */
export const endSessionsOf = (tx: Tx, personId: string, but = '') =>
  tx.run('DELETE FROM sessions WHERE person_id = ? AND id <> ?', personId, but);

/** Ends all sessions of a person who may not come back; what stays of them only tells their browsers why (`lostSession`). */
const closeSessionsOf = (tx: Tx, personId: string) =>
  tx.run("UPDATE sessions SET ends = 0, address = '', id_token = NULL WHERE person_id = ?", personId);

/** Lets a person in again, or refuses them everything at once. */
export async function setDisabled(tx: Tx, person: PersonRow, disabled: boolean): Promise<void> {
  if (!disabled) {
    if (person.state !== 'Disabled') return;
    const isKnown = person.password !== '' || person.source === 'oidc' || person.last_seen !== null;
    await tx.run('UPDATE people SET state = ? WHERE id = ?', isKnown ? 'Active' : 'Invited', person.id);
    return;
  }
  await requireOtherAdmin(tx, person);
  await tx.run("UPDATE people SET state = 'Disabled' WHERE id = ?", person.id);
  await deletePersonCodes(tx, person.id);
  await closeSessionsOf(tx, person.id);
}

/** Removes a person with everything that is theirs alone. The name remains for the audit log. */
export async function removePerson(tx: Tx, person: PersonRow, now: number): Promise<void> {
  await requireOtherAdmin(tx, person);
  const { id, account_id: accountId } = person;
  await deletePersonCodes(tx, id);
  await closeSessionsOf(tx, id);
  await tx.run('UPDATE tokens SET revoked = ? WHERE person_id = ? AND revoked IS NULL', now, id);
  await tx.run('DELETE FROM views WHERE account_id = ? AND owner = ?', accountId, `person:${id}`);
  await tx.run(
    `UPDATE people SET state = 'Removed', name = ?, email = '', email_folded = ?, password = '', otp_secret = NULL,
       recovery_json = '[]', issuer = NULL, subject = NULL WHERE id = ?`,
    shownName(person),
    id,
    id,
  );
}

export const setName = (tx: Tx, personId: string, name: string) =>
  tx.run('UPDATE people SET name = ? WHERE id = ?', name.trim().toWellFormed(), personId);

/** Whether anybody on this service can sign in with a password. */
export const hasPasswords = async (db: Reader): Promise<boolean> =>
  (await db.get("SELECT 1 FROM people WHERE password <> '' LIMIT 1")) !== undefined;

/** Sets a password. Whoever was invited is there from now on, and no link that was sent works any more. */
export async function setPassword(tx: Tx, personId: string, hash: string): Promise<void> {
  await tx.run("UPDATE people SET password = ?, state = 'Active' WHERE id = ?", hash, personId);
  await deletePersonCodes(tx, personId);
}

/** Sets the second factor, and what is left of its recovery codes. */
export const setSecondFactor = (tx: Tx, personId: string, sealed: Uint8Array, recovery: readonly string[]) =>
  tx.run(
    'UPDATE people SET otp_secret = ?, otp_step = 0, recovery_json = ? WHERE id = ?',
    sealed,
    JSON.stringify(recovery),
    personId,
  );

export const recordOtpStep = (tx: Tx, personId: string, step: number) =>
  tx.run('UPDATE people SET otp_step = ? WHERE id = ?', step, personId);

export const setRecoveryHashes = (tx: Tx, personId: string, hashes: readonly string[]) =>
  tx.run('UPDATE people SET recovery_json = ? WHERE id = ?', JSON.stringify(hashes), personId);

export const dropSecondFactor = (tx: Tx, personId: string) =>
  tx.run("UPDATE people SET otp_secret = NULL, otp_step = 0, recovery_json = '[]' WHERE id = ?", personId);

/** Notes that a person is there. */
export const recordSeen = (tx: Tx, personId: string, now: number) =>
  tx.run('UPDATE people SET last_seen = ? WHERE id = ?', now, personId);
