// What somebody may do now who began long work earlier: roles change, people are removed and tokens are revoked meanwhile.
import { ROLES } from '#/contract/permissions.ts';
import type { Rights } from '#/contract/permissions.ts';
import type { Caller } from './caller.ts';
import type { Reader } from './database.ts';
import { rightsOf, rightsWithin } from './people.ts';
import type { StoredRights } from './people.ts';
import { holderOf } from './sessions.ts';

interface TokenRights extends StoredRights {
  expires: number | null;
  revoked: number | null;
  person_id: string | null;
  person_role: string | null;
  person_groups: string | null;
}

/** What a token gives now; undefined if nothing. */
async function rightsOfToken(db: Reader, id: string, now: number): Promise<Rights | undefined> {
  const row = await db.get<TokenRights>(
    `SELECT t.role, t.groups_json, t.expires, t.revoked, t.person_id, p.role AS person_role, p.groups_json AS person_groups
     FROM tokens t LEFT JOIN people p ON p.id = t.person_id AND p.state = 'Active' WHERE t.id = ?`,
    id,
  );
  if (!row || row.revoked !== null || (row.expires !== null && now >= row.expires)) return undefined;
  if (row.person_id === null) return rightsOf(row);
  const { person_role: role, person_groups: groups_json } = row;
  return role === null || groups_json === null ? undefined : rightsWithin(row, { role, groups_json });
}

async function rightsOfPerson(db: Reader, id: string): Promise<Rights | undefined> {
  const row = await db.get<StoredRights>("SELECT role, groups_json FROM people WHERE id = ? AND state = 'Active'", id);
  return row && rightsOf(row);
}

/** Somebody who began work, with what they had then. */
export interface Beginner extends StoredRights {
  actor: string;
  /** The token that they showed or signed in with, or their session. */
  credential: string;
}

/** What is stored of a caller whose work outlives the request. */
export const beginnerOf = async (
  db: Reader,
  caller: Pick<Caller, 'actor' | 'credential' | 'role' | 'groups'>,
): Promise<Beginner> => ({
  actor: caller.actor,
  credential: await holderOf(db, caller.credential),
  role: caller.role,
  groups_json: JSON.stringify(caller.groups ?? []),
});

/** Whether they may still do what they might do when they began. */
export async function isStillPermitted(db: Reader, beginner: Beginner, now: number): Promise<boolean> {
  const { actor, credential } = beginner;
  const [kind, id = ''] = (credential.startsWith('token:') ? credential : actor).split(':');
  // Work from before there were roles: whoever began it had all rights, and its credential is not known.
  if (credential === '') return true;
  const rights = kind === 'token' ? await rightsOfToken(db, id, now) : await rightsOfPerson(db, id);
  const { role, groups } = rightsOf(beginner);
  if (!rights || ROLES.indexOf(rights.role) < ROLES.indexOf(role)) return false;
  return !rights.groups || groups?.every((group) => rights.groups?.includes(group)) === true;
}
