// Jobs in the database: what was ordered, where each stands, and the counts of every parent. A state changes in
// `moveJob` and nowhere else, so that counts and rows cannot drift apart.
import type { JobStatus } from '#/contract/jobs.ts';
import { newId } from '../ids.ts';
import { notFound } from '../problem.ts';
import type { Reader, Tx } from './database.ts';

export interface JobRow {
  seq: number;
  id: string;
  parent_seq: number | null;
  parent_id: string | null;
  device_seq: number | null;
  device_id: string;
  device_name: string;
  device_group: string | null;
  tag_id: string | null;
  name: string;
  artifact_id: string | null;
  workflow_id: string | null;
  command: string;
  status: JobStatus;
  journal: string | null;
  created: number;
  started: number | null;
  ended: number | null;
  exit_code: number | null;
  reason: string;
  result: string;
}

/** A child's command is its parent's until it is handed over with one of its own. */
const COLUMNS = `j.seq, j.id, j.parent_seq, p.id AS parent_id, j.device_seq, j.device_id, j.device_name, j.device_group,
  j.tag_id, j.name, j.artifact_id, j.workflow_id, iif(j.command = '', ifnull(p.command, ''), j.command) AS command,
  j.status, j.journal, j.created, j.started, j.ended, j.exit_code, j.reason, j.result`;
const FROM = 'FROM jobs j LEFT JOIN jobs p ON p.seq = j.parent_seq';

/** The job of this account with this id; anything else is a 404. */
export function jobById(db: Reader, accountId: number, id: string): JobRow {
  const row = db.get<JobRow>(`SELECT ${COLUMNS} ${FROM} WHERE j.id = ? AND j.account_id = ?`, id, accountId);
  if (!row) throw notFound('job', id);
  return row;
}

/** Jobs to single devices and parents, after `seq`, in the order of submission. */
export const topJobs = (db: Reader, accountId: number, after: number, limit: number): JobRow[] =>
  db.all<JobRow>(
    `SELECT ${COLUMNS} ${FROM} WHERE j.account_id = ? AND j.parent_seq IS NULL AND j.seq > ? ORDER BY j.seq LIMIT ?`,
    accountId,
    after,
    limit,
  );

export const childJobs = (db: Reader, parentSeq: number, after: number, limit: number): JobRow[] =>
  db.all<JobRow>(
    `SELECT ${COLUMNS} ${FROM} WHERE j.parent_seq = ? AND j.seq > ? ORDER BY j.seq LIMIT ?`,
    parentSeq,
    after,
    limit,
  );

export const jobsOfDevice = (
  db: Reader,
  accountId: number,
  deviceSeq: number,
  after: number,
  limit: number,
): JobRow[] =>
  db.all<JobRow>(
    `SELECT ${COLUMNS} ${FROM} WHERE j.device_seq = ? AND j.account_id = ? AND j.seq > ? ORDER BY j.seq LIMIT ?`,
    deviceSeq,
    accountId,
    after,
    limit,
  );

/** The device's oldest job after `seq` that has not ended. */
export const nextUnfinished = (db: Reader, deviceSeq: number, after: number): JobRow | undefined =>
  db.get<JobRow>(
    `SELECT ${COLUMNS} ${FROM} WHERE j.device_seq = ? AND j.seq > ? AND j.status IN ('Waiting', 'Running')
     ORDER BY j.seq LIMIT 1`,
    deviceSeq,
    after,
  );

/** All of a device's jobs that have not ended. */
export const unfinishedOf = (db: Reader, deviceSeq: number): JobRow[] =>
  db.all<JobRow>(
    `SELECT ${COLUMNS} ${FROM} WHERE j.device_seq = ? AND j.status IN ('Waiting', 'Running') ORDER BY j.seq`,
    deviceSeq,
  );

/** Waiting jobs that need this artifact and that no agent was given yet. */
export const waitingFor = (db: Reader, artifactId: string): JobRow[] =>
  db.all<JobRow>(
    `SELECT ${COLUMNS} ${FROM}
     WHERE j.artifact_id = ? AND j.status = 'Waiting' AND j.device_seq IS NOT NULL AND j.journal IS NULL`,
    artifactId,
  );

/** Whether this job of this device has not ended; false also for one that was deleted. */
export const isUnfinished = (db: Reader, deviceSeq: number, id: string): boolean =>
  db.get("SELECT 1 FROM jobs WHERE id = ? AND device_seq = ? AND status IN ('Waiting', 'Running')", id, deviceSeq) !==
  undefined;

// ---- Submitting ----------------------------------------------------------------------------------------------------

export interface Target {
  seq: number;
  id: string;
  name: string;
}

/** What to do, the same for every device of a job. */
export interface Order {
  accountId: number;
  name: string;
  artifactId: string | null;
  workflowId: string | null;
  command: string;
  created: number;
}

const INSERT = `INSERT INTO jobs (id, account_id, parent_seq, device_seq, device_id, device_name, device_group, tag_id,
  name, artifact_id, workflow_id, command, status, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'Waiting', ?)`;

interface Place {
  parentSeq?: number;
  device?: Target;
  group?: string | undefined;
  tag?: string | undefined;
}

function insert(tx: Tx, order: Order, { parentSeq, device, group, tag }: Place): { id: string; seq: number } {
  const id = newId();
  const { lastInsertRowid } = tx.run(
    INSERT,
    id,
    order.accountId,
    parentSeq ?? null,
    device?.seq ?? null,
    device?.id ?? '',
    device?.name ?? '',
    group ?? null,
    tag ?? null,
    order.name,
    order.artifactId,
    order.workflowId,
    parentSeq === undefined ? order.command : '',
    order.created,
  );
  return { id, seq: lastInsertRowid };
}

/** Adds a job to one device. */
export const insertJob = (tx: Tx, order: Order, device: Target): string => insert(tx, order, { device }).id;

/** Adds a parent with a child for each device that is in the group or has the tag at this moment. */
export function insertParent(tx: Tx, order: Order, devices: Target[], aim: { group?: string; tag?: string }): string {
  const parent = insert(tx, order, aim);
  tx.run('INSERT INTO job_counts (job_seq, waiting) VALUES (?, ?)', parent.seq, devices.length);
  for (const device of devices) insert(tx, order, { parentSeq: parent.seq, device });
  return parent.id;
}

export const devicesOfGroup = (db: Reader, accountId: number, group: string): Target[] =>
  db.all<Target>('SELECT seq, id, name FROM devices WHERE account_id = ? AND grp = ? ORDER BY seq', accountId, group);

export const devicesOfTag = (db: Reader, accountId: number, tagId: string): Target[] =>
  db.all<Target>(
    `SELECT d.seq, d.id, d.name FROM device_tags t JOIN devices d ON d.seq = t.device_seq
     WHERE t.tag_id = ? AND d.account_id = ? ORDER BY d.seq`,
    tagId,
    accountId,
  );

// ---- Moving --------------------------------------------------------------------------------------------------------

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
