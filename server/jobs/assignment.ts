// Assigns the next job to a connected agent: the device's oldest job that can still run.
import type { JobStatus } from '#/contract/jobs.ts';
import type { AgentConnection } from '../agents/agent-connection.ts';
import type { Tx } from '../store/database.ts';
import { outputSize } from '../store/job-output.ts';
import { moveJob, recordJournal } from '../store/job-moves.ts';
import type { TouchedParents } from '../store/job-moves.ts';
import { nextUnfinished } from '../store/jobs.ts';
import type { JobRow } from '../store/jobs.ts';
import { latestRun } from '../store/output-order.ts';

export interface AssignmentOptions {
  now: () => number;
  /** The command line that the device runs for a job, or why the job can no longer run. */
  commandFor: (tx: Tx, job: JobRow, origin: string) => Promise<{ command: string } | { because: string }>;
  timeLimitSeconds: number;
  /** The most bytes that a device stores of each stream. */
  outputLimit: number;
}

const ANOTHER_FOLDER =
  'It was sent to an agent whose data folder is not there any more: whether it ran is not known. It is not run again.';
const FORGOTTEN =
  'It had started, but the agent knows nothing of it any more: how far it came is not known. It is not run again.';
/** The reason of a job that was stopped before it reached its device or started there. */
export const NOT_STARTED = 'Cancelled before it started.';

/** Assigns the device's oldest job that can still run to the agent, and ends the jobs before it that cannot. */
export async function assignNext(
  { tx, parents }: { tx: Tx; parents: TouchedParents },
  connection: AgentConnection,
  options: AssignmentOptions,
): Promise<void> {
  const { journal, held, deviceSeq } = connection;
  const fail = (row: JobRow, status: JobStatus, reason: string) =>
    failJob(tx, row, { status, reason, at: options.now() }, parents);
  let row: JobRow | undefined;
  for (let after = 0; (row = await nextUnfinished(tx, deviceSeq, after)); after = row.seq) {
    if (row.journal !== null && row.journal !== journal) {
      await fail(row, 'Interrupted', ANOTHER_FOLDER);
      // A folder whose name was lost may still contain its jobs.
      if (held.has(row.id)) forget(tx, connection, row.id);
    } else if (row.status === 'Running' && !held.has(row.id)) await fail(row, 'Interrupted', FORGOTTEN);
    else if (row.stop_asked !== null && !held.has(row.id)) await fail(row, 'Cancelled', NOT_STARTED);
    else {
      // A job that is already on the agent's disk runs with the command that it was sent with.
      const current = await options.commandFor(tx, row, connection.server);
      const runnable = 'because' in current && held.has(row.id) ? row : current;
      if ('command' in runnable) return sendJob(tx, connection, { row, command: runnable.command }, options);
      await fail(row, 'Failed', runnable.because);
    }
  }
}

async function sendJob(
  tx: Tx,
  connection: AgentConnection,
  { row, command }: { row: JobRow; command: string },
  { timeLimitSeconds, outputLimit }: AssignmentOptions,
): Promise<void> {
  const wasSent = row.journal !== null;
  await recordJournal(tx, row.seq, connection.journal);
  const have = {
    stdout: wasSent ? await outputSize(tx, row.seq, 'stdout') : 0,
    stderr: wasSent ? await outputSize(tx, row.seq, 'stderr') : 0,
  };
  connection.draft = {
    seq: row.seq,
    id: row.id,
    parentSeq: row.parent_seq,
    status: row.status === 'Running' ? 'Running' : 'Waiting',
    created: row.created,
    isDeployment: row.artifact_id !== null,
    started: row.started,
    ...have,
    run: await latestRun(tx, row.seq, have.stdout + have.stderr > 0),
  };
  tx.afterCommit(() => {
    // It was stopped while its agent was offline. `cancel` is sent before `run`, so that a job that has not started
    // never does.
    if (row.stop_asked !== null) connection.send({ type: 'cancel', job: row.id });
    connection.send({ type: 'run', job: row.id, command, timeLimitSeconds, outputLimit, have });
  });
}

/** Makes the agent stop and forget a job that was deleted, or that has ended as far as the service knows. */
export function forget(tx: Tx, connection: AgentConnection, job: string): void {
  tx.afterCommit(() => {
    connection.send({ type: 'cancel', job });
    connection.send({ type: 'settled', job });
  });
}

/** Ends a job that no agent is running. */
export async function failJob(
  tx: Tx,
  row: JobRow,
  { status, reason, at }: { status: JobStatus; reason: string; at: number },
  parents: TouchedParents,
): Promise<void> {
  const job = { seq: row.seq, parentSeq: row.parent_seq, status: row.status };
  await moveJob(tx, job, status, { ended: at, reason, result: reason }, parents);
}
