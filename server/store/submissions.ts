// Submissions by Idempotency-Key: a submission that a browser repeats after a lost response takes effect once.
import { hash } from 'node:crypto';
import { Conflict } from './errors.ts';
import type { Database, Reader, Tx } from './database.ts';

export interface KeyedSubmission {
  accountId: number;
  /** Without a key, a repetition is another submission. */
  key: string | undefined;
  /** The content of the submission: the same key with other content is refused. */
  content: unknown;
}

const KEPT_MS = 24 * 60 * 60 * 1000;

/** The id of what was created with this key. */
async function createdBefore(db: Reader, { accountId, key, content }: KeyedSubmission): Promise<string | undefined> {
  if (key === undefined) return undefined;
  const earlier = await db.get<{ digest: string; result_id: string }>(
    'SELECT digest, result_id FROM idempotency_keys WHERE account_id = ? AND key = ?',
    accountId,
    key,
  );
  if (earlier && earlier.digest !== digestOf(content))
    throw new Conflict('This Idempotency-Key belongs to another request', 'Send a new key with each new request.');
  return earlier?.result_id;
}

/** Runs a submission unless it already ran; `id` is what it created, now or earlier. */
export async function runOnce(
  tx: Tx,
  submission: KeyedSubmission,
  now: number,
  create: () => Promise<string>,
): Promise<{ id: string; repeated: boolean }> {
  const before = await createdBefore(tx, submission);
  if (before !== undefined) return { id: before, repeated: true };
  const id = await create();
  if (submission.key !== undefined) {
    await tx.run(
      'INSERT INTO idempotency_keys (account_id, key, digest, result_id, created) VALUES (?, ?, ?, ?, ?)',
      submission.accountId,
      submission.key,
      digestOf(submission.content),
      id,
      now,
    );
  }
  return { id, repeated: false };
}

/** The same submission with the same key takes effect again. */
export const forgetSubmission = (tx: Tx, { accountId, key, content }: KeyedSubmission) =>
  tx.run(
    'DELETE FROM idempotency_keys WHERE account_id = ? AND key = ? AND digest = ?',
    accountId,
    key ?? '',
    digestOf(content),
  );

/**
 * Removes keys that are older than a day. Only the leader does, whose time agrees with the stored times: another node may
 * notice a set clock a moment earlier, and would take a key of today for one of yesterday.
 */
export const pruneSubmissions = (db: Database, now: () => number) =>
  db.write((tx) => tx.run('DELETE FROM idempotency_keys WHERE created <= ?', now() - KEPT_MS), { essential: true });

/** Whether a submission with this key was stored. */
export const wasSubmitted = async (db: Reader, accountId: number, key: string | undefined): Promise<boolean> =>
  key !== undefined &&
  (await db.get('SELECT 1 FROM idempotency_keys WHERE account_id = ? AND key = ?', accountId, key)) !== undefined;

const digestOf = (content: unknown) => hash('sha256', JSON.stringify(content), 'base64url');
