// Jobs, as queries and mutations.
import type { JobDraft } from '#/contract/job-draft.ts';
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import { call } from '#/api/call.ts';
import type { ChildStates } from '#/api/child-states.ts';
import { isMoving, isParent, jobState } from '#/contract/job-state.ts';
import { outputPace, readOutput, type FollowedJob } from '#/api/job-output.ts';
import { query, requestMutation } from '#/api/query.ts';

/** Polling intervals of a list in milliseconds: while a job runs, while jobs only wait, and when all have ended. */
const RUNNING = 1_000;
const WAITING = 5_000;
const RESTING = 15_000;
const OF_DEVICE = 5_000;
/** The rows of a table are not read again for each job of a busy fleet. */
const LATEST_SPACING = 2_000;
/** Longer lists are polled less often. */
const MANY_ROWS = 500;

const isRunning = (job: Job) => jobState(job) === 'Running';

function childPace(rows: readonly Job[] = []): number | false {
  if (!rows.some(isMoving)) return false;
  return rows.length > MANY_ROWS || !rows.some(isRunning) ? WAITING : RUNNING;
}

/** Output is not part of the reported changes: it is polled while the job runs, live or not. */
const isFollowed = ({ job, complete }: FollowedJob) => !complete || (!isParent(job) && isRunning(job));

export const jobQueries = {
  list: () =>
    query<typeof jobEndpoints.list, Job[]>(
      jobEndpoints.list,
      {},
      { poll: (jobs) => 2 * (childPace(jobs) || RESTING / 2) },
    ),
  /** One job with its output; `complete` is false while output is still being read. */
  one: (id: string) =>
    query<typeof jobEndpoints.get, FollowedJob>(
      jobEndpoints.get,
      { params: { job_id: id } },
      {
        read: ({ signal, before }) => readOutput(id, before, signal),
        structuralSharing: false, // unchanged parts are already the same objects
        poll: (data) => (data ? outputPace(data, isMoving(data.job)) : false),
        pollLive: (data) => (data && isFollowed(data) ? 1 : false),
        reportedAs: ({ job }) => job.ParentJobId,
      },
    ),
  children: (id: string) =>
    query<typeof jobEndpoints.children, Job[]>(
      jobEndpoints.children,
      { params: { job_id: id } },
      {
        read: async ({ signal, before }) => (await import('#/api/children.ts')).readChildren(id, before, signal),
        structuralSharing: false, // already done in short tasks
        poll: childPace,
      },
    ),
  /** Children without output, which `ChildOutputs` reads. */
  childStates: (id: string) =>
    query<typeof jobEndpoints.children, ChildStates>(
      jobEndpoints.children,
      { params: { job_id: id } },
      {
        part: 'states',
        read: async ({ signal, before }) => (await import('#/api/child-states.ts')).readChildStates(id, before, signal),
        structuralSharing: false, // already done in short tasks
        poll: (data) => childPace(data?.rows),
      },
    ),
  /** The queue of one device. */
  ofDevice: (id: string) => query(jobEndpoints.ofDevice, { params: { device_id: id } }, { poll: OF_DEVICE }),
  /** The last jobs of the devices in view, and the versions that run on them. `ids`: separated by commas. */
  latest: (ids: string) =>
    query(jobEndpoints.latest, { query: { devices: ids } }, { poll: RESTING, spacing: LATEST_SPACING }),
  /** All jobs of an artifact, per device and without output. */
  runs: (artifact: string) =>
    query(jobEndpoints.runs, { params: { artifact_id: artifact } }, { poll: false, retry: false }),
};

/** Submits a job. A resend with the same key is the same submission, which a service that knows the header runs once. */
export const submitJob = (body: JobDraft, key: string): Promise<{ JobId: string }> =>
  call(jobEndpoints.submit, { body }, { headers: { 'idempotency-key': key } });

/** All current jobs, for a service that cannot filter them. */
export const readJobs = (signal?: AbortSignal): Promise<Job[]> => call(jobEndpoints.list, {}, { signal });

export const jobMutations = {
  remove: (id: string) => requestMutation(jobEndpoints.remove, { params: { job_id: id } }),
  stop: (id: string) => requestMutation(jobEndpoints.stop, { params: { job_id: id } }),
};
