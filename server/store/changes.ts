// What changed, in the order of commits: the versions that clients compare, and the changes between two of them. Both
// engines let one transaction write at a time, so that no change appears below a version that was already given out.
import type { Database, Reader } from './database.ts';
import { perDialect } from './dialect.ts';

export type ChangeKind =
  | 'device'
  | 'job'
  | 'tunnel'
  | 'artifact'
  | 'workflow'
  | 'tag'
  | 'token'
  | 'session'
  | 'account'
  | 'bulk'
  | 'rollout'
  | 'alert';

export interface Change {
  kind: ChangeKind;
  what: 'added' | 'changed' | 'removed';
  /** The seq of a device or job. */
  object: number;
  /** The seq of a child's parent. */
  parent: number | null;
  /** Of a device, job, bulk or rollout. */
  id: string;
}

/** Everything up to an entry of the log. */
export interface Position {
  /** Which use of the database: entries of another one count for nothing. */
  opening: string;
  seq: number;
}

/** Entries that remain for clients that come back. */
const STORED = 200_000;
/** Most entries that are read for one client: reading everything again is cheaper beyond. */
const MOST_READ = 100_000;
/** Entries that one unit of work removes. */
const PRUNED_AT_ONCE = 20_000;

export const printPosition = ({ opening, seq }: Position): string => `${opening}-${seq}`;

/** Undefined for anything that was not printed by `printPosition`. */
export function parsePosition(version: string): Position | undefined {
  const [, opening, seq] = /^(.{1,100})-(\d{1,15})$/.exec(version) ?? [];
  return opening === undefined || seq === undefined ? undefined : { opening, seq: Number(seq) };
}

/** Up to the last entry. */
export async function presentPosition(db: Database): Promise<Position> {
  // The version of no table changes with the opening only.
  const [opening, row] = await Promise.all([
    db.version(),
    db.get<{ last: number | null }>('SELECT max(seq) AS last FROM changes'),
  ]);
  return { opening, seq: row?.last ?? 0 };
}

const BETWEEN = `SELECT DISTINCT kind, what, object, parent, id FROM changes
  WHERE seq > ? AND seq <= ? AND account_id = ?`;

/**
 * What changed between two positions; undefined if that is not known any more, or is too much. `children`: only children
 * of the job with this seq.
 */
export async function changesBetween(
  db: Reader,
  accountId: number,
  from: Position,
  to: Position,
  children?: number,
): Promise<Change[] | undefined> {
  if (from.opening !== to.opening || from.seq > to.seq || to.seq - from.seq > MOST_READ) return undefined;
  if (from.seq === to.seq) return [];
  const first = (await db.get<{ first: number | null }>('SELECT min(seq) AS first FROM changes'))?.first ?? 0;
  // Numbers may be missing in between, but not at the beginning: see prune.
  if (from.seq < first - 1) return undefined;
  return children === undefined
    ? db.all<Change>(BETWEEN, from.seq, to.seq, accountId)
    : db.all<Change>(`${BETWEEN} AND kind = 'job' AND parent = ?`, from.seq, to.seq, accountId, children);
}

const IDS = perDialect(
  (sql) => `SELECT seq, id FROM jobs WHERE seq IN (SELECT CAST(value AS BIGINT) FROM ${sql.list('asked')})`,
);

/** The ids of jobs, by seq; without those that were deleted. */
export const jobIds = async (db: Reader, seqs: Iterable<number>): Promise<Map<number, string>> =>
  new Map(
    (await db.all<{ seq: number; id: string }>(IDS(db), JSON.stringify([...seqs]))).map(({ seq, id }) => [seq, id]),
  );

/** Removes entries that are too old, but never the last one. */
export async function pruneChanges(db: Database, stored = STORED): Promise<void> {
  for (;;) {
    const { first, last } = (await db.get<{ first: number | null; last: number | null }>(
      'SELECT (SELECT min(seq) FROM changes) AS first, (SELECT max(seq) FROM changes) AS last',
    )) ?? { first: null, last: null };
    if (first === null || last === null || first > last - stored) return;
    await db.write(
      (tx) => tx.run('DELETE FROM changes WHERE seq <= ?', Math.min(last - stored, first + PRUNED_AT_ONCE)),
      { essential: true },
    );
  }
}
