// The people of an account, their roles, and the groups that a role is limited to.
import { commonRights, ROLES } from '#/contract/permissions.ts';
import type { Rights, Role } from '#/contract/permissions.ts';
import type { Reader, Tx } from './database.ts';
import { fold } from './fold.ts';
import { newId } from './ids.ts';

export interface PersonRow {
  seq: number;
  id: string;
  account_id: number;
  email: string;
  name: string;
  role: Role;
  groups_json: string;
  state: 'Invited' | 'Active' | 'Disabled';
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
 * that person, private views included.
 */
export async function setUpOwner(tx: Tx, accountId: number, email: string, now: number): Promise<void> {
  const known = await tx.get('SELECT 1 FROM people WHERE account_id = ?', accountId);
  if (known) return;
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
  await tx.run(`UPDATE views SET owner = ? WHERE account_id = ? AND owner = 'link'`, `person:${id}`, accountId);
  await tx.run(
    `UPDATE views SET changed_by = ? WHERE account_id = ? AND changed_by = 'link'`,
    `person:${id}`,
    accountId,
  );
}
