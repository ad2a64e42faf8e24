// What a gateway knows of the jobs that its rollouts have in the service behind it: one for each device, noted before it is
// sent. `sent` without an id: whether the service has it is not known.
import type { JobState } from '#/contract/job-state.ts';
import type { JobDraft } from '#/contract/job-draft.ts';
import { insertRow, type Reader, type Tx } from './database.ts';
import { newId } from './ids.ts';

export interface UpstreamJob {
  seq: number;
  id: string | null;
  name: string;
  device_id: string;
  /** JSON: ArtifactId or WorkflowId. */
  payload: string;
  status: JobState;
  sent: number | null;
  cancel: number;
  /** 1: a person was asked whether the service has it. */
  asked: number;
  /** Of its rollout. */
  rollout: string;
  rollout_state: string;
}

const OPEN = `FROM jobs c JOIN rollout_waves w ON w.job_seq = c.parent_seq JOIN rollouts r ON r.seq = w.rollout_seq
  WHERE c.status IN ('Waiting', 'Running') AND r.account_id = ?`;
const COLUMNS = `c.seq, c.id, c.name, c.device_id, c.payload, c.status, c.sent, c.cancel, c.asked,
  r.id AS rollout, r.state AS rollout_state`;

/** Jobs that were sent and have not ended. */
export const sentJobs = (db: Reader, accountId: number): Promise<UpstreamJob[]> =>
  db.all<UpstreamJob>(`SELECT ${COLUMNS} ${OPEN} AND c.sent IS NOT NULL ORDER BY c.seq`, accountId);

/** Jobs to be sent, the oldest first. Those of a paused rollout wait. */
export const jobsToSend = (db: Reader, accountId: number, limit: number): Promise<UpstreamJob[]> =>
  db.all<UpstreamJob>(
    `SELECT ${COLUMNS} ${OPEN} AND c.sent IS NULL AND r.state <> 'Paused' ORDER BY c.seq LIMIT ?`,
    accountId,
    limit,
  );

/** How many jobs have not ended, and of how many it is to be learned whether the service has them, or deletes them. */
export const pendingJobs = async (db: Reader): Promise<{ open: number; unclear: number }> =>
  (await db.get(
    `SELECT count(*) AS open,
       coalesce(sum(CASE WHEN sent IS NOT NULL AND (id IS NULL OR cancel = 1) THEN 1 ELSE 0 END), 0) AS unclear
     FROM jobs WHERE status IN ('Waiting', 'Running') AND parent_seq IS NOT NULL`,
  )) ?? { open: 0, unclear: 0 };

/** Jobs that the service has answered with an id, the newest first. */
export const answeredJobs = (db: Reader, accountId: number, limit: number): Promise<{ id: string; name: string }[]> =>
  db.all(
    'SELECT id, name FROM jobs WHERE account_id = ? AND id IS NOT NULL ORDER BY seq DESC LIMIT ?',
    accountId,
    limit,
  );

/** A person is asked whether the service has it. */
export const noteAsked = (tx: Tx, seq: number) => tx.run('UPDATE jobs SET asked = 1 WHERE seq = ?', seq);

/** Room for what makes a name unique, in any service. */
const MOST_NAME = 180;
const nameOf = (name: string, mark: string) => `${name.slice(0, MOST_NAME)} [${mark}]`;

interface NewJob {
  accountId: number;
  job: Pick<JobDraft, 'Name' | 'ArtifactId' | 'WorkflowId'> & { DeviceIds: string[] };
}

/** The job of a wave, and one below it for each device; returns its seq. */
export async function insertWaveJob(tx: Tx, { accountId, job }: NewJob): Promise<number> {
  const { Name, DeviceIds, ...payload } = job;
  const parent = await insertRow(
    tx,
    "INSERT INTO jobs (account_id, device_id, name, payload, status) VALUES (?, '', ?, ?, 'Waiting')",
    accountId,
    Name,
    JSON.stringify(payload),
  );
  await insertEach(tx, parent, DeviceIds);
  return parent;
}

/** A further attempt for each of these devices. */
export async function insertAttempts(tx: Tx, parent: number, deviceIds: readonly string[]): Promise<void> {
  await insertEach(tx, parent, deviceIds);
  await tx.run(
    `UPDATE jobs SET superseded = 1 WHERE parent_seq = ?1 AND superseded = 0 AND EXISTS
       (SELECT 1 FROM jobs n WHERE n.parent_seq = ?1 AND n.device_seq = jobs.device_seq AND n.seq > jobs.seq)`,
    parent,
  );
}

async function insertEach(tx: Tx, parent: number, deviceIds: readonly string[]): Promise<void> {
  const wave = await tx.get<{ name: string }>('SELECT name FROM jobs WHERE seq = ?', parent);
  const mark = newId(8);
  for (const [at, id] of deviceIds.entries())
    await tx.run(
      `INSERT INTO jobs (account_id, parent_seq, device_seq, device_id, name, payload, status, attempt)
       SELECT p.account_id, p.seq, d.seq, d.id, ?, p.payload, 'Waiting',
         1 + (SELECT count(*) FROM jobs c WHERE c.parent_seq = p.seq AND c.device_seq = d.seq)
       FROM jobs p JOIN devices d ON d.account_id = p.account_id AND d.id = ? WHERE p.seq = ?`,
      nameOf(wave?.name ?? '', `${mark}-${at + 1}`),
      id,
      parent,
    );
}

/** What waits of the job of a wave, or of one device: ends if it was not sent, else it is deleted where it is. */
export async function cancelJob(tx: Tx, { seq, isWave }: { seq: number; isWave: boolean }, at: number): Promise<void> {
  const which = `${isWave ? 'parent_seq' : 'seq'} = ? AND status = 'Waiting'`;
  await tx.run(
    `UPDATE jobs SET status = 'Cancelled', ended = ?, reason = 'It was not sent' WHERE ${which} AND sent IS NULL`,
    at,
    seq,
  );
  await tx.run(`UPDATE jobs SET cancel = 1 WHERE ${which} AND sent IS NOT NULL`, seq);
}

/** Written before it is sent; false if it is not to be sent any more. */
export const noteSent = async (tx: Tx, seq: number, at: number): Promise<boolean> =>
  (await tx.run("UPDATE jobs SET sent = ? WHERE seq = ? AND sent IS NULL AND status = 'Waiting'", at, seq)).changes > 0;

/** Its connection has ended without an answer: the service may still be working on it from here on. */
export async function noteCut(tx: Tx, seq: number, at: number): Promise<void> {
  await tx.run('UPDATE jobs SET sent = ? WHERE seq = ? AND id IS NULL', at, seq);
}

/** The service has not done it: it ends if it is to be cancelled, else it is sent again. */
export async function noteNotSent(tx: Tx, seq: number, at: number): Promise<void> {
  await tx.run('UPDATE jobs SET sent = NULL, asked = 0 WHERE seq = ? AND id IS NULL', seq);
  await tx.run(
    `UPDATE jobs SET status = 'Cancelled', ended = ?, reason = 'It was not sent'
     WHERE seq = ? AND sent IS NULL AND cancel = 1`,
    at,
    seq,
  );
}

/** The service's id of a job. */
export const noteJobId = (tx: Tx, seq: number, id: string) =>
  tx.run('UPDATE jobs SET id = ? WHERE seq = ? AND id IS NULL', id, seq);

interface Outcome {
  status: JobState;
  verdict?: 'NoAnswer';
  because?: string;
  ended: number | null;
}

/** What became of a job that has not ended. One that has begun is not cancelled any more. */
export const noteOutcome = (tx: Tx, seq: number, { status, verdict, because, ended }: Outcome) =>
  tx.run(
    `UPDATE jobs SET status = ?1, verdict = ?2, verdict_because = CASE WHEN ?2 IS NULL THEN NULL ELSE ?3 END,
       reason = CASE WHEN ?2 IS NULL THEN ?3 ELSE NULL END, ended = ?4,
       cancel = CASE WHEN ?1 = 'Waiting' THEN cancel ELSE 0 END
     WHERE seq = ?5 AND status IN ('Waiting', 'Running')`,
    status,
    verdict ?? null,
    because ?? null,
    ended,
    seq,
  );

/** Jobs of rollouts that were deleted. What is still to be deleted in the service waits for that. */
export const removeForgottenJobs = (tx: Tx) =>
  tx.run(
    `DELETE FROM jobs WHERE parent_seq IS NULL AND seq NOT IN (SELECT job_seq FROM rollout_waves WHERE job_seq IS NOT NULL)
       AND NOT EXISTS (SELECT 1 FROM jobs c WHERE c.parent_seq = jobs.seq AND c.cancel = 1)`,
  );
