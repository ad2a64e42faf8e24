// Reading the audit log, and the chain of hashes that shows a change of it. Hashes are added a moment after the entries, in
// the order of their commits, so that no write waits for them.
import { hash } from 'node:crypto';
import type { AuditFilters } from '#/contract/audit.ts';
import type { Database, Reader, SqlValue, Tx } from './database.ts';
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
    SELECT ${sql.field('value', 'object')}, CAST(${sql.field('value', 'seq')} AS BIGINT) FROM ${sql.list('made')}`,
);

/** Hashes the next entries, and returns how many these were. */
async function hashNext(tx: Tx): Promise<number> {
  const last = await tx.get<{ seq: number; hash: string }>(
    'SELECT audit_seq AS seq, hash FROM audit_hashes ORDER BY audit_seq DESC LIMIT 1',
  );
  const rows = await tx.all<AuditRow>(
    'SELECT * FROM audit WHERE seq > ? ORDER BY seq LIMIT ?',
    last?.seq ?? 0,
    PORTION,
  );
  if (rows.length === 0) return 0;
  let before = last?.hash ?? '';
  const hashes = rows.map((row) => ({ seq: row.seq, hash: (before = auditHash(before, row)) }));
  const objects = rows.flatMap(({ seq, target }) =>
    [...new Set(target.split(' '))].filter((object) => object !== '').map((object) => ({ seq, object })),
  );
  await tx.run(INSERT_HASHES(tx), JSON.stringify(hashes));
  await tx.run(INSERT_OBJECTS(tx), JSON.stringify(objects));
  return rows.length;
}

/** Hashes the entries that have no hash yet, a portion at a time and at most so many portions. */
export async function hashAudit(db: Database, portions = Infinity): Promise<void> {
  for (let done = 0; done < portions && (await isBehind(db)); done++)
    if ((await db.write(hashNext, { patient: true })) < PORTION) return;
}

const isBehind = async (db: Reader): Promise<boolean> => {
  const row = await db.get<{ last: number | null; hashed: number | null }>(
    'SELECT (SELECT max(seq) FROM audit) AS last, (SELECT max(audit_seq) FROM audit_hashes) AS hashed',
  );
  return (row?.last ?? 0) > (row?.hashed ?? 0);
};

/** As in the index of the other entries; ';' follows ':'. */
const BY_DEVICES = "actor >= 'device:' AND actor < 'device;'";

/** The conditions in SQL. Refused attempts of unknown clients belong to every account. */
function conditions(accountId: number, filters: AuditFilters): { where: string; values: SqlValue[] } {
  const { actor, by, action, object, outcome, from, to } = filters;
  const all: [sql: string, ...values: SqlValue[]][] = [['(account_id = ? OR account_id IS NULL)', accountId]];
  if (actor !== undefined) all.push(['actor = ?', actor]);
  if (by !== undefined) all.push([by === 'devices' ? BY_DEVICES : `NOT (${BY_DEVICES})`]);
  // '/' follows '.': all actions of the kind.
  if (action?.includes('.')) all.push(['action = ?', action]);
  else if (action !== undefined) all.push(['action > ? AND action < ?', `${action}.`, `${action}/`]);
  if (object !== undefined) all.push(['seq IN (SELECT audit_seq FROM audit_objects WHERE object = ?)', object]);
  if (outcome !== undefined) all.push(['outcome = ?', outcome]);
  if (from !== undefined) all.push(['at >= ?', Date.parse(from)]);
  if (to !== undefined) all.push(['at <= ?', Date.parse(to)]);
  return { where: all.map(([sql]) => sql).join(' AND '), values: all.flatMap(([, ...values]) => values) };
}

/** Entries before the number `before`, newest first. */
export function auditEntries(
  db: Reader,
  accountId: number,
  filters: AuditFilters,
  { before = Number.MAX_SAFE_INTEGER, limit }: { before?: number | undefined; limit: number },
): Promise<HashedRow[]> {
  const { where, values } = conditions(accountId, filters);
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
  /** The hash of the last of them. */
  last: string;
  /** Undefined if all are right. */
  fault: string | undefined;
  /** Whether the expected hash is that of an entry. */
  found: boolean;
}

/** Computes the whole chain again. `expected`: a hash that was noted elsewhere. */
export async function verifyAudit(db: Reader, expected?: string): Promise<Verified> {
  let [before, after, entries, found] = ['', 0, 0, expected === undefined];
  const result = (fault?: string): Verified => ({ entries, last: before, fault, found });
  for (;;) {
    const rows = await db.all<HashedRow & { hashed: number | null }>(
      `SELECT audit.*, hash, audit_seq AS hashed FROM audit LEFT JOIN audit_hashes ON audit_seq = seq
       WHERE seq > ? ORDER BY seq LIMIT ?`,
      after,
      PORTION,
    );
    for (const row of rows) {
      if (row.hash === null) {
        const later = await db.get<object>('SELECT 1 FROM audit_hashes WHERE audit_seq > ? LIMIT 1', row.seq);
        return result(later && `Entry ${row.seq} has no hash: it was added later, or its hash was removed.`);
      }
      const hashed = auditHash(before, row);
      if (hashed !== row.hash)
        return result(
          `Entry ${row.seq} does not match its hash: it or an entry before it was changed, added or removed.`,
        );
      before = hashed;
      after = row.seq;
      entries += 1;
      found ||= hashed === expected;
    }
    if (rows.length < PORTION) break;
  }
  const rest = await db.get<{ seq: number }>(
    'SELECT audit_seq AS seq FROM audit_hashes WHERE audit_seq > ? LIMIT 1',
    after,
  );
  return result(rest && `Entry ${rest.seq} was removed: its hash is still there.`);
}
