// State changes of jobs. Only `moveJob` and `cancelWaiting` change the state of a job, so that jobs and the counts of
// their parents stay consistent.
import type { JobStatus } from '#/contract/jobs.ts';
import { openCounter } from '../operation/metrics.ts';
import type { Tx } from './database.ts';
import { outputSize } from './job-output.ts';

export type Counts = Record<JobStatus, number>;

const NONE: Counts = { Waiting: 0, Running: 0, Succeeded: 0, Failed: 0, Cancelled: 0, Interrupted: 0 };

const endedJobs = openCounter('muster_jobs_ended', 'Jobs of devices that ended since the start, by how.', 'state', [
  'Succeeded',
  'Failed',
  'Cancelled',
  'Interrupted',
]);

/**
 * Parents whose children changed state in this unit of work: the change in their counts, and the earliest start of
 * those children. `refreshParents` writes each parent once, because ten thousand children of one job may end together.
 */
export type TouchedParents = Map<number, { moved: Counts; started: number | undefined }>;

/** The changes of this parent, for the caller to add to. */
export function touched(parents: TouchedParents, seq: number) {
  let parent = parents.get(seq);
  if (!parent) parents.set(seq, (parent = { moved: { ...NONE }, started: undefined }));
  return parent;
}

interface Change {
  started?: number;
  ended?: number;
  exitCode?: number | undefined;
  reason?: string | undefined;
  result?: string;
}

/**
 * Changes a job from one state to another; false if it is no longer in the expected state. Records its parent in
 * `parents` for `refreshParents` at the end of the unit.
 */
export async function moveJob(
  tx: Tx,
  job: { seq: number; parentSeq: number | null; status: JobStatus },
  to: JobStatus,
  { started, ended, exitCode, reason = '', result = '' }: Change,
  parents: TouchedParents,
): Promise<boolean> {
  const { changes } = await tx.run(
    `UPDATE jobs SET status = ?, started = coalesce(started, ?), ended = ?, exit_code = ?, reason = ?, result = ?, output_bytes = ?
     WHERE seq = ? AND status = ?`,
    to,
    started ?? null,
    ended ?? null,
    exitCode ?? null,
    tx.dialect.storable(reason.toWellFormed()),
    tx.dialect.storable(result.toWellFormed()),
    ended === undefined ? 0 : (await outputSize(tx, job.seq, 'stdout')) + (await outputSize(tx, job.seq, 'stderr')),
    job.seq,
    job.status,
  );
  if (changes === 0) return false;
  if (to !== 'Waiting' && to !== 'Running') tx.afterCommit(() => endedJobs.add(to));
  if (job.parentSeq !== null) {
    const parent = touched(parents, job.parentSeq);
    parent.moved[job.status] -= 1;
    parent.moved[to] += 1;
    if (started !== undefined) parent.started = Math.min(parent.started ?? started, started);
  }
  return true;
}

/** A job, or a parent with all its children. */
type JobOrParent = { seq: number; parentSeq: number | null };

/**
 * Cancels the job of a device, or the children of a parent, that wait and that no agent has received; returns how many.
 */
export async function cancelWaiting(
  tx: Tx,
  { seq, parentSeq, isParent }: JobOrParent & { isParent: boolean },
  { at, reason }: { at: number; reason: string },
  parents: TouchedParents,
): Promise<number> {
  const { changes } = await tx.run(
    `UPDATE jobs SET status = 'Cancelled', ended = ?, reason = ?, result = ?
     WHERE ${isParent ? 'parent_seq' : 'seq'} = ? AND status = 'Waiting' AND device_seq IS NOT NULL AND journal IS NULL`,
    at,
    reason,
    reason,
    seq,
  );
  const parent = isParent ? seq : parentSeq;
  if (parent !== null && changes > 0) {
    const { moved } = touched(parents, parent);
    moved.Waiting -= changes;
    moved.Cancelled += changes;
  }
  return changes;
}

/** Stores the request to stop the job, or each child of a parent, if it has not ended; returns how many. */
export async function askToStop(
  tx: Tx,
  { seq, isParent }: { seq: number; isParent: boolean },
  at: number,
): Promise<number> {
  const ask = async (which: 'seq' | 'parent_seq') => {
    const open = `${which} = ? AND status IN ('Waiting', 'Running')`;
    await tx.run(`UPDATE jobs SET stop_asked = coalesce(stop_asked, ?) WHERE ${open}`, at, seq);
    const sql = `SELECT count(*) AS count FROM jobs WHERE ${open} AND device_seq IS NOT NULL`;
    return (await tx.get<{ count: number }>(sql, seq))?.count ?? 0;
  };
  return (await ask('seq')) + (isParent ? await ask('parent_seq') : 0);
}

/** Records the agent's data folder that received the job. */
export const recordJournal = (tx: Tx, seq: number, journal: string) =>
  tx.run('UPDATE jobs SET journal = ? WHERE seq = ?', journal, seq);

type CountsRow = Record<Lowercase<JobStatus>, number | null>;

/** The states of the children of a parent. */
export const countsIn = (row: CountsRow): Counts => ({
  Waiting: row.waiting ?? 0,
  Running: row.running ?? 0,
  Succeeded: row.succeeded ?? 0,
  Failed: row.failed ?? 0,
  Cancelled: row.cancelled ?? 0,
  Interrupted: row.interrupted ?? 0,
});

/** Undefined if the parent was deleted. */
async function addToCounts(tx: Tx, parentSeq: number, by: Counts): Promise<Counts | undefined> {
  const row = await tx.get<CountsRow>(
    `UPDATE job_counts SET waiting = waiting + ?, running = running + ?, succeeded = succeeded + ?, failed = failed + ?,
       cancelled = cancelled + ?, interrupted = interrupted + ? WHERE job_seq = ? RETURNING *`,
    by.Waiting,
    by.Running,
    by.Succeeded,
    by.Failed,
    by.Cancelled,
    by.Interrupted,
    parentSeq,
  );
  return row && countsIn(row);
}

/** The status of a parent: unfinished until its last child has ended, then that of the worst child. */
export function rollUp(counts: Counts): JobStatus {
  const { Waiting, Running, ...ended } = counts;
  if (Waiting + Running > 0)
    return Running + ended.Succeeded + ended.Failed + ended.Interrupted > 0 ? 'Running' : 'Waiting';
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

/** Changes jobs, then updates the parents of all jobs that changed. */
export async function withParents<Result>(
  tx: Tx,
  change: (parents: TouchedParents) => Promise<Result>,
): Promise<Result> {
  const parents: TouchedParents = new Map();
  const result = await change(parents);
  await refreshParents(tx, parents);
  return result;
}

/** Updates parents from their children, once for all state changes of a unit. */
export async function refreshParents(tx: Tx, parents: TouchedParents): Promise<void> {
  for (const [seq, { moved, started }] of parents) {
    const counts = await addToCounts(tx, seq, moved);
    if (!counts) continue;
    const status = rollUp(counts);
    const over = counts.Waiting + counts.Running === 0;
    await tx.run(
      `UPDATE jobs SET status = ?1, result = ?3,
         started = CASE WHEN started IS NULL OR started > CAST(?2 AS BIGINT) THEN CAST(?2 AS BIGINT) ELSE started END,
         ended = CASE WHEN ?4 = 1 THEN (SELECT max(c.ended) FROM jobs c WHERE c.parent_seq = jobs.seq AND c.superseded = 0) END
       WHERE seq = ?5`,
      status,
      started ?? null,
      over ? summaryOf(counts) : '',
      over ? 1 : 0,
      seq,
    );
  }
}

// ---- Deleting ------------------------------------------------------------------------------------------------------

/**
 * Deletes a job with its output, and a parent with its children. In the counts of its parent, a child is replaced by
 * the previous attempt on its device, if there was one. Records the parent as `moveJob` does.
 */
export async function deleteJob(tx: Tx, { seq, parentSeq }: JobOrParent, parents: TouchedParents): Promise<void> {
  const row = await tx.get<{ status: JobStatus; superseded: number; attempt: number; device: number }>(
    'DELETE FROM jobs WHERE seq = ? RETURNING status, superseded, attempt, device_seq AS device',
    seq,
  );
  if (!row) return;
  if (parentSeq === null || row.superseded === 1) return;
  const { moved } = touched(parents, parentSeq);
  moved[row.status] -= 1;
  if (row.attempt === 1) return;
  const before = await tx.get<{ status: JobStatus }>(
    `UPDATE jobs SET superseded = 0 WHERE seq = (
       SELECT seq FROM jobs WHERE parent_seq = ? AND device_seq = ? AND superseded = 1 ORDER BY attempt DESC LIMIT 1)
     RETURNING status`,
    parentSeq,
    row.device,
  );
  if (before) moved[before.status] += 1;
}
