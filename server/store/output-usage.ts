// The size of the output of an account's ended jobs, and its removal from the oldest on. Triggers of the database
// maintain the sum.
import type { Reader, Tx } from './database.ts';
import { perDialect } from './dialect.ts';

/** Removed in one transaction. */
const MAX_JOBS = 100;
const MAX_BYTES = 8 * 1024 * 1024;

const DUE = 'WHERE account_id = ? AND output_bytes > 0 AND ended < ?';
const ENDED_BEFORE = perDialect(
  (sql) => `SELECT count(*) AS jobs, coalesce(sum(output_bytes), 0) AS bytes
     FROM jobs ${sql.indexedBy('jobs_with_output')} ${DUE}`,
);
const OLDEST = perDialect(
  (sql) => `SELECT seq, output_bytes FROM jobs ${sql.indexedBy('jobs_with_output')} ${DUE}
     ORDER BY ended, seq LIMIT ${MAX_JOBS}`,
);

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
 * Removes output that is due: of jobs that ended before a time, or until at most `downTo` bytes are left. Returns 0 if
 * nothing was due.
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
  const oldest = await tx.all<{ seq: number; output_bytes: number }>(OLDEST(tx), accountId, Math.max(0, before));
  for (const { seq, output_bytes: bytes } of oldest) {
    if (removed.bytes >= Math.min(maxBytes, MAX_BYTES)) break;
    await tx.run('DELETE FROM job_output WHERE job_seq = ?', seq);
    await tx.run('DELETE FROM output_order WHERE job_seq = ?', seq);
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
