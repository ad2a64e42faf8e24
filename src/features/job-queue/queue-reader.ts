// What waits or runs on each device, in the order in which it runs. A service that lists it is asked for just that; of
// any other, the list of jobs is read and the children of each parent that may still move.
import { isLive } from '#/api/live.ts';
import { query } from '#/api/query.ts';
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { isMissing, isNotOffered } from '#/api/api-error.ts';
import { call } from '#/api/call.ts';
import { requireOffer } from '#/api/capabilities.ts';
import { jobQueries } from '#/api/jobs.ts';
import { queryClient } from '#/api/query-client.ts';
import { onSession } from '#/api/session.ts';
import { eachOf } from '#/lib/pace.ts';
import { canStop, isMoving, isParent, jobState } from '#/contract/job-state.ts';

/** One job, or a group's or tag's part of one, as an entry of its device's queue. */
export interface QueuedJob {
  JobId: string;
  JobName: string;
  /** '' where the service does not report the device. */
  DeviceId: string;
  DeviceName: string;
  ParentJobId: string | undefined;
  ArtifactId: string | undefined;
  WorkflowId: string | undefined;
  /** When it was submitted, in milliseconds; undefined where the service does not report it. */
  created: number | undefined;
  state: 'Waiting' | 'Running';
  /** The service can stop it. */
  canStop: boolean;
}

/** By device; what runs first, then the oldest. A device without an open job is not in it. */
export type Queues = ReadonlyMap<string, readonly QueuedJob[]>;

export interface QueueSource {
  /** `before`: what the last call has returned. */
  queues: (signal: AbortSignal, before: Job[] | undefined) => Promise<Job[]>;
  list: (signal: AbortSignal) => Promise<Job[]>;
  children: (id: string, signal: AbortSignal) => Promise<Job[]>;
}

/** Milliseconds between two readings. */
const LIVE = 5_000;

const serviceSource: QueueSource = {
  queues: async (signal, before) => {
    await requireOffer('queue');
    if (!isLive()) return call(jobEndpoints.queues, {}, { signal });
    const { readJobList } = await import('#/api/changed-jobs.ts');
    return readJobList('queues', before, signal);
  },
  // The same page often shows it too.
  list: () => queryClient.query({ ...jobQueries.list(), staleTime: LIVE }),
  children: (id, signal) => call(jobEndpoints.children, { params: { job_id: id } }, { signal }),
};

const timeOf = (job: Job): number | undefined => parseTimestamp(job.CreatedTime ?? '')?.getTime();

/**
 * The job as an entry of a queue; undefined once it has ended. `parent`: what the service may leave out of its
 * children.
 */
function queuedJob(job: Job, parent?: Job): QueuedJob | undefined {
  const state = jobState(job);
  if (state !== 'Waiting' && state !== 'Running') return undefined;
  return {
    JobId: job.JobId,
    JobName: job.JobName || (parent?.JobName ?? ''),
    DeviceId: job.DeviceId,
    DeviceName: job.DeviceName ?? '',
    ParentJobId: job.ParentJobId ?? parent?.JobId,
    ArtifactId: job.ArtifactId ?? parent?.ArtifactId,
    WorkflowId: job.WorkflowId ?? parent?.WorkflowId,
    created: timeOf(job) ?? (parent && timeOf(parent)),
    state,
    canStop: canStop(job),
  };
}

/** `jobs` in the order of submission; `byTime`: as far as known, so that times decide where all of a device's jobs have one. */
function queuesOf(jobs: Iterable<QueuedJob>, { byTime }: { byTime: boolean }): Queues {
  const queues = Map.groupBy(jobs, ({ DeviceId }) => DeviceId);
  const first = ({ state }: QueuedJob) => (state === 'Running' ? 0 : 1);
  for (const queue of queues.values()) {
    const isTimed = byTime && queue.every(({ created }) => created !== undefined);
    queue.sort((one, two) => first(one) - first(two) || (isTimed ? (one.created ?? 0) - (two.created ?? 0) : 0));
  }
  return queues;
}

/** Lists are in the order of submission here; a service that gives the newest first is turned around. */
function oldestFirst(jobs: Job[]): Job[] {
  const times = jobs
    .map((job) => timeOf(job) ?? parseTimestamp(job.StartTime)?.getTime())
    .filter((time) => time !== undefined);
  return (times[0] ?? 0) > (times.at(-1) ?? 0) ? jobs.toReversed() : jobs;
}

/** Requests for children under way at a time. */
const AT_ONCE = 2;

/** Reads all queues, again and again; what cannot have changed since is not asked for again. */
export class QueueReader {
  private readonly source: QueueSource;
  private isListed = true;
  private listed: Job[] | undefined;
  /** Of each parent: its counts when its children were read, and those of them that had not ended. */
  private readonly known = new Map<string, { counts: string | undefined; open: QueuedJob[] }>();

  constructor(source: QueueSource = serviceSource) {
    this.source = source;
  }

  forget(): void {
    this.isListed = true;
    this.listed = undefined;
    this.known.clear();
  }

  async read(signal: AbortSignal): Promise<Queues> {
    if (this.isListed)
      try {
        const jobs = (this.listed = await this.source.queues(signal, this.listed));
        return queuesOf(
          jobs.flatMap((job) => queuedJob(job) ?? []),
          { byTime: false },
        );
      } catch (error) {
        if (!isNotOffered(error)) throw error;
        this.isListed = false;
      }
    return this.collect(oldestFirst(await this.source.list(signal)), signal);
  }

  private async collect(jobs: Job[], signal: AbortSignal): Promise<Queues> {
    const parents = jobs.filter((job) => isParent(job) && (job.Counts === undefined || isMoving(job)));
    const ids = new Set(parents.map(({ JobId }) => JobId));
    for (const id of this.known.keys()) if (!ids.has(id)) this.known.delete(id);
    const unknown = parents.filter((parent) => !this.isKnown(parent));
    await eachOf(unknown, AT_ONCE, (parent) => this.readChildren(parent, signal));
    return queuesOf(
      jobs.flatMap((job) => (isParent(job) ? (this.known.get(job.JobId)?.open ?? []) : (queuedJob(job) ?? []))),
      { byTime: true },
    );
  }

  /** Unchanged counts mean that no child moved. Without counts, only what has ended is known to stay as it is. */
  private isKnown({ JobId, Counts }: Job): boolean {
    const known = this.known.get(JobId);
    return known !== undefined && (Counts ? known.counts === JSON.stringify(Counts) : known.open.length === 0);
  }

  private async readChildren(parent: Job, signal: AbortSignal): Promise<void> {
    const children = await this.source.children(parent.JobId, signal).catch((error: unknown) => {
      // Deleted since the list was read.
      if (isMissing(error)) return [];
      throw error;
    });
    const open = children.flatMap((child) => queuedJob(child, parent) ?? []);
    this.known.set(parent.JobId, { counts: parent.Counts && JSON.stringify(parent.Counts), open });
  }
}

const reader = new QueueReader();
onSession(() => reader.forget());

/** Beyond so many jobs an answer costs enough to be asked for less often. */
const MANY_JOBS = 2_000;

const isSameEntry = (one: QueuedJob, two: QueuedJob | undefined) =>
  two !== undefined && (Object.keys(one) as (keyof QueuedJob)[]).every((key) => one[key] === two[key]);

/** What was read before, where nothing differs. */
function sharedQueues(before: Queues | undefined, next: Queues): Queues {
  if (before?.size !== next.size) return next;
  const isSame = Array.from(next).every(([device, queue]) => {
    const known = before.get(device);
    return known?.length === queue.length && queue.every((entry, nth) => isSameEntry(entry, known[nth]));
  });
  return isSame ? before : next;
}

const countOf = (queues: Queues) =>
  Array.from(queues.values(), ({ length }) => length).reduce((sum, length) => sum + length, 0);

/** Refreshed while somebody looks at it. */
export const queueQueries = {
  all: () =>
    query<typeof jobEndpoints.queues, Queues>(
      jobEndpoints.queues,
      {},
      {
        read: async ({ signal, before }) => sharedQueues(before, await reader.read(signal)),
        structuralSharing: false,
        poll: (queues) => (queues && countOf(queues) > MANY_JOBS ? 4 * LIVE : LIVE),
      },
    ),
};
