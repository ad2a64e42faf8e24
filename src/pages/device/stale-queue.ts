// What of a device's waiting jobs is stale, by the same rules as in the queues of all devices.
import type { Job } from '#/contract/jobs.ts';
import { canStop } from '#/api/job-state.ts';
import type { WaitingJob } from '#/features/job-queue/remove-waiting-dialog.tsx';
import { timesOf } from '#/features/jobs/job-times.ts';
import { staleIn, staleTexts } from '#/features/job-queue/stale.ts';
import type { StaleReason, StaleRules } from '#/features/job-queue/stale.ts';

/** `waiting`: in the order in which they will run. */
export function staleJobs(waiting: readonly Job[], rules: StaleRules): Map<Job, StaleReason[]> {
  const queue = waiting.map((job) => ({
    job,
    state: 'Waiting',
    ArtifactId: job.ArtifactId,
    created: timesOf(job).created?.getTime(),
  }));
  return new Map(Array.from(staleIn(queue, rules), ([{ job }, reasons]) => [job, reasons]));
}

export const toRemove = (stale: ReadonlyMap<Job, StaleReason[]>, DeviceName: string): WaitingJob[] =>
  Array.from(stale, ([job, reasons]) => ({
    JobId: job.JobId,
    JobName: job.JobName,
    ParentJobId: job.ParentJobId,
    canStop: canStop(job),
    DeviceId: job.DeviceId,
    DeviceName,
    created: timesOf(job).created?.getTime(),
    why: staleTexts(reasons),
  }));
