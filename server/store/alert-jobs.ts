// Failed jobs for alert rules: failed by their status or by the verdict of their outcome rules. An ended job waits in
// `alert_jobs` until it has been judged.
import type { JobStatus } from '#/contract/jobs.ts';
import { HOURS, isFew, MOST_CHANGES, queueAlert, scopeOf, type RuleScope } from './alert-firing.ts';
import type { Database, Reader, Tx } from './database.ts';
import { countsIn } from './job-moves.ts';
import { shiftedChildren } from './rules.ts';

export interface EndedJob {
  seq: number;
  id: string;
  account_id: number;
  name: string;
  /** Null for a job on many devices. */
  device_seq: number | null;
  device_name: string;
  status: JobStatus;
  verdict: string | null;
  verdict_because: string;
  reason: string;
  exit_code: number | null;
}

/** How many devices of a job on many devices ended in each state. */
export type Outcomes = Record<string, number>;

/** Jobs per transaction. */
const BATCH = 100;
/** A job is usually judged immediately. If judging fails, its status alone is reported after this time. */
const JUDGED_WITHIN_MS = 300_000;

/** Of the last attempt on a device. */
const FAILED = `device_seq IS NOT NULL AND superseded = 0
  AND (status IN ('Failed', 'Interrupted') OR verdict IN ('Failed', 'RolledBack', 'NoAnswer'))`;

// Subqueries instead of joins: PostgreSQL assumes that an empty table has 2,000 rows, and would read all jobs to join
// them.
const READY = `FROM alert_jobs a
  WHERE coalesce((SELECT j.ended FROM jobs j WHERE j.seq = a.job_seq), 0) <= ?
    OR NOT (EXISTS (SELECT 1 FROM to_judge WHERE job_seq = a.job_seq) OR (
      SELECT 1 FROM jobs c CROSS JOIN to_judge WHERE job_seq = c.seq AND c.parent_seq = a.job_seq LIMIT 1) IS NOT NULL)`;

/** Queues alerts for the jobs that have failed since the last run; `describe` says what happened to one. */
export async function noteEndedJobs(
  db: Database,
  describe: (job: EndedJob, outcomes: Outcomes) => string,
  now: () => number,
): Promise<void> {
  const hasMore = () => db.get(`SELECT 1 ${READY} LIMIT 1`, now() - JUDGED_WITHIN_MS);
  while (await hasMore()) await db.write((tx) => noteNext(tx, describe, now()), { patient: true });
}

async function noteNext(tx: Tx, describe: Parameters<typeof noteEndedJobs>[1], now: number): Promise<void> {
  const ready = await tx.all<{ seq: number; job_seq: number }>(
    `SELECT a.seq, a.job_seq ${READY} ORDER BY a.seq LIMIT ${BATCH}`,
    now - JUDGED_WITHIN_MS,
  );
  for (const { seq, job_seq } of ready) {
    await tx.run('DELETE FROM alert_jobs WHERE seq = ?', seq);
    // A job that runs again because some devices are retried is reported when it ends again.
    const job = await tx.get<EndedJob>(
      `SELECT seq, id, account_id, name, device_seq, device_name, status, verdict, verdict_because, reason, exit_code
       FROM jobs WHERE seq = ? AND parent_seq IS NULL AND ended IS NOT NULL`,
      job_seq,
    );
    const deviceSeqs = job ? await failedDevices(tx, job) : [];
    if (!job || deviceSeqs.length === 0) continue;
    const text = describe(job, job.device_seq === null ? await outcomesOf(tx, job.seq) : {});
    await queueAlert(tx, job.account_id, { event: 'JobFailed', text, jobId: job.id, deviceSeqs }, now);
  }
}

/** The devices on which the last attempt failed. */
async function failedDevices(db: Reader, { seq, device_seq }: EndedJob): Promise<number[]> {
  const devices = await db.all<{ seq: number }>(
    `SELECT device_seq AS seq FROM jobs
     WHERE ${device_seq === null ? 'parent_seq' : 'seq'} = ? AND ${FAILED} ORDER BY jobs.seq`,
    seq,
  );
  return devices.map((device) => device.seq);
}

/** How many jobs that a rule is for failed in the last seven days, or in fewer hours if too many did. */
export async function failedLately(
  db: Reader,
  rule: RuleScope,
  now: number,
): Promise<{ fired: number; hours: number } | undefined> {
  const { where, values } = scopeOf(rule);
  const failed = `jobs ${db.dialect.indexedBy('jobs_ended')} CROSS JOIN devices d
    WHERE jobs.account_id = ? AND ended >= ? AND ended <= ? AND ended IS NOT NULL AND ${FAILED} AND d.seq = device_seq${where}`;
  for (const hours of HOURS) {
    const within = [rule.account_id, now - hours * 3_600_000, now, ...values];
    if (!(await isFew(db, failed, MOST_CHANGES, ...within))) continue;
    // A job on many devices counts once, when the last has ended.
    const found = await db.get<{ fired: number }>(
      `SELECT count(DISTINCT coalesce(parent_seq, jobs.seq)) AS fired FROM ${failed} AND (parent_seq IS NULL
         OR EXISTS (SELECT 1 FROM jobs p WHERE p.seq = jobs.parent_seq AND p.ended IS NOT NULL))`,
      ...within,
    );
    return { fired: found?.fired ?? 0, hours };
  }
  return undefined;
}

async function outcomesOf(db: Reader, parentSeq: number): Promise<Outcomes> {
  const row = await db.get<Parameters<typeof countsIn>[0]>('SELECT * FROM job_counts WHERE job_seq = ?', parentSeq);
  const counts: Outcomes = row ? { ...countsIn(row) } : {};
  for (const { status, verdict, jobs } of await shiftedChildren(db, parentSeq)) {
    counts[status] = (counts[status] ?? 0) - jobs;
    counts[verdict] = (counts[verdict] ?? 0) + jobs;
  }
  return counts;
}
