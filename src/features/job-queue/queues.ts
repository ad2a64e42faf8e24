// The waiting and running jobs of each device, in the order in which they run.
import { call } from '#/api/call.ts';
import { isLive } from '#/api/live.ts';
import { query } from '#/api/query.ts';
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import { canStop, jobState } from '#/contract/job-state.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';

/** A single job or a child job, as an entry in its device's queue. */
export interface QueuedJob {
  JobId: string;
  JobName: string;
  DeviceId: string;
  DeviceName: string;
  ParentJobId: string | undefined;
  ArtifactId: string | undefined;
  WorkflowId: string | undefined;
  /** When it was submitted, in milliseconds since the epoch; undefined if unreadable. */
  created: number | undefined;
  state: 'Waiting' | 'Running';
  canStop: boolean;
}

/** Queues by device; the running job first, then the oldest. Devices without unfinished jobs are missing. */
export type Queues = ReadonlyMap<string, readonly QueuedJob[]>;

/** The queue entry of a job; empty once it has ended. */
function queuedJob(job: Job): QueuedJob[] {
  const state = jobState(job);
  if (state !== 'Waiting' && state !== 'Running') return [];
  const { JobId, JobName, DeviceId, DeviceName = '', ParentJobId, ArtifactId, WorkflowId, CreatedTime = '' } = job;
  const created = parseTimestamp(CreatedTime)?.getTime();
  const ids = { JobId, DeviceId, ParentJobId, ArtifactId, WorkflowId };
  return [{ ...ids, JobName, DeviceName, created, state, canStop: canStop(job) }];
}

/** `jobs`: in the order of submission for each device. */
export function queuesOf(jobs: readonly Job[]): Queues {
  const queues = Map.groupBy(jobs.flatMap(queuedJob), ({ DeviceId }) => DeviceId);
  const position = ({ state }: QueuedJob) => (state === 'Running' ? 0 : 1);
  for (const queue of queues.values()) queue.sort((one, two) => position(one) - position(two));
  return queues;
}

/** `before`: the result of the last read, for which only changes are read if the service reports them. */
async function readQueuedJobs(before: Job[] | undefined, signal: AbortSignal): Promise<Job[]> {
  if (!isLive()) return call(jobEndpoints.queues, {}, { signal });
  const { readChangedQueues } = await import('#/api/changed-queues.ts');
  return readChangedQueues(before, signal);
}

/** Polling interval in milliseconds, and the number of jobs from which responses are large enough to poll less often. */
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
