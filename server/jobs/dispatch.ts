// Submitting, stopping and deleting jobs: a submission for a device, a group or a tag becomes jobs in each device's
// queue, which delivery.ts empties.
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobDraft } from '#/contract/jobs.ts';
import type { Caller } from '../http/caller.ts';
import type { Audit } from '../store/audit.ts';
import type { Clock } from '../clock.ts';
import type { Link } from '../agents/link.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { Problem } from '../http/problem.ts';
import type { PublishedAgent } from '../agents/published-agent.ts';
import { fileFaultText } from '../store/artifact-files.ts';
import type { ArtifactFiles } from '../store/artifact-files.ts';
import { artifactById, findArtifact } from '../store/artifacts.ts';
import type { StoredArtifact } from '../store/artifacts.ts';
import type { Database, Reader, Tx } from '../store/database.ts';
import { deviceById } from '../store/devices.ts';
import { askToStop, cancelWaiting, deleteJob, refreshParents } from '../store/job-moves.ts';
import type { TouchedParents } from '../store/job-moves.ts';
import {
  assignedDevicesOf,
  devicesOfGroup,
  devicesOfTag,
  insertJob,
  insertParent,
  jobById,
  unfinishedOf,
  waitingFor,
} from '../store/jobs.ts';
import type { JobRow, Submission, Target } from '../store/jobs.ts';
import { runOnce } from '../store/submissions.ts';
import { requireTag } from '../store/tags.ts';
import { workflowById } from '../store/workflows.ts';
import { agentStateOf, sendUpdate } from './agent-updates.ts';
import { failJob, NOT_STARTED } from './assignment.ts';
import { Delivery } from './delivery.ts';

/** Throws to refuse the change of a job; `db` shows it as it is now. */
export type MayChange = (row: JobRow, isAssigned: boolean, db: Reader) => Promise<void>;

export interface Dispatch {
  /** Submits a job; it is durable when this resolves. The same `key` again returns the job that it created. */
  submit(caller: Caller, draft: JobDraft, key?: string): Promise<{ JobId: string }>;
  /**
   * Deletes a job, a running one after stopping it, a parent with its children. `mayGo` is called in the first unit of
   * work and throws to refuse.
   */
  remove(caller: Caller, jobId: string, mayGo: MayChange): Promise<void>;
  /**
   * Stops a job that runs, and cancels one that waits; of a parent, all children. It is durable when this resolves: an
   * agent that is away gets the request when it is back. `mayStop` as for `remove`.
   */
  stop(caller: Caller, jobId: string, mayStop: MayChange): Promise<{ Cancelled: number; Stopping: number }>;
  /** Cancels the unfinished jobs of a device that is being deleted. */
  deviceRemoved(tx: Tx, deviceSeq: number): Promise<void>;
  /** Fails the waiting jobs of an artifact that is being deleted. */
  artifactRemoved(tx: Tx, artifactId: string): Promise<void>;
}

export interface DispatchOptions {
  db: Database;
  link: Link;
  cluster: Pick<Cluster, 'id' | 'onRecheck' | 'recheckAt'>;
  audit: Audit;
  clock: Pick<Clock, 'now' | 'onSet'>;
  files: Pick<ArtifactFiles, 'faultOf'>;
  publicUrl: () => string;
  /** The Command of an artifact, for a device that reaches the service at `origin`. */
  artifactCommand: (artifact: StoredArtifact, where: { origin: string; jobId?: string }) => string;
  published: PublishedAgent;
  timeLimitSeconds?: number;
  outputLimit?: number;
}

const TIME_LIMIT_SECONDS = 60 * 60;
const OUTPUT_LIMIT = 10 * 1024 * 1024;
/** How long a delete waits for a running job to stop. An agent that takes longer is made to forget the job. */
const STOP_TIMEOUT_MS = 10_000;
const STOP_POLL_MS = 50;
const DEVICE_DELETED = 'device deleted';
const ARTIFACT_DELETED = 'artifact deleted';

export function openDispatch(options: DispatchOptions): Dispatch {
  const { db, audit, clock, files, publicUrl, artifactCommand } = options;
  const { now } = clock;

  const delivery = new Delivery({
    db,
    link: options.link,
    cluster: options.cluster,
    now,
    timeLimitSeconds: options.timeLimitSeconds ?? TIME_LIMIT_SECONDS,
    outputLimit: options.outputLimit ?? OUTPUT_LIMIT,
    agentState: (hello) => agentStateOf(hello, options.published),
    update: (connection, sha256) => sendUpdate(connection, sha256, options.published),
    commandFor: async (tx, job, origin) => {
      if (job.artifact_id === null) return job;
      const artifact = await findArtifact(tx, job.artifact_id);
      if (!artifact) return { because: ARTIFACT_DELETED };
      const fault = files.faultOf(artifact);
      if (fault) return { because: fileFaultText(artifact, fault) };
      return { command: artifactCommand(artifact, { origin, jobId: job.id }) };
    },
  });

  clock.onSet((by) => delivery.moveTimes(by));

  const submissionOf = async (
    tx: Tx,
    accountId: number,
    { Name, ArtifactId, WorkflowId }: JobDraft,
  ): Promise<Submission> => {
    const submission = { accountId, name: Name.toWellFormed(), created: now() };
    if (!ArtifactId) {
      const { Command, WorkflowId: workflowId } = await workflowById(tx, accountId, WorkflowId ?? '');
      return { ...submission, artifactId: null, workflowId, command: () => Command };
    }
    const artifact = await artifactById(tx, accountId, ArtifactId);
    // The address that an agent dialled is used only in commands for that agent.
    const command = (jobId: string) => artifactCommand(artifact, { origin: publicUrl(), jobId });
    return { ...submission, artifactId: ArtifactId, workflowId: null, command };
  };

  /** Cancels a job and its children where they wait, and asks for the end of those that agents have under way. */
  const halt = async (tx: Tx, row: JobRow, assigned: number[]) => {
    const job = { seq: row.seq, parentSeq: row.parent_seq };
    const parents: TouchedParents = new Map();
    const at = now();
    const Cancelled = await cancelWaiting(tx, job, { at, reason: NOT_STARTED }, parents);
    await refreshParents(tx, parents);
    const Stopping = await askToStop(tx, job, at);
    tx.recheck(...assigned);
    return { Cancelled, Stopping };
  };

  /** Resolves when no connected agent has the job or a child of it under way any more, or after a while. */
  const ended = async (jobSeq: number): Promise<void> => {
    const until = performance.now() + STOP_TIMEOUT_MS;
    while (performance.now() < until && (await assignedDevicesOf(db, jobSeq)).length > 0) await sleep(STOP_POLL_MS);
  };

  return {
    submit: async (caller, draft, key) => {
      const accountId = caller.account.id;
      const { id } = await db.write((tx) =>
        runOnce(tx, { accountId, key, content: draft }, now(), async () => {
          const submission = await submissionOf(tx, accountId, draft);
          const devices = await targetsOf(tx, accountId, draft);
          const [first] = devices;
          const jobId =
            draft.DeviceId && first
              ? await insertJob(tx, submission, first)
              : await insertParent(
                  tx,
                  submission,
                  devices,
                  draft.TagId ? { tag: draft.TagId } : { group: draft.DeviceGroup ?? '' },
                );
          await audit.record(tx, caller, 'job.submit', jobId);
          tx.recheck(...devices.map(({ seq }) => seq));
          return jobId;
        }),
      );
      return { JobId: id };
    },

    remove: async (caller, jobId, mayGo) => {
      const remove = async (tx: Tx, row: JobRow) => {
        await deleteJob(tx, { seq: row.seq, parentSeq: row.parent_seq });
        await audit.record(tx, caller, 'job.remove', row.id);
      };
      const essential = true;
      const stopping = await db.write(
        async (tx) => {
          const row = await jobById(tx, caller.account.id, jobId);
          const assigned = await assignedDevicesOf(tx, row.seq);
          await mayGo(row, assigned.length > 0, tx);
          if (assigned.length === 0) return remove(tx, row);
          await halt(tx, row, assigned);
          return row;
        },
        { essential },
      );
      if (!stopping) return;
      await ended(stopping.seq);
      await db.write((tx) => remove(tx, stopping), { essential });
    },

    stop: (caller, jobId, mayStop) =>
      db.write(
        async (tx) => {
          const row = await jobById(tx, caller.account.id, jobId);
          const assigned = await assignedDevicesOf(tx, row.seq);
          await mayStop(row, assigned.length > 0, tx);
          const done = await halt(tx, row, assigned);
          if (done.Cancelled + done.Stopping > 0) await audit.record(tx, caller, 'job.stop', row.id);
          return done;
        },
        { essential: true },
      ),

    deviceRemoved: async (tx, deviceSeq) => {
      const parents: TouchedParents = new Map();
      for (const row of await unfinishedOf(tx, deviceSeq))
        await failJob(tx, row, { status: 'Cancelled', reason: DEVICE_DELETED, at: now() }, parents);
      await refreshParents(tx, parents);
    },

    artifactRemoved: async (tx, artifactId) => {
      const parents: TouchedParents = new Map();
      for (const row of await waitingFor(tx, artifactId))
        await failJob(tx, row, { status: 'Failed', reason: ARTIFACT_DELETED, at: now() }, parents);
      await refreshParents(tx, parents);
    },
  };
}

/** The devices that a job targets at this moment; only devices of the account. */
async function targetsOf(db: Reader, accountId: number, { DeviceId, DeviceGroup, TagId }: JobDraft): Promise<Target[]> {
  if (DeviceId) return [await deviceById(db, accountId, DeviceId)];
  if (TagId) {
    await requireTag(db, accountId, TagId);
    return someOf(
      await devicesOfTag(db, accountId, TagId),
      `The tag "${TagId}" is on no device`,
      'Put it on a device first.',
    );
  }
  const group = DeviceGroup ?? '';
  return someOf(
    await devicesOfGroup(db, accountId, group),
    `The group "${group}" has no devices`,
    'Letter case counts; a device is in the group that its DeviceGroup names.',
  );
}

function someOf(devices: Target[], title: string, detail: string): Target[] {
  if (devices.length === 0) throw new Problem(400, title, detail);
  return devices;
}
