// Archived jobs: ended jobs that other lists do not show. Only top jobs are marked, and their children belong to them.
// The archive is sorted by when a job was archived, latest first.
import type { Reader, Tx } from './database.ts';
import { perDialect } from './dialect.ts';
import { isOwnTopJob } from './job-scope.ts';
import { jobsOfList } from './jobs.ts';
import type { JobRow } from './jobs.ts';
import { isOwnDevice } from './scope.ts';
import type { Scope } from './scope.ts';

export const archiveJob = (tx: Tx, seq: number, at: number) =>
  tx.run('UPDATE jobs SET archived = ? WHERE seq = ? AND archived IS NULL', at, seq);

export const restoreJob = (tx: Tx, seq: number) =>
  tx.run('UPDATE jobs SET archived = NULL WHERE seq = ? AND archived IS NOT NULL', seq);

/** The position of a job in the archive; a page starts after it. */
export type ArchivePosition = { archived: number; seq: number };

export const ARCHIVE_START: ArchivePosition = { archived: Number.MAX_SAFE_INTEGER, seq: Number.MAX_SAFE_INTEGER };

/** The next archived jobs after a position. */
export async function archivedJobs(db: Reader, scope: Scope, after: ArchivePosition, limit: number): Promise<JobRow[]> {
  const own = isOwnTopJob(db.dialect, scope, 'jobs');
  const found = await db.all<{ seq: number }>(
    `SELECT seq FROM jobs WHERE account_id = ? AND archived IS NOT NULL AND (archived, seq) < (?, ?)${own.sql}
     ORDER BY archived DESC, seq DESC LIMIT ?`,
    scope.accountId,
    after.archived,
    after.seq,
    ...own.values,
    limit,
  );
  const rows = await jobsOfList(
    db,
    scope,
    found.map(({ seq }) => seq),
  );
  const bySeq = new Map(rows.map((row) => [row.seq, row]));
  return found.flatMap(({ seq }) => bySeq.get(seq) ?? []);
}

export async function countArchived(db: Reader, scope: Scope): Promise<number> {
  const own = isOwnTopJob(db.dialect, scope, 'jobs');
  const row = await db.get<{ count: number }>(
    `SELECT count(*) AS count FROM jobs WHERE account_id = ? AND archived IS NOT NULL${own.sql}`,
    scope.accountId,
    ...own.values,
  );
  return row?.count ?? 0;
}

/** The stored output of an ended job in bytes; for a parent, that of its children. */
export async function storedOutput(
  db: Reader,
  scope: Scope,
  { seq, device_seq, output_bytes }: JobRow,
): Promise<number> {
  if (device_seq !== null) return output_bytes;
  const own = isOwnDevice(db.dialect, scope, { seq: 'jobs.device_seq' });
  const row = await db.get<{ bytes: number }>(
    `SELECT coalesce(sum(output_bytes), 0) AS bytes FROM jobs WHERE parent_seq = ? AND output_bytes > 0${own.sql}`,
    seq,
    ...own.values,
  );
  return row?.bytes ?? 0;
}

/** What a search needs of a job on one device. */
export type SearchedJob = Pick<JobRow, 'seq' | 'id' | 'device_id' | 'device_name' | 'reason' | 'output_bytes'>;

/** Children after `after` in the order of submission. */
export function searchedChildren(
  db: Reader,
  scope: Scope,
  parentSeq: number,
  after: number,
  limit: number,
): Promise<SearchedJob[]> {
  const own = isOwnDevice(db.dialect, scope, { seq: 'jobs.device_seq' });
  return db.all<SearchedJob>(
    `SELECT seq, id, device_id, device_name, reason, output_bytes FROM jobs WHERE parent_seq = ? AND seq > ?${own.sql}
     ORDER BY seq LIMIT ?`,
    parentSeq,
    after,
    ...own.values,
    limit,
  );
}

export interface StoredPiece {
  job_seq: number;
  stream: 1 | 2;
  bytes: Uint8Array;
}

const PIECES = perDialect(
  (
    sql,
  ) => `SELECT job_seq, stream, bytes FROM job_output WHERE job_seq IN (SELECT CAST(w.value AS BIGINT) FROM ${sql.list('w')})
    ORDER BY job_seq, stream, "offset"`,
);

/** All output of these jobs, by job, stream and offset. */
export const outputOfJobs = (db: Reader, seqs: readonly number[]): Promise<StoredPiece[]> =>
  db.all<StoredPiece>(PIECES(db), JSON.stringify(seqs));
