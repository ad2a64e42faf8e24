// The stored output of an account's ended jobs: its size, which triggers maintain, and its removal, oldest jobs first
// and archived jobs last.
import type { Reader, Tx } from './database.ts';
import { perDialect } from './dialect.ts';

/** Limits for one transaction. */
const MAX_JOBS = 100;
const MAX_BYTES = 8 * 1024 * 1024;

const HAS_OUTPUT = 'account_id = ?1 AND output_bytes > 0';
const DUE = `${HAS_OUTPUT} AND ended < ?2 AND archived IS NULL
  AND (parent_seq IS NULL OR parent_seq NOT IN (SELECT seq FROM jobs WHERE account_id = ?1 AND archived IS NOT NULL))`;
const ENDED_BEFORE = perDialect(
  (sql) => `SELECT count(*) AS jobs, coalesce(sum(output_bytes), 0) AS bytes
     FROM jobs ${sql.indexedBy('jobs_with_output')} WHERE ${DUE}`,
);
const oldest = (due: string) =>
  perDialect(
    (sql) => `SELECT seq, output_bytes FROM jobs ${sql.indexedBy('jobs_with_output')} WHERE ${due}
     ORDER BY ended, seq LIMIT ${MAX_JOBS}`,
  );
const OLDEST = oldest(DUE);
const OLDEST_OF_ALL = oldest(HAS_OUTPUT);

export const outputBytes = async (db: Reader, accountId: number): Promise<number> =>
  (await db.get<{ output_bytes: number }>('SELECT output_bytes FROM accounts WHERE id = ?', accountId))?.output_bytes ??
  0;

export const accountsWithOutput = async (db: Reader): Promise<number[]> =>
  (await db.all<{ id: number }>('SELECT id FROM accounts WHERE output_bytes > 0')).map(({ id }) => id);

export const outputEndedBefore = async (
  db: Reader,
  accountId: number,
  before: number,
): Promise<{ jobs: number; bytes: number }> =>
  (await db.get<{ jobs: number; bytes: number }>(ENDED_BEFORE(db), accountId, Math.max(0, before))) ?? {
    jobs: 0,
    bytes: 0,
  };

/**
 * Removes the output of jobs that ended before a time, or the oldest output until at most `downTo` bytes are left. The
 * output of archived jobs is never removed by age, and by size only when there is no other. Returns zeros if nothing
 * was due.
 */
export async function removeOldestOutput(
  tx: Tx,
  accountId: number,
  due: { before: number } | { downTo: number },
  { at, because }: { at: number; because: string },
): Promise<{ jobs: number; bytes: number }> {
  const before = 'before' in due ? due.before : Number.MAX_SAFE_INTEGER;
  const maxBytes = 'downTo' in due ? (await outputBytes(tx, accountId)) - due.downTo : Number.MAX_SAFE_INTEGER;
  const removed = { jobs: 0, bytes: 0 };
  type Output = { seq: number; output_bytes: number };
  let outputs = await tx.all<Output>(OLDEST(tx), accountId, Math.max(0, before));
  if (outputs.length === 0 && maxBytes > 0 && 'downTo' in due)
    outputs = await tx.all<Output>(OLDEST_OF_ALL(tx), accountId);
  for (const { seq, output_bytes: bytes } of outputs) {
    if (removed.bytes >= Math.min(maxBytes, MAX_BYTES)) break;
    await tx.run('DELETE FROM job_output WHERE job_seq = ?', seq);
    await tx.run('DELETE FROM output_runs WHERE job_seq = ?', seq);
    await tx.run(
      'UPDATE jobs SET output_bytes = 0, output_removed = ?, output_removed_why = ? WHERE seq = ?',
      at,
      because,
      seq,
    );
    removed.jobs += 1;
    removed.bytes += bytes;
  }
  return removed;
}
