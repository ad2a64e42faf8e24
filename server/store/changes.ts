// The change log in commit order: versions that clients compare, and the changes between two versions. Both engines let
// one transaction write at a time, so no change appears below a version that a client already has.
import type { Database, Reader } from './database.ts';
import { perDialect } from './dialect.ts';
import { groupsKey } from './scope.ts';
import type { Scope } from './scope.ts';
import type { ChangeKind } from './reported-changes.ts';

export type { ChangeKind };

export interface Change {
  kind: ChangeKind;
  what: 'added' | 'changed' | 'removed';
  /** The seq of a device or job. */
  object: number;
  /** The seq of a child's parent. */
  parent: number | null;
  /** The id of a device, job, bulk action or rollout. */
  id: string;
}

/** A change as a reader learns of it who may see only some groups. */
export interface ScopedChange extends Change {
  /** 1: the device was moved from another group. */
  regrouped?: number;
}

/** A position in the log: everything up to one entry. */
export interface Position {
  /** Identifies this opening of the database; positions from another opening are void. */
  opening: string;
  seq: number;
  /**
   * The random mark of that entry. PostgreSQL may be restored to an earlier state while nodes run; other changes then
   * get the same numbers, but with other marks.
   */
  mark: number;
}

/** Entries kept for clients that reconnect. */
const STORED = 200_000;
/** The most entries read for one client; beyond that, reloading everything is cheaper. */
const MOST_READ = 100_000;
/** Entries removed per transaction. */
const PRUNED_AT_ONCE = 20_000;

/** A position for whoever has this scope. */
export function printPosition({ opening, seq, mark }: Position, scope?: Scope): string {
  const key = scope ? groupsKey(scope) : '';
  return `${key === '' ? '' : `${key}~`}${opening}-${seq}-${mark}`;
}

/**
 * Undefined for anything that was not printed by `printPosition`; with a scope, also for a position of another scope:
 * who sees other groups than before has to read everything again.
 */
export function parsePosition(version: string, scope?: Scope): Position | undefined {
  const [, key = '', opening, seq, mark] = /^(?:([0-9a-f]{32})~)?(.{1,100})-(\d{1,15})-(\d{1,16})$/.exec(version) ?? [];
  if (opening === undefined || (scope && key !== groupsKey(scope))) return undefined;
  return { opening, seq: Number(seq), mark: Number(mark) };
}

export const isSamePosition = (one: Position, other: Position): boolean =>
  one.seq === other.seq && one.mark === other.mark && one.opening === other.opening;

/** The position of the last entry. */
export async function currentPosition(db: Database): Promise<Position> {
  // Without table names, the version changes only with the opening.
  const [opening, last] = await Promise.all([
    db.version(),
    db.get<{ seq: number; mark: number }>('SELECT seq, mark FROM changes ORDER BY seq DESC LIMIT 1'),
  ]);
  return { opening, seq: last?.seq ?? 0, mark: last?.mark ?? 0 };
}

/** Whether the log still has all entries after this position, and the entry at the position is the same one. */
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
 * What changed between two positions; undefined if the log no longer says, or if it is too much. `children` limits it
 * to children of the job with this seq.
 */
export async function changesBetween(
  db: Reader,
  accountId: number,
  from: Position,
  to: Position,
  children?: number,
): Promise<Change[] | undefined> {
  if (!(await canRead(db, from, to))) return undefined;
  if (isSamePosition(from, to)) return [];
  return children === undefined
    ? db.all<Change>(BETWEEN, from.seq, to.seq, accountId)
    : db.all<Change>(`${BETWEEN} AND kind = 'job' AND parent = ?`, from.seq, to.seq, accountId, children);
}

const BETWEEN_OWN = perDialect(
  ({ list }) => `SELECT DISTINCT kind, what, object, parent, id,
      CASE WHEN grp_before IS NULL THEN 0 ELSE 1 END AS regrouped FROM changes
    WHERE seq > ? AND seq <= ? AND account_id = ? AND (kind NOT IN ('device', 'tunnel')
      OR EXISTS (SELECT 1 FROM ${list('own')} WHERE own.value IN (changes.grp, changes.grp_before)))`,
);

/**
 * The same for a scope: of devices and tunnels, only changes of those that are or were in its groups. What else there is
 * has to be narrowed by the reader.
 */
export async function changesInScope(
  db: Reader,
  scope: Scope,
  from: Position,
  to: Position,
): Promise<ScopedChange[] | undefined> {
  if (!scope.groups) return changesBetween(db, scope.accountId, from, to);
  const isReadable = await canRead(db, from, to);
  if (!isReadable || isSamePosition(from, to)) return isReadable ? [] : undefined;
  return db.all<ScopedChange>(BETWEEN_OWN(db), from.seq, to.seq, scope.accountId, JSON.stringify(scope.groups));
}

/** Whether the log still says what changed between two positions, and it is not too much. */
async function canRead(db: Reader, from: Position, to: Position): Promise<boolean> {
  if (from.opening !== to.opening || from.seq > to.seq || to.seq - from.seq > MOST_READ) return false;
  return isSamePosition(from, to) || (from.seq !== to.seq && isKnown(db, from));
}

const IDS = perDialect(
  (sql) => `SELECT seq, id FROM jobs WHERE seq IN (SELECT CAST(value AS BIGINT) FROM ${sql.list('asked')})`,
);

/** The ids of jobs by seq, without deleted jobs. */
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
