// What waits or runs on each device, in the order in which it runs.
import { call } from '#/api/call.ts';
import { isLive } from '#/api/live.ts';
import { query } from '#/api/query.ts';
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import { canStop, jobState } from '#/contract/job-state.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';

/** One job, or a group's or tag's part of one, as an entry of its device's queue. */
export interface QueuedJob {
  JobId: string;
  JobName: string;
  DeviceId: string;
  DeviceName: string;
  ParentJobId: string | undefined;
  ArtifactId: string | undefined;
  WorkflowId: string | undefined;
  /** When it was submitted, in milliseconds; undefined where that cannot be read. */
  created: number | undefined;
  state: 'Waiting' | 'Running';
  canStop: boolean;
}

/** By device; what runs first, then the oldest. A device without an open job is not in it. */
export type Queues = ReadonlyMap<string, readonly QueuedJob[]>;

/** A job as an entry of a queue; none once it has ended. */
function queuedJob(job: Job): QueuedJob[] {
  const state = jobState(job);
  if (state !== 'Waiting' && state !== 'Running') return [];
  const { JobId, JobName, DeviceId, DeviceName = '', ParentJobId, ArtifactId, WorkflowId, CreatedTime = '' } = job;
  const created = parseTimestamp(CreatedTime)?.getTime();
  const ids = { JobId, DeviceId, ParentJobId, ArtifactId, WorkflowId };
  return [{ ...ids, JobName, DeviceName, created, state, canStop: canStop(job) }];
}

/** `jobs`: each device's in the order in which they were submitted. */
export function queuesOf(jobs: readonly Job[]): Queues {
  const queues = Map.groupBy(jobs.flatMap(queuedJob), ({ DeviceId }) => DeviceId);
  const position = ({ state }: QueuedJob) => (state === 'Running' ? 0 : 1);
  for (const queue of queues.values()) queue.sort((one, two) => position(one) - position(two));
  return queues;
}

/** `before`: what the last reading returned, of which only the changes are read where the service reports them. */
async function readQueuedJobs(before: Job[] | undefined, signal: AbortSignal): Promise<Job[]> {
  if (!isLive()) return call(jobEndpoints.queues, {}, { signal });
  const { readChangedQueues } = await import('#/api/changed-queues.ts');
  return readChangedQueues(before, signal);
}

/** Milliseconds between two readings, and beyond how many jobs an answer costs enough for longer pauses. */
const OFTEN = 5_000;
const MANY_JOBS = 2_000;

export const queueQueries = {
  all: () => ({
    ...query<typeof jobEndpoints.queues, Job[]>(
      jobEndpoints.queues,
      {},
      {
        read: ({ signal, before }) => readQueuedJobs(before, signal),
        structuralSharing: false, // unchanged rows are already the same objects
        poll: (jobs) => (jobs && jobs.length > MANY_JOBS ? 4 * OFTEN : OFTEN),
      },
    ),
    select: queuesOf,
  }),
};
