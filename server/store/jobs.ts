// Reads jobs. job-submissions.ts adds them, and job-moves.ts changes their states.
import type { JobStatus } from '#/contract/jobs.ts';
import { notFound } from './errors.ts';
import type { Reader } from './database.ts';
import { perDialect } from './dialect.ts';
import { isOwnTopJob, jobsInScope } from './job-scope.ts';
import type { OwnFigures } from './job-scope.ts';
import { isOwnDevice } from './scope.ts';
import type { Scope } from './scope.ts';

export interface JobRow {
  seq: number;
  id: string;
  parent_seq: number | null;
  parent_id: string | null;
  device_seq: number | null;
  device_id: string;
  device_name: string;
  /** The number of this attempt on its device; the last one counts. For a parent, the highest number. */
  attempt: number;
  device_group: string | null;
  tag_id: string | null;
  name: string;
  artifact_id: string | null;
  workflow_id: string | null;
  command: string;
  status: JobStatus;
  journal: string | null;
  stop_asked: number | null;
  created: number;
  started: number | null;
  ended: number | null;
  exit_code: number | null;
  reason: string;
  result: string;
  output_bytes: number;
  output_removed: number | null;
  output_removed_why: string;
  /** When it, or its parent, was archived. */
  archived: number | null;
  /** The name of its outcome rules; for a child, its parent's. */
  rule_name: string | null;
  /** The result of the outcome rules; null until it has been judged. */
  verdict: string | null;
  verdict_because: string;
  verdict_stream: string | null;
  verdict_line: number | null;
  /** For a parent, how often its children were judged. */
  judged: number;
  /** For a parent, how many devices are in each state, by their last attempts. */
  waiting: number | null;
  running: number | null;
  succeeded: number | null;
  failed: number | null;
  cancelled: number | null;
  interrupted: number | null;
  /** Set on a parent that is read for a role limited to groups. */
  own?: OwnFigures;
  /** Set in lists: which wave of how many of a rollout it is. */
  wave?: RolloutWave;
}

interface RolloutWave {
  /** The id of the rollout. */
  rollout: string;
  /** From 1. */
  number: number;
  count: number;
}

/** Children use their parent's command; only children from earlier versions have their own. */
const COLUMNS = `j.seq, j.id, j.parent_seq, p.id AS parent_id, j.device_seq, j.device_id, j.device_name, j.attempt, j.device_group,
  j.tag_id, j.name, j.artifact_id, j.workflow_id, CASE WHEN j.command = '' THEN coalesce(p.command, '') ELSE j.command END AS command,
  j.status, j.journal, j.stop_asked, j.created, j.started, j.ended, j.exit_code, j.reason, j.result,
  j.output_bytes, j.output_removed, j.output_removed_why, coalesce(j.archived, p.archived) AS archived,
  coalesce(p.rule_name, j.rule_name) AS rule_name, j.verdict, j.verdict_because, j.verdict_stream, j.verdict_line, j.judged, c.waiting, c.running, c.succeeded, c.failed, c.cancelled, c.interrupted`;
// The counts are read together with the state, so that the two are consistent.
const fromJobs = (by = '') =>
  `FROM jobs j ${by} LEFT JOIN jobs p ON p.seq = j.parent_seq LEFT JOIN job_counts c ON c.job_seq = j.seq`;
const FROM = fromJobs();

/** The job with this id, if it is in the scope. */
export async function findJob(db: Reader, scope: Scope, id: string): Promise<JobRow | undefined> {
  const row = await db.get<JobRow>(
    `SELECT ${COLUMNS} ${FROM} WHERE j.id = ? AND j.account_id = ?`,
    id,
    scope.accountId,
  );
  return row && (await jobsInScope(db, scope, [row]))[0];
}

/** The job with this id, or a 404 if the scope has none. */
export async function jobById(db: Reader, scope: Scope, id: string): Promise<JobRow> {
  const row = await findJob(db, scope, id);
  if (!row) throw notFound('job', id);
  return row;
}

const TOP_JOBS = perDialect(
  (sql) => `SELECT ${COLUMNS} ${fromJobs(sql.indexedBy('jobs_top'))}
    WHERE j.account_id = ? AND j.parent_seq IS NULL AND j.archived IS NULL AND j.seq > ?`,
);

/** Single jobs and parents that are not archived, after `seq`, in the order of submission. */
export async function topJobs(db: Reader, scope: Scope, after: number, limit: number): Promise<JobRow[]> {
  const own = isOwnTopJob(db.dialect, scope, 'j');
  const rows = await db.all<JobRow>(
    `${TOP_JOBS(db)}${own.sql} ORDER BY j.seq LIMIT ?`,
    scope.accountId,
    after,
    ...own.values,
    limit,
  );
  return jobsInScope(db, scope, rows);
}

export function childJobs(
  db: Reader,
  scope: Scope,
  parentSeq: number,
  after: number,
  limit: number,
): Promise<JobRow[]> {
  const own = isOwnDevice(db.dialect, scope, { seq: 'j.device_seq' });
  return db.all<JobRow>(
    `SELECT ${COLUMNS} ${FROM} WHERE j.parent_seq = ? AND j.seq > ?${own.sql} ORDER BY j.seq LIMIT ?`,
    parentSeq,
    after,
    ...own.values,
    limit,
  );
}

const CHILDREN_OF_LIST = perDialect(
  (sql) =>
    `SELECT ${COLUMNS} ${FROM} WHERE +j.parent_seq = ? AND j.id IN (SELECT w.value FROM ${sql.list('w')}) ORDER BY j.seq`,
);

/** Which of these ids are children of the parent. */
export const childrenOfList = async (
  db: Reader,
  scope: Scope,
  parentSeq: number,
  ids: readonly string[],
): Promise<JobRow[]> =>
  jobsInScope(db, scope, await db.all<JobRow>(CHILDREN_OF_LIST(db), parentSeq, JSON.stringify(ids)));

const JOBS_OF_LIST = perDialect(
  (sql) => `SELECT ${COLUMNS} ${FROM} WHERE j.account_id = ?
    AND j.seq IN (SELECT CAST(w.value AS BIGINT) FROM ${sql.list('w')}) ORDER BY j.seq`,
);

const WAVES_OF_JOBS = perDialect(
  (sql) => `SELECT w.job_seq AS job, r.id AS rollout, w.number + 1 AS number, r.waves AS count
    FROM ${sql.list('asked')} CROSS JOIN rollout_waves w CROSS JOIN rollouts r
    WHERE w.job_seq = CAST(asked.value AS BIGINT) AND r.seq = w.rollout_seq`,
);

/** The jobs with these seqs that still exist. */
export async function jobsOfList(db: Reader, scope: Scope, seqs: readonly number[]): Promise<JobRow[]> {
  const found = await db.all<JobRow>(JOBS_OF_LIST(db), scope.accountId, JSON.stringify(seqs));
  const rows = await jobsInScope(db, scope, found);
  const waves = await db.all<RolloutWave & { job: number }>(WAVES_OF_JOBS(db), JSON.stringify(seqs));
  const byJob = new Map(waves.map(({ job, ...wave }) => [job, wave]));
  for (const row of rows) {
    const wave = byJob.get(row.seq);
    if (wave) row.wave = wave;
  }
  return rows;
}

const WAITING_PARENTS = perDialect(
  (sql) => `SELECT DISTINCT parent_seq AS seq FROM jobs ${sql.indexedBy('jobs_unfinished')}
    WHERE parent_seq IS NOT NULL AND status IN ('Waiting', 'Running') AND status = 'Waiting' AND device_seq IS NOT NULL
    AND device_seq IN (SELECT CAST(w.value AS BIGINT) FROM ${sql.list('w')})`,
);

/** The parents with a child that is waiting for one of these devices. */
export const parentsWaitingFor = async (db: Reader, deviceSeqs: readonly number[]): Promise<number[]> =>
  deviceSeqs.length === 0
    ? []
    : (await db.all<{ seq: number }>(WAITING_PARENTS(db), JSON.stringify(deviceSeqs))).map(({ seq }) => seq);

/** The device's jobs without archived ones, in the order of submission. */
export const jobsOfDevice = (
  db: Reader,
  accountId: number,
  deviceSeq: number,
  after: number,
  limit: number,
): Promise<JobRow[]> =>
  db.all<JobRow>(
    `SELECT ${COLUMNS} ${FROM} WHERE j.device_seq = ? AND j.account_id = ? AND j.archived IS NULL AND p.archived IS NULL AND j.seq > ?
     ORDER BY j.seq LIMIT ?`,
    deviceSeq,
    accountId,
    after,
    limit,
  );

const LAST_OF_DEVICES = perDialect((sql) => {
  const last = `SELECT l.seq FROM jobs l LEFT JOIN jobs q ON q.seq = l.parent_seq
    WHERE l.device_seq = CAST(w.value AS BIGINT) AND l.archived IS NULL AND q.archived IS NULL ORDER BY l.seq DESC LIMIT 1`;
  return `SELECT ${COLUMNS} FROM jobs j LEFT JOIN jobs p ON p.seq = j.parent_seq LEFT JOIN job_counts c ON c.job_seq = j.seq
    WHERE ${sql.among('j.seq', `SELECT (${last}) FROM ${sql.list('w')}`)}`;
});

/** The last job of each of these devices that is not archived. */
export const lastJobsOfDevices = (db: Reader, deviceSeqs: readonly number[]): Promise<JobRow[]> =>
  db.all<JobRow>(LAST_OF_DEVICES(db), JSON.stringify(deviceSeqs));

/** Single jobs and parents that were submitted with an artifact, archived ones included. */
export const topJobsWith = async (db: Reader, scope: Scope, artifactId: string): Promise<JobRow[]> =>
  jobsInScope(
    db,
    scope,
    await db.all<JobRow>(
      `SELECT ${COLUMNS} ${FROM} WHERE j.account_id = ? AND j.parent_seq IS NULL AND j.artifact_id = ? ORDER BY j.seq`,
      scope.accountId,
      artifactId,
    ),
  );

/** How many waiting children of a parent are for devices that are Offline. */
export const countWaitingOffline = async (db: Reader, parentSeq: number): Promise<number> =>
  (
    await db.get<{ count: number }>(
      `SELECT count(*) AS count FROM jobs JOIN devices ON devices.seq = device_seq
       WHERE parent_seq = ? AND status = 'Waiting' AND online = 0`,
      parentSeq,
    )
  )?.count ?? 0;

const ASSIGNED = perDialect(
  (sql) => `SELECT ${sql.jsonArray('device_seq')} AS seqs FROM jobs JOIN devices ON devices.seq = device_seq
    WHERE (jobs.seq = ?1 OR parent_seq = ?1) AND status IN ('Waiting', 'Running') AND journal IS NOT NULL AND online = 1`,
);

/** The connected devices that have received this job or a child of it and have not finished it. */
export async function assignedDevicesOf(db: Reader, jobSeq: number): Promise<number[]> {
  const { seqs = '[]' } = (await db.get<{ seqs: string }>(ASSIGNED(db), jobSeq)) ?? {};
  return JSON.parse(seqs) as number[];
}

/** The position of a paged read of all queues. */
export type QueuePosition = Pick<JobRow, 'device_seq' | 'seq'>;

/** Unfinished jobs by device, in the order in which each device runs them. */
export function queuedJobs(
  db: Reader,
  scope: Scope,
  after: QueuePosition | undefined,
  limit: number,
): Promise<JobRow[]> {
  const own = isOwnDevice(db.dialect, scope, { seq: 'j.device_seq' });
  return db.all<JobRow>(
    `SELECT ${COLUMNS} ${FROM} WHERE j.device_seq IS NOT NULL AND j.status IN ('Waiting', 'Running')
     AND (j.device_seq, j.seq) > (?, ?) AND j.account_id = ?${own.sql} ORDER BY j.device_seq, j.seq LIMIT ?`,
    after?.device_seq ?? 0,
    after?.seq ?? 0,
    scope.accountId,
    ...own.values,
    limit,
  );
}

/** The device's oldest unfinished job after `seq`. */
export const nextUnfinished = (db: Reader, deviceSeq: number, after: number): Promise<JobRow | undefined> =>
  db.get<JobRow>(
    `SELECT ${COLUMNS} ${FROM} WHERE j.device_seq = ? AND j.seq > ? AND j.status IN ('Waiting', 'Running')
     ORDER BY j.seq LIMIT 1`,
    deviceSeq,
    after,
  );

export const unfinishedOf = (db: Reader, deviceSeq: number): Promise<JobRow[]> =>
  db.all<JobRow>(
    `SELECT ${COLUMNS} ${FROM} WHERE j.device_seq = ? AND j.status IN ('Waiting', 'Running') ORDER BY j.seq`,
    deviceSeq,
  );

/** Waiting jobs that need this artifact and that no agent has received. */
export const waitingFor = (db: Reader, artifactId: string): Promise<JobRow[]> =>
  db.all<JobRow>(
    `SELECT ${COLUMNS} ${FROM}
     WHERE j.artifact_id = ? AND j.status = 'Waiting' AND j.device_seq IS NOT NULL AND j.journal IS NULL`,
    artifactId,
  );

/** Whether a job was asked to stop; undefined if it was deleted. */
export const stateOf = (db: Reader, seq: number): Promise<{ stop_asked: number | null } | undefined> =>
  db.get('SELECT stop_asked FROM jobs WHERE seq = ?', seq);

/** Whether the device has this job and it is unfinished. */
export const isUnfinished = async (db: Reader, deviceSeq: number, id: string): Promise<boolean> =>
  (await db.get(
    "SELECT 1 FROM jobs WHERE id = ? AND device_seq = ? AND status IN ('Waiting', 'Running')",
    id,
    deviceSeq,
  )) !== undefined;

const WAITING = perDialect(
  (sql) => `SELECT seq, parent_seq AS "parentSeq" FROM jobs ${sql.indexedBy('jobs_unfinished')}
    WHERE device_seq IS NOT NULL AND status IN ('Waiting', 'Running') AND status = 'Waiting' ORDER BY seq`,
);

/** All jobs of devices that have not started. */
export const waitingJobs = (db: Reader): Promise<{ seq: number; parentSeq: number | null }[]> => db.all(WAITING(db));

/** The devices of the children of a parent. */
export const childDevices = async (db: Reader, parentSeq: number): Promise<number[]> =>
  (
    await db.all<{ device_seq: number }>(
      'SELECT device_seq FROM jobs WHERE parent_seq = ? AND superseded = 0 AND device_seq IS NOT NULL ORDER BY seq',
      parentSeq,
    )
  ).map(({ device_seq }) => device_seq);
