// Orders by their Idempotency-Key: what a browser sends twice, because the connection ended before the answer, acts once.
import type { JobDraft } from '#/contract/jobs.ts';
import { Problem } from '../problem.ts';
import type { Tx } from './database.ts';

interface Submission {
  accountId: number;
  key: string;
  draft: JobDraft;
}

const KEPT = 24 * 60 * 60 * 1000;

/** The id of the job that this key has made within a day; the same key with another order is refused. */
export function madeBefore(tx: Tx, { accountId, key, draft }: Submission, now: number): string | undefined {
  const made = tx.get<{ draft: string; job_id: string }>(
    'SELECT draft, job_id FROM submissions WHERE account_id = ? AND key = ? AND created > ?',
    accountId,
    key,
    now - KEPT,
  );
  if (made && made.draft !== JSON.stringify(draft))
    throw new Problem(409, 'This Idempotency-Key belongs to another order', 'Send a new key with each new order.');
  return made?.job_id;
}

/** Keeps the key, and forgets those that are older than a day. */
export function remember(tx: Tx, { accountId, key, draft }: Submission, jobId: string, now: number): void {
  tx.run('DELETE FROM submissions WHERE created <= ?', now - KEPT);
  tx.run('INSERT INTO submissions VALUES (?, ?, ?, ?, ?)', accountId, key, JSON.stringify(draft), jobId, now);
}
