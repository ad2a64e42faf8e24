// What is already on its way to the devices of a deploy, shown before it is sent.
import type { Device } from '#/contract/devices.ts';
import type { Job } from '#/contract/jobs.ts';
import { isMoving } from '#/api/job-state.ts';
import type { Queues } from '#/features/job-queue/queue-reader.ts';
import type { DeployChoice } from './deploy-choice.ts';

export interface AheadOrder {
  id: string;
  name: string;
  /** How many of these devices have it to come. */
  devices: number;
}

export interface Ahead {
  /** How many of the devices have something to do first. */
  devices: number;
  /** How many jobs that is in all. */
  jobs: number;
  /** Each job, or group's or tag's job, that these devices have to come; most first. */
  orders: AheadOrder[];
  /** Those of them that run the very payload that is to be deployed. */
  twice: AheadOrder[];
  /** Others that were aimed at the same group or tag and have not ended. */
  beside: AheadOrder[];
}

interface Plan {
  devices: readonly Device[];
  target: DeployChoice['target'];
  /** Artifacts of the same name and version, or the one workflow. */
  payloads: ReadonlySet<string>;
}

export function aheadOf({ devices, target, payloads }: Plan, queues: Queues, jobs: readonly Job[] = []): Ahead {
  const orders = new Map<string, AheadOrder & { payload: string | undefined }>();
  let busy = 0;
  let count = 0;
  for (const { DeviceId } of devices) {
    const queue = queues.get(DeviceId);
    if (!queue) continue;
    busy++;
    count += queue.length;
    for (const { ParentJobId, JobId, JobName, ArtifactId, WorkflowId } of queue) {
      const id = ParentJobId ?? JobId;
      const order = orders.get(id);
      if (order) order.devices++;
      else orders.set(id, { id, name: JobName || id, devices: 1, payload: ArtifactId ?? WorkflowId });
    }
  }
  const all = [...orders.values()].sort((one, two) => two.devices - one.devices);
  const twice = all.filter(({ payload }) => payload !== undefined && payloads.has(payload));
  const isAimedAlike = ({ DeviceGroup, TagId }: Job) =>
    target.value !== '' &&
    ((target.kind === 'group' && DeviceGroup === target.value) || (target.kind === 'tag' && TagId === target.value));
  const beside = jobs
    .filter((job) => isAimedAlike(job) && isMoving(job) && !twice.some(({ id }) => id === job.JobId))
    .map(({ JobId, JobName }) => ({ id: JobId, name: JobName || JobId, devices: orders.get(JobId)?.devices ?? 0 }));
  return { devices: busy, jobs: count, orders: all, twice, beside };
}
