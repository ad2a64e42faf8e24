// What is already on its way to the devices of a deploy, told before it is sent.
import type { Device } from '#/contract/devices.ts';
import type { QueuedJob, Queues } from '#/jobs/queue-reader.ts';

export interface Ahead {
  /** How many of the devices have something to do first. */
  devices: number;
  /** How many jobs that is in all. */
  jobs: number;
  /** Of each job, or of each group's or tag's job, how many of these devices have it to come; most first. */
  orders: { id: string; name: string; devices: number; sample: QueuedJob }[];
}

export function aheadOf(devices: readonly Device[], queues: Queues): Ahead {
  const orders = new Map<string, Ahead['orders'][number]>();
  let busy = 0;
  let jobs = 0;
  for (const { DeviceId } of devices) {
    const queue = queues.get(DeviceId);
    if (!queue) continue;
    busy++;
    jobs += queue.length;
    for (const job of queue) {
      const id = job.ParentJobId ?? job.JobId;
      const order = orders.get(id);
      if (order) order.devices++;
      else orders.set(id, { id, name: job.JobName || id, devices: 1, sample: job });
    }
  }
  return { devices: busy, jobs, orders: [...orders.values()].sort((one, two) => two.devices - one.devices) };
}
