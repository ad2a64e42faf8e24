// Jobs, as queries and mutations.
import type { JobDraft } from '#/contract/job-draft.ts';
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import { call } from '#/api/call.ts';
import type { ChildStates } from '#/api/child-states.ts';
import { isMoving, isParent, jobState } from '#/contract/job-state.ts';
import { outputPace, readOutput, type FollowedJob } from '#/api/job-output.ts';
import { query, requestMutation } from '#/api/query.ts';

/** Milliseconds between two readings of a list: while one of its jobs runs, while some only wait, and of ended ones. */
const RUNNING = 1_000;
const WAITING = 5_000;
const RESTING = 15_000;
const OF_DEVICE = 5_000;
/** Larger answers are requested less often. */
const MANY_ROWS = 500;

const isRunning = (job: Job) => jobState(job) === 'Running';

function childPace(rows: readonly Job[] = []): number | false {
  if (!rows.some(isMoving)) return false;
  return rows.length > MANY_ROWS || !rows.some(isRunning) ? WAITING : RUNNING;
}

/** Output is not reported: that of a job which runs is asked for, live or not. */
const isFollowed = ({ job, complete }: FollowedJob) => !complete || (!isParent(job) && isRunning(job));

export const jobQueries = {
  list: () =>
    query<typeof jobEndpoints.list, Job[]>(
      jobEndpoints.list,
      {},
      { poll: (jobs) => 2 * (childPace(jobs) || RESTING / 2) },
    ),
  /** One job with its output; while that is still being read, `complete` is false. */
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
  /** Children for the page that watches them; output is read by `ChildOutputs`. */
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
  /** A device's own queue. */
  ofDevice: (id: string) => query(jobEndpoints.ofDevice, { params: { device_id: id } }, { poll: OF_DEVICE }),
  /** All jobs of an artifact, by device and without output. */
  runs: (artifact: string) =>
    query(jobEndpoints.runs, { params: { artifact_id: artifact } }, { poll: false, retry: false }),
};

/** Submits a job; the same key means the same submission, so that a service that knows the header acts once. */
export const submitJob = (body: JobDraft, key: string): Promise<{ JobId: string }> =>
  call(jobEndpoints.submit, { body }, { headers: { 'idempotency-key': key } });

/** All jobs as they are now, where a service does not filter them. */
export const readJobs = (signal?: AbortSignal): Promise<Job[]> => call(jobEndpoints.list, {}, { signal });

export const jobMutations = {
  remove: (id: string) => requestMutation(jobEndpoints.remove, { params: { job_id: id } }),
  stop: (id: string) => requestMutation(jobEndpoints.stop, { params: { job_id: id } }),
};
