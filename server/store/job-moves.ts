// What happens to jobs in the database. A state changes in `moveJob` and nowhere else, so that jobs and the counts of
// their parents cannot drift apart.
import type { JobStatus } from '#/contract/jobs.ts';
import type { Reader, Tx } from './database.ts';

export type Counts = Record<JobStatus, number>;

/** Parents whose children moved in this unit of work, each with the earliest start among those. */
export type TouchedParents = Map<number, number | undefined>;

interface Change {
  started?: number;
  ended?: number;
  exitCode?: number | undefined;
  reason?: string | undefined;
  result?: string;
}

/** Brings a job from one state to another; false if it was not in that state any more. */
export function moveJob(
  tx: Tx,
  job: { seq: number; parentSeq: number | null; status: JobStatus },
  to: JobStatus,
  { started, ended, exitCode, reason = '', result = '' }: Change,
  parents: TouchedParents,
): boolean {
  const { changes } = tx.run(
    `UPDATE jobs SET status = ?, started = ifnull(started, ?), ended = ?, exit_code = ?, reason = ?, result = ?
     WHERE seq = ? AND status = ?`,
    to,
    started ?? null,
    ended ?? null,
    exitCode ?? null,
    reason.toWellFormed(),
    result.toWellFormed(),
    job.seq,
    job.status,
  );
  if (changes === 0) return false;
  if (job.parentSeq !== null) {
    const [less, more] = [job.status.toLowerCase(), to.toLowerCase()];
    tx.run(`UPDATE job_counts SET ${less} = ${less} - 1, ${more} = ${more} + 1 WHERE job_seq = ?`, job.parentSeq);
    const earliest = parents.get(job.parentSeq);
    parents.set(job.parentSeq, Math.min(earliest ?? Infinity, started ?? Infinity));
  }
  return true;
}

/** Notes who was given the job, and the command as it was given where it is another than the one on record. */
export const handJob = (tx: Tx, seq: number, journal: string, command: string | undefined) =>
  tx.run('UPDATE jobs SET journal = ?, command = ifnull(?, command) WHERE seq = ?', journal, command ?? null, seq);

export const countsOf = (db: Reader, parentSeq: number): Counts => {
  const row = db.get<Record<string, number>>('SELECT * FROM job_counts WHERE job_seq = ?', parentSeq);
  return {
    Waiting: row?.['waiting'] ?? 0,
    Running: row?.['running'] ?? 0,
    Succeeded: row?.['succeeded'] ?? 0,
    Failed: row?.['failed'] ?? 0,
    Cancelled: row?.['cancelled'] ?? 0,
    Interrupted: row?.['interrupted'] ?? 0,
  };
};

/** A parent is what its children are: under way until the last of them ended, then as good as the worst. */
export function rollUp(counts: Counts): JobStatus {
  const { Waiting, Running, ...ended } = counts;
  if (Waiting + Running > 0)
    return Running > 0 || Object.values(ended).some((count) => count > 0) ? 'Running' : 'Waiting';
  return (['Failed', 'Interrupted', 'Cancelled'] as const).find((status) => ended[status] > 0) ?? 'Succeeded';
}

/** "198 of 200 succeeded, 1 failed, 1 interrupted" */
export function summaryOf(counts: Counts): string {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const others = (['Failed', 'Interrupted', 'Cancelled'] as const)
    .filter((status) => counts[status] > 0)
    .map((status) => `, ${counts[status]} ${status.toLowerCase()}`);
  return `${counts.Succeeded} of ${total} succeeded${others.join('')}`;
}

/** SQLite's min() of anything and NULL is NULL: a start that is not known is one that never comes first. */
const NEVER = Number.MAX_SAFE_INTEGER;

/** Brings parents up to date with their children, once for all the moves of a unit. */
export function refreshParents(tx: Tx, parents: TouchedParents): void {
  for (const [seq, earliest] of parents) {
    const counts = countsOf(tx, seq);
    const status = rollUp(counts);
    const over = counts.Waiting + counts.Running === 0;
    tx.run(
      `UPDATE jobs SET status = ?, started = nullif(min(ifnull(started, ?), ?), ${NEVER}), result = ?,
         ended = iif(?, (SELECT max(c.ended) FROM jobs c WHERE c.parent_seq = jobs.seq), NULL)
       WHERE seq = ?`,
      status,
      ...startOf(earliest),
      over ? summaryOf(counts) : '',
      over ? 1 : 0,
      seq,
    );
  }
}

const startOf = (earliest: number | undefined): [number, number] => {
  const at = earliest === undefined || earliest === Infinity ? NEVER : earliest;
  return [at, at];
};

// ---- Deleting ------------------------------------------------------------------------------------------------------

/** Deletes a job with its output; a parent with its children; a child is taken off its parent's counts. */
export function deleteJob(tx: Tx, { seq, parentSeq }: { seq: number; parentSeq: number | null }): void {
  const row = tx.get<{ status: JobStatus }>('SELECT status FROM jobs WHERE seq = ?', seq);
  if (!row) return;
  tx.run('DELETE FROM jobs WHERE seq = ?', seq);
  if (parentSeq === null) return;
  const column = row.status.toLowerCase();
  tx.run(`UPDATE job_counts SET ${column} = ${column} - 1 WHERE job_seq = ?`, parentSeq);
  refreshParents(tx, new Map([[parentSeq, undefined]]));
}
