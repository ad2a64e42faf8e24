// Submitting, stopping and deleting jobs: a submission for a device, a group or a tag becomes jobs in each device's
// queue, which delivery.ts empties.
import { randomBytes } from 'node:crypto';
import type { JobDraft } from '#/contract/jobs.ts';
import type { Caller } from '../http/caller.ts';
import type { Audit } from '../store/audit.ts';
import type { Clock } from '../clock.ts';
import type { AssignedJob } from '../agents/agent-connection.ts';
import type { Link } from '../agents/link.ts';
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
  devicesOfGroup,
  devicesOfTag,
  unfinishedDevicesOf,
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
import { agentStateOf } from './agent-updates.ts';
import { Delivery, NOT_STARTED } from './delivery.ts';

/** Throws to refuse the change of a job; `db` shows it as it is now. */
export type MayChange = (row: JobRow, isAssigned: boolean, db: Reader) => Promise<void>;

export interface Dispatch {
  /** Submits a job; it is durable when this resolves. The same `key` again returns the job that it created. */
  submit(caller: Caller, draft: JobDraft, key?: string): Promise<{ JobId: string }>;
  /**
   * Deletes a job, a running one after stopping it, a parent with its children. `mayGo` is called right before and
   * throws to refuse; no agent is given the job in between.
   */
  remove(caller: Caller, jobId: string, mayGo: MayChange): Promise<void>;
  /**
   * Stops a job that runs, and cancels one that waits; of a parent, all children. It is durable when this resolves: an
   * agent that is away gets the request when it is back. `mayStop` as for `remove`.
   */
  stop(caller: Caller, jobId: string, mayStop: MayChange): Promise<{ Cancelled: number; Stopping: number }>;
  /** How many waiting children of a parent are for devices whose agents are away. */
  waitingOffline(parentSeq: number): Promise<number>;
  /** Cancels the unfinished jobs of a device that is being deleted. */
  deviceRemoved(tx: Tx, deviceSeq: number): Promise<void>;
  /** Fails the waiting jobs of an artifact that is being deleted. */
  artifactRemoved(tx: Tx, artifactId: string): Promise<void>;
  /** Called after any change to jobs. */
  changed(): void;
  /** Changes with every change to any job. */
  version(): string;
}

export interface DispatchOptions {
  db: Database;
  link: Link;
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
const DEVICE_DELETED = 'device deleted';
const ARTIFACT_DELETED = 'artifact deleted';

export function openDispatch(options: DispatchOptions): Dispatch {
  const { db, link, audit, clock, files, publicUrl, artifactCommand } = options;
  const { now } = clock;
  const start = randomBytes(6).toString('base64url');
  let changes = 0;
  const changed = () => void (changes += 1);

  const delivery = new Delivery({
    db,
    link,
    now,
    timeLimitSeconds: options.timeLimitSeconds ?? TIME_LIMIT_SECONDS,
    outputLimit: options.outputLimit ?? OUTPUT_LIMIT,
    changed,
    agentState: (hello) => agentStateOf(hello, options.published),
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

  /** The connections that have this job or a child of it under way. */
  const underWay = (row: JobRow): { job: AssignedJob; cancel: () => void }[] => {
    const connections = row.device_seq === null ? [...link.all()] : [link.of(row.device_seq)];
    return connections.flatMap((connection) => {
      const job = connection?.job;
      if (!connection || !job || (job.seq !== row.seq && job.parentSeq !== row.seq)) return [];
      return [{ job, cancel: () => connection.send({ type: 'cancel', job: job.id }) }];
    });
  };

  const stop = async (row: JobRow): Promise<void> => {
    const stopped = underWay(row).map(({ job, cancel }) => {
      cancel();
      return new Promise<void>((resolve) => void job.whenOver.push(resolve));
    });
    if (stopped.length === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<void>((resolve) => (timer = setTimeout(resolve, STOP_TIMEOUT_MS)));
    await Promise.race([Promise.all(stopped), enough]);
    clearTimeout(timer);
  };

  return {
    submit: async (caller, draft, key) => {
      const accountId = caller.account.id;
      let devices: Target[] = [];
      const { id } = await db.write((tx) =>
        runOnce(tx, { accountId, key, content: draft }, now(), async () => {
          const submission = await submissionOf(tx, accountId, draft);
          devices = await targetsOf(tx, accountId, draft);
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
          tx.afterCommit(changed);
          return jobId;
        }),
      );
      for (const { seq } of devices) delivery.wake(seq);
      return { JobId: id };
    },

    remove: async (caller, jobId, mayGo) => {
      const row = await jobById(db, caller.account.id, jobId);
      await mayGo(row, underWay(row).length > 0, db);
      delivery.withdrawn.add(row.seq);
      try {
        await stop(row);
        await db.write(
          async (tx) => {
            await deleteJob(tx, { seq: row.seq, parentSeq: row.parent_seq });
            await audit.record(tx, caller, 'job.remove', row.id);
            tx.afterCommit(changed);
          },
          { essential: true },
        );
      } finally {
        delivery.withdrawn.delete(row.seq);
      }
    },

    stop: (caller, jobId, mayStop) =>
      db.write(
        async (tx) => {
          const row = await jobById(tx, caller.account.id, jobId);
          await mayStop(row, underWay(row).length > 0, tx);
          const job = { seq: row.seq, parentSeq: row.parent_seq };
          const parents: TouchedParents = new Map();
          const at = now();
          const Cancelled = await cancelWaiting(tx, job, { at, reason: NOT_STARTED }, parents);
          await refreshParents(tx, parents);
          const Stopping = await askToStop(tx, job, at);
          if (Cancelled + Stopping > 0) await audit.record(tx, caller, 'job.stop', row.id);
          tx.afterCommit(() => {
            for (const { cancel } of underWay(row)) cancel();
            changed();
          });
          return { Cancelled, Stopping };
        },
        { essential: true },
      ),

    waitingOffline: async (parentSeq) =>
      (await unfinishedDevicesOf(db, parentSeq)).reduce((count, seq) => (link.of(seq) ? count : count + 1), 0),

    deviceRemoved: async (tx, deviceSeq) => {
      const parents: TouchedParents = new Map();
      for (const row of await unfinishedOf(tx, deviceSeq))
        await delivery.fail(tx, row, 'Cancelled', DEVICE_DELETED, parents);
      await refreshParents(tx, parents);
      tx.afterCommit(() => {
        const connection = link.of(deviceSeq);
        if (connection?.job) connection.send({ type: 'cancel', job: connection.job.id });
        changed();
      });
    },

    artifactRemoved: async (tx, artifactId) => {
      const parents: TouchedParents = new Map();
      for (const row of await waitingFor(tx, artifactId))
        await delivery.fail(tx, row, 'Failed', ARTIFACT_DELETED, parents);
      await refreshParents(tx, parents);
      tx.afterCommit(changed);
    },

    changed,

    version: () => `${start}.${changes}`,
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
