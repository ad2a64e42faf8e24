// What changed, in the order of commits: the versions that clients compare, and the changes between two of them. Both
// engines let one transaction write at a time, so that no change appears below a version that was already given out.
import type { Database, Reader } from './database.ts';
import { perDialect } from './dialect.ts';
import type { ChangeKind } from './reported-changes.ts';

export type { ChangeKind };

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
  /**
   * The random mark of that entry. PostgreSQL may be restored to some seconds ago while nodes run: the same numbers are
   * then given to other changes, with other marks.
   */
  mark: number;
}

/** Entries that remain for clients that come back. */
const STORED = 200_000;
/** Most entries that are read for one client: reading everything again is cheaper beyond. */
const MOST_READ = 100_000;
/** Entries that one unit of work removes. */
const PRUNED_AT_ONCE = 20_000;

export const printPosition = ({ opening, seq, mark }: Position): string => `${opening}-${seq}-${mark}`;

/** Undefined for anything that was not printed by `printPosition`. */
export function parsePosition(version: string): Position | undefined {
  const [, opening, seq, mark] = /^(.{1,100})-(\d{1,15})-(\d{1,16})$/.exec(version) ?? [];
  return opening === undefined ? undefined : { opening, seq: Number(seq), mark: Number(mark) };
}

export const isSamePosition = (one: Position, other: Position): boolean =>
  one.seq === other.seq && one.mark === other.mark && one.opening === other.opening;

/** Up to the last entry. */
export async function presentPosition(db: Database): Promise<Position> {
  // The version of no table changes with the opening only.
  const [opening, last] = await Promise.all([
    db.version(),
    db.get<{ seq: number; mark: number }>('SELECT seq, mark FROM changes ORDER BY seq DESC LIMIT 1'),
  ]);
  return { opening, seq: last?.seq ?? 0, mark: last?.mark ?? 0 };
}

/** Whether all entries after this one are there, and the entry itself is the one that was read then. */
async function isKnown(db: Reader, { seq, mark }: Position): Promise<boolean> {
  if (seq === 0) {
    const first = await db.get<{ seq: number }>('SELECT seq FROM changes ORDER BY seq LIMIT 1');
    return first === undefined || first.seq === 1;
  }
  return (await db.get<{ mark: number }>('SELECT mark FROM changes WHERE seq = ?', seq))?.mark === mark;
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
  if (isSamePosition(from, to)) return [];
  if (from.seq === to.seq || !(await isKnown(db, from))) return undefined;
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
