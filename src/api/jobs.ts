// Jobs, as queries and mutations.
import { queryOptions } from '@tanstack/react-query';
import type { JobDraft } from '#/contract/job-draft.ts';
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import { call } from '#/api/call.ts';
import type { ChildStates } from '#/api/child-states.ts';
import { isMoving, isParent, jobState } from '#/contract/job-state.ts';
import { outputPace, readOutput, type FollowedJob } from '#/api/job-output.ts';
import { livePace, type QueryReading } from '#/api/live.ts';
import { requestMutation } from '#/api/request-of.ts';

/** Polling interval of a visible page while a job changes, in milliseconds. */
const MOVING = 1_000;
const RESTING = 15_000;
const OF_DEVICE = 5_000;
/** Larger answers are requested less often. */
const MANY_ROWS = 500;

const pace = (rows: number) => (rows > MANY_ROWS ? 5 * MOVING : MOVING);

/** Output is not reported: that of a job which runs is asked for, live or not. */
const isFollowed = ({ job, complete }: FollowedJob) => !complete || (!isParent(job) && jobState(job) === 'Running');
const ofOutput = ({ state: { data } }: QueryReading<FollowedJob>) => data && outputPace(data, isMoving(data.job));
const ofState = livePace(ofOutput);

export const jobQueries = {
  list: () =>
    queryOptions({
      queryKey: ['jobs', 'list'],
      queryFn: ({ signal }) => call(jobEndpoints.list, {}, { signal }),
      refetchInterval: livePace(({ state: { data } }: QueryReading<Job[]>) =>
        data?.some(isMoving) ? 2 * pace(data.length) : RESTING,
      ),
    }),
  /** One job with its output; while that is still being read, `complete` is false. */
  one: (id: string) =>
    queryOptions({
      queryKey: ['jobs', 'one', id],
      queryFn: ({ signal, client, queryKey }) => readOutput(id, client.getQueryData<FollowedJob>(queryKey), signal),
      structuralSharing: false, // unchanged parts are already the same objects
      refetchInterval: (query) => (query.state.data && isFollowed(query.state.data) ? ofOutput : ofState)(query),
    }),
  children: (id: string) =>
    queryOptions({
      queryKey: ['jobs', 'children', id],
      queryFn: async ({ signal, client, queryKey }) => {
        const { readChildren } = await import('#/api/children.ts');
        return readChildren(id, client.getQueryData<Job[]>(queryKey), signal);
      },
      structuralSharing: false, // already done in short tasks
      refetchInterval: livePace(({ state: { data } }: QueryReading<Job[]>) =>
        data?.some(isMoving) ? pace(data.length) : false,
      ),
    }),
  /** Children for the page that watches them; output is read by `ChildOutputs`. */
  childStates: (id: string) =>
    queryOptions({
      queryKey: ['jobs', 'children', id, 'states'],
      queryFn: async ({ signal, client, queryKey }) => {
        const { readChildStates } = await import('#/api/child-states.ts');
        return readChildStates(id, client.getQueryData<ChildStates>(queryKey), signal);
      },
      structuralSharing: false, // already done in short tasks
      refetchInterval: livePace(({ state: { data } }: QueryReading<ChildStates>) =>
        data?.rows.some(isMoving) ? pace(data.rows.length) : false,
      ),
    }),
  /** A device's own queue. */
  ofDevice: (id: string) =>
    queryOptions({
      queryKey: ['devices', 'jobs', id],
      queryFn: ({ signal }) => call(jobEndpoints.ofDevice, { params: { device_id: id } }, { signal }),
      refetchInterval: livePace(OF_DEVICE),
    }),
  /** All jobs of an artifact, by device and without output. */
  runs: (artifact: string) =>
    queryOptions({
      queryKey: ['jobs', 'runs', artifact],
      queryFn: ({ signal }) => call(jobEndpoints.runs, { params: { artifact_id: artifact } }, { signal }),
      retry: false,
    }),
};

/** Submits a job; the same key means the same submission, so that a service that knows the header acts once. */
export const submitJob = (body: JobDraft, key: string): Promise<{ JobId: string }> =>
  call(jobEndpoints.submit, { body }, { headers: { 'idempotency-key': key } });

/** All jobs as they are now, where a service does not filter them. */
export const readJobs = (signal?: AbortSignal): Promise<Job[]> => call(jobEndpoints.list, {}, { signal });

/** What a write to jobs makes stale. */
export const JOBS_CHANGED = [['jobs'], ['devices', 'jobs']] as const;

const changed = { invalidates: JOBS_CHANGED };

export const jobMutations = {
  remove: (id: string) =>
    requestMutation(
      jobEndpoints.remove,
      { params: { job_id: id } },
      { ...changed, deletes: [jobQueries.one(id).queryKey, jobQueries.children(id).queryKey] },
    ),
  stop: (id: string) => requestMutation(jobEndpoints.stop, { params: { job_id: id } }, changed),
};
