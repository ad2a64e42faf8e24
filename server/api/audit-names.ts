// The names of the actors and objects in audit entries: those that they have now, or had when they were removed.
import type { HashedRow } from '../store/audit-log.ts';
import { removedObjects } from '../store/audit-origin.ts';
import { kindOf } from '../store/audit-scope.ts';
import type { Database, Reader } from '../store/database.ts';
import { fold } from '#/contract/fold.ts';
import { NAMED_DEVICES, NAMED_JOBS, NAMED_REMOVALS, openNameIndex } from '../store/name-index.ts';
import { invalid } from '../http/problem.ts';

type Named = Pick<HashedRow, 'actor' | 'action' | 'target'>;

/** The tables of objects with names, by the part of an action before its dot. */
const NAMED = {
  device: 'devices',
  job: 'jobs',
  artifact: 'artifacts',
  workflow: 'workflows',
  rollout: 'rollouts',
  token: 'tokens',
  person: 'people',
  enrolment: 'enrolment_keys',
  'alert-channel': 'alert_channels',
  'alert-rule': 'alert_rules',
} as const;
const KINDS = Object.keys(NAMED) as (keyof typeof NAMED)[];
/** Kinds of actions whose targets end with the id of a device. */
const OF_DEVICES = new Set(['tag', 'note', 'tunnel']);
/** Kinds of actions whose targets are people. */
const OF_PEOPLE = new Set(['password', 'otp']);
/** A person without a name is shown by the e-mail address. */
const nameIn = (table: string) => (table === 'people' ? "coalesce(nullif(name, ''), email)" : 'name');

/** The object of an entry in the form of actors: `device:<id>`. A device's own entries about a tunnel name only that. */
export function objectKey({ actor = '', action, target }: Partial<Named> & Omit<Named, 'actor'>): string {
  const kind = kindOf({ action });
  if (kind === 'tunnel' && actor.startsWith('device:')) return actor;
  return `${OF_DEVICES.has(kind) ? 'device' : OF_PEOPLE.has(kind) ? 'person' : kind}:${target.split(' ').at(-1)}`;
}

/** The names of the actors and objects of these entries, by `<kind>:<id>`. */
export async function namesOf(db: Reader, accountId: number, rows: readonly Named[]): Promise<Map<string, string>> {
  const openedBy = await openersOf(db, accountId, rows);
  const actors = [...rows.map(({ actor }) => actor), ...openedBy.values()];
  const keys = [...new Set([...actors, ...rows.map(objectKey)])].map((key) => key.split(':'));
  const names = new Map<string, string>();
  for (const kind of KINDS) {
    const ids = keys.flatMap(([of, id]) => (of === kind && id ? [id] : []));
    if (ids.length === 0) continue;
    const found = await db.all<{ id: string; name: string }>(
      `SELECT id, ${nameIn(NAMED[kind])} AS name FROM ${NAMED[kind]} WHERE account_id = ? AND id IN (SELECT value FROM ${db.dialect.list('asked')})`,
      accountId,
      JSON.stringify(ids),
    );
    for (const { id, name } of found) names.set(`${kind}:${id}`, name);
  }
  const lost = keys.flatMap(([kind = '', id = '']) => (kind in NAMED && !names.has(`${kind}:${id}`) ? [id] : []));
  for (const removed of await removedObjects(db, accountId, lost)) names.set(objectKey(removed), removed.name);
  for (const [session, opener] of openedBy)
    names.set(session, opener.startsWith('token:') ? (names.get(opener) ?? '') : opener);
  return names;
}

/** The names of actors only. */
export const actorNames = (db: Reader, accountId: number, actors: readonly string[]): Promise<Map<string, string>> =>
  namesOf(
    db,
    accountId,
    actors.map((actor) => ({ actor, action: '', target: '' })),
  );

/**
 * Who opened the sessions among the actors: maps `session:<id>` to `token:<id>` or `sign-in link`, because a session
 * has no name.
 */
async function openersOf(db: Reader, accountId: number, rows: readonly Named[]): Promise<Map<string, string>> {
  const sessions = new Set(rows.flatMap(({ actor }) => (actor.startsWith('session:') ? [actor.slice(8)] : [])));
  if (sessions.size === 0) return new Map();
  const found = await db.all<{ target: string; actor: string }>(
    `SELECT target, actor FROM audit JOIN audit_objects ON audit_seq = seq
     WHERE action = 'session.open' AND account_id = ? AND object IN (SELECT value FROM ${db.dialect.list('asked')})`,
    accountId,
    JSON.stringify([...sessions]),
  );
  return new Map(found.map(({ target, actor }) => [`session:${target}`, actor]));
}

/** The most objects that a search may find; more would be too many to go through. */
const MAX_FOUND = 1_000;
/** An account may have very many of these, so their names are searched in memory. */
const INDEXED = {
  devices: { id: 'id', source: NAMED_DEVICES },
  jobs: { id: 'id', source: NAMED_JOBS },
  audit: { id: 'target', source: NAMED_REMOVALS },
};

/** Finds objects by part of their name, and any object with exactly this id. A removed object has its last name. */
export function openObjectSearch(db: Database): (accountId: number, about: string) => Promise<string[]> {
  const indexes = Object.entries(INDEXED).map(([table, { id, source }]) => ({
    table,
    id,
    index: openNameIndex(db, source),
  }));
  const others = Object.values(NAMED).filter((table) => !(table in INDEXED));
  return async (accountId, about) => {
    const part = fold(about);
    const found = [about];
    for (const { table, id: column, index } of indexes) {
      const seqs = await index.find(accountId, [part], { limit: MAX_FOUND + 1 });
      const rows = await db.all<{ id: string }>(
        `SELECT ${column} AS id FROM ${table} WHERE account_id = ? AND seq IN (SELECT CAST(value AS BIGINT) FROM ${db.dialect.list('asked')})`,
        accountId,
        JSON.stringify(seqs),
      );
      found.push(...rows.map(({ id }) => id));
    }
    for (const table of others) {
      const rows = await db.all<{ id: string; name: string }>(
        `SELECT id, ${nameIn(table)} AS name FROM ${table} WHERE account_id = ?`,
        accountId,
      );
      found.push(...rows.filter(({ name }) => fold(name).includes(part)).map(({ id }) => id));
    }
    if (found.length > MAX_FOUND)
      throw invalid([{ field: 'about', message: `is in more than ${MAX_FOUND} names: give more of it` }]);
    return found;
  };
}

/** The people and tokens whose name or e-mail address contains this, those included that were removed; as actors. */
export async function actorsNamed(db: Reader, accountId: number, part: string): Promise<string[]> {
  const found: string[] = [];
  const folded = fold(part);
  for (const [kind, columns] of [
    ['person', 'name, email'],
    ['token', "name, '' AS email"],
  ] as const)
    for (const { id, name, email } of await db.all<{ id: string; name: string; email: string }>(
      `SELECT id, ${columns} FROM ${NAMED[kind]} WHERE account_id = ?`,
      accountId,
    ))
      if (fold(name).includes(folded) || fold(email).includes(folded)) found.push(`${kind}:${id}`);
  return found;
}
