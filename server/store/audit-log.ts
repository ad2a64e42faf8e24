// Reads the audit log, and maintains the hash chain that reveals tampering. Hashes are added shortly after the entries,
// in commit order, so that no write waits for them. An entry at or before the mark (audit-mark.ts) is never hashed
// again: if it has no hash, somebody added the entry or removed the hash.
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
  bulk_id: string;
  removed_name: string;
}
/** `hash` is null until it has been computed. */
export type HashedRow = AuditRow & { hash: string | null };

/** Entries per transaction. */
const BATCH = 500;
/** Transactions per run, so that other work gets its turn: a log from before the hashes may be long. */
export const AT_ONCE = 10;

/** The hash of an entry covers its content and the hash of the previous entry ('' for the first). */
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
      // Entries from before these columns, and most others, have neither.
      ...(row.bulk_id === '' && row.removed_name === '' ? [] : [row.bulk_id, row.removed_name]),
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

/** Each object that these entries are about, with the entry's number. */
const objectsOf = (rows: readonly AuditRow[]) =>
  rows.flatMap(({ seq, target }) =>
    [...new Set(target.split(' '))].filter((object) => object !== '').map((object) => ({ seq, object })),
  );

/** Hashes the next entries, and returns how many. */
async function hashNext(tx: Tx): Promise<number> {
  const last = await lastHashed(tx);
  const rows = await tx.all<AuditRow>('SELECT * FROM audit WHERE seq > ? ORDER BY seq LIMIT ?', last.seq, BATCH);
  const newest = rows.at(-1);
  if (!newest) return 0;
  let before = last.hash;
  const hashes = rows.map((row) => ({ seq: row.seq, hash: (before = auditHash(before, row)) }));
  await tx.run(INSERT_HASHES(tx), JSON.stringify(hashes));
  await tx.run(INSERT_OBJECTS(tx), JSON.stringify(objectsOf(rows)));
  await writeMark(tx, { seq: newest.seq, hash: before });
  return rows.length;
}

/** Hashes the entries that have no hash yet, in at most this many batches. */
export async function hashAudit(db: Database, portions = Infinity): Promise<void> {
  for (let done = 0; done < portions && (await isBehind(db)); done++)
    if ((await db.write(hashNext, { patient: true })) < BATCH) return;
}

const isBehind = async (db: Reader): Promise<boolean> => {
  const row = await db.get<{ last: number | null }>('SELECT max(seq) AS last FROM audit');
  return (row?.last ?? 0) > (await lastHashed(db)).seq;
};

/** The same expression as in the index audit_by_people; ';' follows ':' in ASCII. */
const BY_DEVICES = "actor >= 'device:' AND actor < 'device;'";

/** `objects` has the ids of what the entries may be about, `actors` those whose they may be. */
export type EntryFilters = Omit<AuditFilters, 'about' | 'actor'> & {
  objects?: readonly string[];
  actors?: readonly string[];
};

/** The filters as SQL conditions. Refused requests of unknown clients are shown to every account. */
function conditions(
  { dialect }: Reader,
  accountId: number,
  filters: EntryFilters,
): { where: string; values: SqlValue[] } {
  const { actors, by, action, object, objects, outcome, from, to } = filters;
  const all: [sql: string, ...values: SqlValue[]][] = [['(account_id = ? OR account_id IS NULL)', accountId]];
  if (actors?.length === 1) all.push(['actor = ?', ...actors]);
  else if (actors !== undefined)
    all.push([dialect.among('actor', `SELECT value FROM ${dialect.list('those')}`), JSON.stringify(actors)]);
  if (by !== undefined) all.push([by === 'devices' ? BY_DEVICES : `NOT (${BY_DEVICES})`]);
  if (action !== undefined) {
    const kind = action.includes('.') ? 'action' : dialect.before('action', '.');
    // There are few entries about any object: `|| ''` keeps the planner from reading all others by the index of
    // actions.
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

/** Entries below the number `before`, newest first. */
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
  /** Entries whose hash is correct. */
  entries: number;
  /** Entries after them that the service has not hashed yet. */
  newer: number;
  /** The hash of the last verified entry. */
  last: string;
  /** Undefined if the whole log is correct. */
  fault: string | undefined;
  /** Whether an entry has the expected hash. */
  found: boolean;
  /**
   * Whether the log has the witness's entry; only meaningful without a fault, because verification stops at the first.
   */
  witnessed: boolean;
}

interface VerifyOptions {
  /** A hash that was noted elsewhere. */
  expected?: string | undefined;
  /** The mark that a node last recorded outside the database. */
  witness?: AuditMark | undefined;
}

/** Recomputes the whole chain. Writes nothing: an entry without a hash must never get one here. */
export async function verifyAudit(db: Reader, { expected, witness }: VerifyOptions = {}): Promise<Verified> {
  // Read first, so that entries that are hashed during the check come after it.
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
      BATCH,
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
    if (rows.length < BATCH) break;
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
