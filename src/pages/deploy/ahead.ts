// The unfinished jobs of the devices of a deploy, shown before it is sent.
import type { Device } from '#/contract/devices.ts';
import type { Job } from '#/contract/jobs.ts';
import { isMoving } from '#/contract/job-state.ts';
import type { Queues } from '#/features/job-queue/queues.ts';
import type { DeployChoice } from './deploy-choice.ts';

export type Ahead = ReturnType<typeof aheadOf>;

interface Plan {
  devices: readonly Device[];
  target: DeployChoice['target'];
  /** Artifacts of the same name and version, or the one workflow. */
  payloads: ReadonlySet<string>;
}

export function aheadOf({ devices, target, payloads }: Plan, queues: Queues, jobs: readonly Job[] = []) {
  const queued = devices.flatMap(({ DeviceId }) => queues.get(DeviceId) ?? []);
  // A job to a group or tag counts once, however many of these devices it is waiting for.
  const byJob = Map.groupBy(queued, ({ ParentJobId, JobId }) => ParentJobId ?? JobId);
  const queuedJobs = Array.from(byJob, ([id, [first, ...others]]) => ({
    id,
    name: first?.JobName || id,
    devices: 1 + others.length,
    payload: first?.ArtifactId ?? first?.WorkflowId,
  })).sort((one, two) => two.devices - one.devices);
  const duplicates = queuedJobs.filter(({ payload }) => payload !== undefined && payloads.has(payload));
  const isAimedAlike = ({ DeviceGroup, TagId }: Job) =>
    target.value !== '' &&
    ((target.kind === 'group' && DeviceGroup === target.value) || (target.kind === 'tag' && TagId === target.value));
  const overlapping = jobs
    .filter((job) => isAimedAlike(job) && isMoving(job) && !duplicates.some(({ id }) => id === job.JobId))
    .map(({ JobId, JobName }) => ({ id: JobId, name: JobName || JobId }));
  return {
    devices: devices.filter(({ DeviceId }) => queues.has(DeviceId)).length,
    jobs: queued.length,
    /** Each job ahead on these devices, those with the most devices first. */
    queuedJobs,
    /** The jobs ahead that run the same payload. */
    duplicates,
    /** Other unfinished jobs with the same group or tag as target. */
    overlapping,
  };
}
