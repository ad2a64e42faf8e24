// Reading the audit log, and the chain of hashes that shows a change of it. Hashes are added a moment after the entries, in
// the order of their commits, so that no write waits for them. An entry at or before the mark (audit-mark.ts) never gets a
// hash again: one without was added or robbed of it by somebody else.
import { hash } from 'node:crypto';
import type { AuditFilters } from '#/contract/audit.ts';
import type { Database, Reader, SqlValue, Tx } from './database.ts';
import { lastHashed, writeMark } from './audit-mark.ts';
import type { AuditMark } from './audit-mark.ts';
import { perDialect } from './dialect.ts';

export interface AuditRow {
  seq: number;
  at: number;
  account_id: number | null;
  actor: string;
  address: string;
  action: string;
  target: string;
  outcome: string;
}
/** `hash`: null as long as it is not there yet. */
export type HashedRow = AuditRow & { hash: string | null };

/** Entries of one unit of work. */
const PORTION = 500;
/** Units of work until others have their turn: a log from before the hashes may be long. */
export const AT_ONCE = 10;

/** The hash of an entry: of what it says, and of the hash of the one before ('' for the first). */
const auditHash = (before: string, row: AuditRow): string =>
  hash(
    'sha256',
    JSON.stringify([
      before,
      row.seq,
      row.at,
      row.account_id,
      row.actor,
      row.address,
      row.action,
      row.target,
      row.outcome,
    ]),
  );

const INSERT_HASHES = perDialect(
  (sql) => `INSERT INTO audit_hashes (audit_seq, hash)
    SELECT CAST(${sql.field('value', 'seq')} AS BIGINT), ${sql.field('value', 'hash')} FROM ${sql.list('made')}`,
);
const INSERT_OBJECTS = perDialect(
  (sql) => `INSERT INTO audit_objects (object, audit_seq)
    SELECT ${sql.field('value', 'object')}, CAST(${sql.field('value', 'seq')} AS BIGINT) FROM ${sql.list('made')}
    WHERE true ON CONFLICT DO NOTHING`,
);
const MISSING_OBJECT = perDialect(
  (sql) => `SELECT CAST(${sql.field('value', 'seq')} AS BIGINT) AS seq FROM ${sql.list('made')}
    WHERE NOT EXISTS (SELECT 1 FROM audit_objects
      WHERE object = ${sql.field('value', 'object')} AND audit_seq = CAST(${sql.field('value', 'seq')} AS BIGINT))
    ORDER BY key LIMIT 1`,
);

/** Each object of these entries, with the entry's number. */
const objectsOf = (rows: readonly AuditRow[]) =>
  rows.flatMap(({ seq, target }) =>
    [...new Set(target.split(' '))].filter((object) => object !== '').map((object) => ({ seq, object })),
  );

/** Hashes the next entries, and returns how many these were. */
async function hashNext(tx: Tx): Promise<number> {
  const last = await lastHashed(tx);
  const rows = await tx.all<AuditRow>('SELECT * FROM audit WHERE seq > ? ORDER BY seq LIMIT ?', last.seq, PORTION);
  const newest = rows.at(-1);
  if (!newest) return 0;
  let before = last.hash;
  const hashes = rows.map((row) => ({ seq: row.seq, hash: (before = auditHash(before, row)) }));
  await tx.run(INSERT_HASHES(tx), JSON.stringify(hashes));
  await tx.run(INSERT_OBJECTS(tx), JSON.stringify(objectsOf(rows)));
  await writeMark(tx, { seq: newest.seq, hash: before });
  return rows.length;
}

/** Hashes the entries that have no hash yet, a portion at a time and at most so many portions. */
export async function hashAudit(db: Database, portions = Infinity): Promise<void> {
  for (let done = 0; done < portions && (await isBehind(db)); done++)
    if ((await db.write(hashNext, { patient: true })) < PORTION) return;
}

const isBehind = async (db: Reader): Promise<boolean> => {
  const row = await db.get<{ last: number | null }>('SELECT max(seq) AS last FROM audit');
  return (row?.last ?? 0) > (await lastHashed(db)).seq;
};

/** As in the index of the other entries; ';' follows ':'. */
const BY_DEVICES = "actor >= 'device:' AND actor < 'device;'";

/** `objects`: the ids of what the entries may be about. */
export type EntryFilters = Omit<AuditFilters, 'about'> & { objects?: readonly string[] };

/** The conditions in SQL. Refused attempts of unknown clients belong to every account. */
function conditions(
  { dialect }: Reader,
  accountId: number,
  filters: EntryFilters,
): { where: string; values: SqlValue[] } {
  const { actor, by, action, object, objects, outcome, from, to } = filters;
  const all: [sql: string, ...values: SqlValue[]][] = [['(account_id = ? OR account_id IS NULL)', accountId]];
  if (actor !== undefined) all.push(['actor = ?', actor]);
  if (by !== undefined) all.push([by === 'devices' ? BY_DEVICES : `NOT (${BY_DEVICES})`]);
  if (action !== undefined) {
    const kind = action.includes('.') ? 'action' : dialect.before('action', '.');
    // The entries about some objects are few: an index of actions would lead through all others.
    all.push([object === undefined && objects === undefined ? `${kind} = ?` : `(${kind} || '') = ?`, action]);
  }
  for (const ids of [object === undefined ? undefined : [object], objects])
    if (ids !== undefined) {
      const asked = dialect.among('object', `SELECT value FROM ${dialect.list('asked')}`);
      all.push([dialect.among('seq', `SELECT audit_seq FROM audit_objects WHERE ${asked}`), JSON.stringify(ids)]);
    }
  if (outcome !== undefined) all.push(['outcome = ?', outcome]);
  if (from !== undefined) all.push(['at >= ?', Date.parse(from)]);
  if (to !== undefined) all.push(['at <= ?', Date.parse(to)]);
  return { where: all.map(([sql]) => sql).join(' AND '), values: all.flatMap(([, ...values]) => values) };
}

/** Entries before the number `before`, newest first. */
export function auditEntries(
  db: Reader,
  accountId: number,
  filters: EntryFilters,
  { before = Number.MAX_SAFE_INTEGER, limit }: { before?: number | undefined; limit: number },
): Promise<HashedRow[]> {
  const { where, values } = conditions(db, accountId, filters);
  return db.all<HashedRow>(
    `SELECT audit.*, hash FROM audit LEFT JOIN audit_hashes ON audit_seq = seq
     WHERE ${where} AND seq < ? ORDER BY seq DESC LIMIT ?`,
    ...values,
    before,
    limit,
  );
}

export interface Verified {
  /** Entries whose hash is right. */
  entries: number;
  /** Entries after them that the service has not hashed yet. */
  newer: number;
  /** The hash of the last of them. */
  last: string;
  /** Undefined if all are right. */
  fault: string | undefined;
  /** Whether the expected hash is that of an entry. */
  found: boolean;
  /** Whether the log holds the witness; of use if there is no fault, for the search ends at one. */
  witnessed: boolean;
}

interface VerifyOptions {
  /** A hash that was noted elsewhere. */
  expected?: string | undefined;
  /** How far the log was hashed when a node last noted it outside the database. */
  witness?: AuditMark | undefined;
}

/** Computes the whole chain again. Changes nothing: an entry without a hash must never get one from here. */
export async function verifyAudit(db: Reader, { expected, witness }: VerifyOptions = {}): Promise<Verified> {
  // Read first: what is hashed meanwhile is beyond it.
  const mark = await lastHashed(db);
  let [before, after, entries, objects] = ['', 0, 0, 0];
  let [found, witnessed] = [expected === undefined, witness === undefined];
  const result = (fault?: string, newer = 0): Verified => ({ entries, newer, last: before, fault, found, witnessed });
  while (after < mark.seq) {
    const rows = await db.all<HashedRow>(
      `SELECT audit.*, hash FROM audit LEFT JOIN audit_hashes ON audit_seq = seq
       WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?`,
      after,
      mark.seq,
      PORTION,
    );
    for (const row of rows) {
      if (row.hash === null)
        return result(`Entry ${row.seq} has no hash: it was added later, or its hash was removed.`);
      const hashed = auditHash(before, row);
      if (hashed !== row.hash)
        return result(
          `Entry ${row.seq} does not match its hash: it or an entry before it was changed, added or removed.`,
        );
      before = hashed;
      after = row.seq;
      entries += 1;
      found ||= hashed === expected;
      witnessed ||= row.seq === witness?.seq && hashed === witness.hash;
    }
    const unlisted = await db.get<{ seq: number }>(MISSING_OBJECT(db), JSON.stringify(objectsOf(rows)));
    if (unlisted) return result(`Entry ${unlisted.seq} is missing from the list of entries by object.`);
    objects += objectsOf(rows).length;
    if (rows.length < PORTION) break;
  }
  const orphan = await db.get<{ seq: number }>(
    `SELECT audit_seq AS seq FROM audit_hashes
     WHERE audit_seq > ? AND NOT EXISTS (SELECT 1 FROM audit WHERE seq = audit_seq) ORDER BY audit_seq LIMIT 1`,
    after,
  );
  if (orphan) return result(`Entry ${orphan.seq} was removed: its hash is still there.`);
  if (after < mark.seq || before !== mark.hash)
    return result(`The log ends at entry ${after}, but was hashed up to entry ${mark.seq}: its end was removed.`);
  const listed = await db.get<{ count: number }>(
    'SELECT count(*) AS count FROM audit_objects WHERE audit_seq <= ?',
    mark.seq,
  );
  if ((listed?.count ?? 0) !== objects)
    return result('The list of entries by object holds entries that are not about the object: somebody added them.');
  const newer = await db.get<{ count: number }>('SELECT count(*) AS count FROM audit WHERE seq > ?', mark.seq);
  return result(undefined, newer?.count ?? 0);
}
