// Submits jobs: a submission becomes a job in each device's queue, which delivery.ts works off. job-ends.ts stops and
// deletes jobs.
import type { JobDraft } from '#/contract/job-draft.ts';
import { ruleNameOf } from '#/contract/rule-name.ts';
import type { Submitter } from '../store/caller.ts';
import type { Audit } from '../store/audit.ts';
import type { Clock } from '../clock.ts';
import type { Link } from '../agents/link.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { fileFaultText } from '../store/artifact-files.ts';
import type { ArtifactFiles } from '../store/artifact-files.ts';
import { artifactById, findArtifact } from '../store/artifacts.ts';
import type { StoredArtifact } from '../store/artifacts.ts';
import type { Database, Tx } from '../store/database.ts';
import { withParents } from '../store/job-moves.ts';
import { adoptJob, insertAttempts, insertJob, insertParent } from '../store/job-submissions.ts';
import type { Submission, Target } from '../store/job-submissions.ts';
import { unfinishedOf, waitingFor } from '../store/jobs.ts';
import type { JobRow } from '../store/jobs.ts';
import { scopeOf } from '../store/scope.ts';
import type { Scope } from '../store/scope.ts';
import { runOnce } from '../store/submissions.ts';
import { workflowById } from '../store/workflows.ts';
import { failJob } from './assignment.ts';
import { Delivery } from './delivery.ts';
import type { DeliveryOptions } from './delivery.ts';
import { openJobEnds } from './job-ends.ts';
import type { JobEnds } from './job-ends.ts';
import { retriedJob, retryTargets, targetsOf } from './targets.ts';

export interface Dispatch extends JobEnds {
  /** Submits a job, which is durable when this resolves. Repeating a `key` returns the job that it created. */
  submit(caller: Submitter, draft: JobDraft, key?: string): Promise<{ JobId: string }>;
  /** The same within a unit of work; returns the job's id. */
  submitIn(tx: Tx, caller: Submitter, draft: JobDraft): Promise<string>;
  /** Cancels the unfinished jobs of a device that is being deleted. */
  deviceRemoved(tx: Tx, deviceSeq: number): Promise<void>;
  /** Fails the waiting jobs of an artifact that is being deleted. */
  artifactRemoved(tx: Tx, artifactId: string): Promise<void>;
}

export interface DispatchOptions {
  db: Database;
  link: Link;
  cluster: Pick<Cluster, 'id' | 'onSyncAgents' | 'syncAgentsAt'>;
  audit: Audit;
  clock: Pick<Clock, 'now' | 'onSet'>;
  files: Pick<ArtifactFiles, 'faultOf'>;
  publicUrl: () => string;
  /** The Command of an artifact, for a device that reaches the service at `origin`. */
  artifactCommand: (artifact: StoredArtifact, where: { origin: string; jobId?: string }) => string;
  agentUpdates: DeliveryOptions['agentUpdates'];
  keyRotation: DeliveryOptions['keyRotation'];
  timeLimitSeconds?: number;
  outputLimit?: number;
}

const TIME_LIMIT_SECONDS = 60 * 60;
const OUTPUT_LIMIT = 10 * 1024 * 1024;
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
    agentUpdates: options.agentUpdates,
    keyRotation: options.keyRotation,
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
      const { Command, Name: ruleName, WorkflowId: workflowId } = await workflowById(tx, accountId, WorkflowId ?? '');
      return { ...submission, artifactId: null, artifactVersion: null, workflowId, ruleName, command: () => Command };
    }
    const artifact = await artifactById(tx, accountId, ArtifactId);
    // This is the Command that users see. The address that an agent connected to is used only in commands for that
    // agent.
    const command = (jobId: string) => artifactCommand(artifact, { origin: publicUrl(), jobId });
    const ruleName = ruleNameOf(artifact.name, artifact.version);
    const { version: artifactVersion } = artifact;
    return { ...submission, artifactId: ArtifactId, artifactVersion, workflowId: null, ruleName, command };
  };

  type Submitted = { jobId: string; devices: Target[] };

  const submit = async (tx: Tx, scope: Scope, draft: JobDraft): Promise<Submitted> => {
    const submission = await submissionOf(tx, scope.accountId, draft);
    const devices = await targetsOf(tx, scope, draft);
    const [first] = devices;
    if (draft.DeviceId && first) return { jobId: await insertJob(tx, submission, first), devices };
    const { TagId: tag, DeviceGroup: group } = draft;
    const selectedBy = { ...(tag && { tag }), ...(group && { group }) };
    return { jobId: await insertParent(tx, submission, devices, selectedBy), devices };
  };

  const retry = async (tx: Tx, scope: Scope, draft: JobDraft): Promise<Submitted> => {
    const job = await retriedJob(tx, scope, draft);
    const devices = await targetsOf(tx, scope, draft);
    const { artifact_id: ArtifactId, workflow_id: WorkflowId } = job;
    // Throws if what it ran no longer exists.
    const submission = await submissionOf(tx, scope.accountId, {
      Name: draft.Name,
      ...(ArtifactId !== null ? { ArtifactId } : { WorkflowId: WorkflowId ?? '' }),
    });
    const { seq, id } = job.device_seq === null ? job : await adoptJob(tx, submission, job);
    await insertAttempts(tx, seq, submission, await retryTargets(tx, { seq, id: job.id }, devices));
    return { jobId: id, devices };
  };

  const submitIn = async (tx: Tx, caller: Submitter, draft: JobDraft): Promise<string> => {
    const { jobId, devices } = await (draft.RetryOf ? retry : submit)(tx, scopeOf(caller), draft);
    // A single job that is retried gets a parent, and the audit entry is about both.
    const jobs = new Set([draft.RetryOf ?? jobId, jobId]);
    await audit.record(tx, caller, draft.RetryOf ? 'job.retry' : 'job.submit', [...jobs].join(' '));
    tx.syncAgents(...devices.map(({ seq }) => seq));
    return jobId;
  };

  const failAll = (tx: Tx, rows: JobRow[], status: 'Cancelled' | 'Failed', reason: string) =>
    withParents(tx, async (parents) => {
      for (const row of rows) await failJob(tx, row, { status, reason, at: now() }, parents);
    });

  return {
    submitIn,

    submit: async (caller, draft, key) => {
      const submission = { accountId: caller.account.id, key, content: draft };
      const { id } = await db.write((tx) => runOnce(tx, submission, now(), () => submitIn(tx, caller, draft)));
      return { JobId: id };
    },

    ...openJobEnds({ db, audit, now }),

    deviceRemoved: async (tx, deviceSeq) => failAll(tx, await unfinishedOf(tx, deviceSeq), 'Cancelled', DEVICE_DELETED),

    artifactRemoved: async (tx, artifactId) =>
      failAll(tx, await waitingFor(tx, artifactId), 'Failed', ARTIFACT_DELETED),
  };
}
