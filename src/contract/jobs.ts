// v1.md, "Jobs (deployments)": a submission to one device, or to all devices of a group or tag.
import * as z from 'zod/mini';
import { list, number, optionalNumber, optionalText, pageFields, pathId, row, text } from '#/contract/endpoint.ts';
import { arrivedPiece, childIds, childOutput, offset, outputPiece } from '#/contract/job-outputs.ts';
import { jobDraft, SUBMIT_BODY_BYTES } from '#/contract/job-draft.ts';
import { connectForWorkflow, resource } from '#/contract/resource.ts';

/** The statuses of our service; the document names none. Every one after Running is final. */
export const JOB_STATUSES = ['Waiting', 'Running', 'Succeeded', 'Failed', 'Cancelled', 'Interrupted'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** Other services' names for our fields. */
const SPELLINGS = { StdOut: 'Stdout', Output: 'Stdout', StdErr: 'Stderr', Name: 'JobName' };

/**
 * A job, a parent or a child. The document names the fields up to Result; the rest are additions, in the spelling of
 * other services. Unknown fields are kept for display.
 */
const jobRow = row(
  z.looseObject({
    JobId: text,
    JobName: text,
    DeviceId: text,
    Command: text,
    StartTime: text,
    EndTime: text,
    Result: text,
    Status: optionalText,
    ExitCode: optionalNumber,
    Stdout: optionalText,
    Stderr: optionalText,
    CreatedTime: optionalText,
    DeviceName: optionalText,
    ParentJobId: optionalText,
    /** From 2 on: the number of this attempt of its parent on this device. The last attempt counts for the parent. */
    Attempt: optionalNumber,
    /**
     * When a stop was requested; until then '' on an unfinished job. The job continues until its Status changes: an Offline
     * device stops it when it reconnects. Missing if the service cannot stop jobs.
     */
    StopTime: optionalText,
    /** Set on a parent: its target. */
    DeviceGroup: optionalText,
    TagId: optionalText,
    ArtifactId: optionalText,
    WorkflowId: optionalText,
    /** When and why its output was removed. */
    OutputRemovedTime: optionalText,
    OutputRemovedBecause: optionalText,
    /** When the job, or a child's parent, was archived. An archived job appears only in the archive's list. */
    ArchivedTime: optionalText,
    /** Name of its outcome rules: the artifact's name for all versions, the workflow's, or the job's own. */
    RuleName: optionalText,
    /** Result of the outcome rules: a Status, `RolledBack` or `NoAnswer`; the reason, and the deciding line, from 1. */
    Verdict: optionalText,
    VerdictBecause: optionalText,
    VerdictStream: optionalText,
    VerdictLine: optionalNumber,
    /** Set on a parent with verdicts: like Counts, by verdict. */
    VerdictCounts: z.catch(z.optional(z.record(z.string(), z.number())), undefined),
    /** Set on a parent: how many devices have each status, by their last attempt. Statuses without one are omitted. */
    Counts: z.catch(z.optional(z.record(z.string(), z.number())), undefined),
    /** Number of attempts of a parent or single job. Missing if the service does not support `RetryOf`. */
    Attempts: optionalNumber,
    /** Set in lists on the job of a rollout: which rollout, which wave it is, from 1, and of how many. */
    RolloutId: optionalText,
    Wave: optionalNumber,
    WaveCount: optionalNumber,
    /** Set on an unfinished parent: how many of its waiting children are for devices that are Offline. */
    WaitingOffline: optionalNumber,
  }),
  { spellings: SPELLINGS },
);

const TEXTS = ['JobId', 'JobName', 'DeviceId', 'Command', 'StartTime', 'EndTime', 'Result'] as const;
const OPTIONAL_TEXTS = [
  'Status',
  'Stdout',
  'Stderr',
  'CreatedTime',
  'DeviceName',
  'ParentJobId',
  'StopTime',
  'DeviceGroup',
  'TagId',
  'ArtifactId',
  'WorkflowId',
  'OutputRemovedTime',
  'OutputRemovedBecause',
  'ArchivedTime',
  'RolloutId',
  'RuleName',
  'Verdict',
  'VerdictBecause',
  'VerdictStream',
] as const;
const OPTIONAL_NUMBERS = [
  'ExitCode',
  'Attempt',
  'Attempts',
  'Wave',
  'WaveCount',
  'WaitingOffline',
  'VerdictLine',
] as const;

const COUNTS = ['Counts', 'VerdictCounts'] as const;
/** All documented fields of a job. */
export const JOB_FIELDS: readonly string[] = [...TEXTS, ...OPTIONAL_TEXTS, ...OPTIONAL_NUMBERS, ...COUNTS];

/** Fields that rows of a list of changes omit. */
const OMITTED = ['Command', 'Result'] as const;

const isText = (value: unknown) => typeof value === 'string';
const isNumber = (value: unknown) => typeof value === 'number' && Number.isFinite(value);
const isNone = (value: unknown) => value === undefined;
const isCounts = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isNumber);

/** Whether a job has exactly our format and needs no lenient parsing, which would block the page for ten thousand jobs. */
function isExact(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const fields = value as Record<string, unknown>;
  return (
    TEXTS.every((name) => isText(fields[name])) &&
    OPTIONAL_TEXTS.every((name) => isNone(fields[name]) || isText(fields[name])) &&
    OPTIONAL_NUMBERS.every((name) => isNone(fields[name]) || isNumber(fields[name])) &&
    COUNTS.every((name) => isNone(fields[name]) || isCounts(fields[name])) &&
    !Object.keys(SPELLINGS).some((name) => name in fields)
  );
}

/** A job; a child that is not an object becomes a bare result, so that it cannot invalidate the others. */
export const job = z.pipe(
  z.transform((value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? value : { Result: value },
  ),
  jobRow,
);
export type Job = z.output<typeof job>;

// Placed before zod's parsing and not as another schema, because the API's description is generated from the schema.
const readLeniently = job._zod.run.bind(job._zod);
job._zod.run = (payload, context) => {
  const value: unknown = payload.value;
  if (typeof value === 'object' && value !== null)
    for (const name of OMITTED) if (!(name in value)) (value as Record<string, unknown>)[name] = '';
  return isExact(value) ? payload : readLeniently(payload, context);
};

const oneJob = z.object({ job_id: pathId });

/** A job that was requested by id. An answer without an id is something else, for example a proxy's page. */
const foundJob = z.pipe(
  z.transform((value: unknown, context): unknown => {
    if (typeof value === 'object' && value !== null && 'JobId' in value && value.JobId) return value;
    context.issues.push({ code: 'custom', message: 'is no job', input: value });
    return z.NEVER;
  }),
  job,
);

/** The lists of our additions: bare arrays of jobs. Any other format means that the service lacks the addition. */
const foundJobs = z.array(foundJob);

/** Most devices in one request: the rows that a screen shows. */
export const MOST_LATEST = 100;

const latestWork = z.object({
  DeviceId: z.string(),
  /** What was deployed there last with success; '' for nothing. */
  ArtifactName: text,
  Version: text,
  /** Its last job that is not archived, whatever became of it. */
  Job: z.optional(foundJob),
});
export type LatestWork = z.output<typeof latestWork>;

/** Values of the status condition: a status, or a verdict of the outcome rules. */
const LISTED_STATUSES: readonly string[] = [...JOB_STATUSES, 'RolledBack', 'NoAnswer'];
const statuses = z
  .string()
  .check(
    z.refine(
      (value) => value.split(',').every((status) => LISTED_STATUSES.includes(status)),
      `must be some of ${LISTED_STATUSES.join(', ')}, with commas`,
    ),
  );
/** A target of jobs. */
const TARGET = /^(device|group|tag):[^]{1,255}$/;

/** Identifies a moment of the account's data, as the Version of a response. */
const since = z.optional(z.string().check(z.maxLength(200)));

export const jobEndpoints = resource('jobs', { live: 'ids', id: 'job_id', poll: 15_000 }).operations({
  submit: {
    method: 'POST',
    path: '/v1/job',
    permission: connectForWorkflow,
    summary: 'Submit a job to a device, a group, a tag or a list of devices',
    once: true,
    bodyLimit: SUBMIT_BODY_BYTES,
    body: jobDraft,
    response: z.looseObject({ JobId: z.string().check(z.minLength(1)) }),
  },
  get: {
    method: 'GET',
    path: '/v1/job/:job_id',
    permission: 'read',
    summary: 'Get one job; of a parent, its overall summary',
    params: oneJob,
    response: foundJob,
  },
  /** Only new output, for clients that follow a log. */
  output: {
    method: 'GET',
    path: '/v1/job/:job_id/output',
    permission: 'read',
    addition: true,
    summary:
      'Get a job without its output, and of Stdout and Stderr what comes after the given offsets, in the order of its arrival',
    params: oneJob,
    query: z.object({ stdout: offset, stderr: offset }),
    response: z.object({
      /** As in `get`, but without Stdout and Stderr; Result contains only what these do not. */
      Job: foundJob,
      Stdout: outputPiece,
      Stderr: outputPiece,
      /**
       * The order of arrival of both texts. A client that starts at the beginning and continues at the end of each
       * response gets all output in order. Missing if the order is unknown: for earlier jobs, other services, and other
       * offsets.
       */
      Pieces: z.catch(z.optional(z.array(arrivedPiece)), undefined),
      /** More output is available now: a piece has at most 1 MiB. */
      More: z.boolean(),
    }),
  },
  /**
   * Without `since` the documented array; its rows have no Command, which would repeat the parent's. `since` is an
   * addition: if empty, the response has the current Version and all rows; for a Version, the rows that changed since
   * then; if that is too old, `Reset: true` and all rows. These rows have no Command, Stdout, Stderr or Result.
   */
  children: {
    method: 'GET',
    path: '/v1/job/:job_id/childjobs',
    permission: 'read',
    summary: 'List the child jobs of a parent, with the output of each device; or those that changed since a version',
    params: oneJob,
    query: z.object({ since }),
    response: list(job),
  },
  outputs: {
    method: 'GET',
    path: '/v1/job/:job_id/outputs',
    permission: 'read',
    addition: true,
    summary: 'Get the output of some child jobs of a parent: of each stream at most the last 64 kB',
    params: oneJob,
    query: z.object({ ids: childIds }),
    response: z.array(childOutput),
  },
  /**
   * Without `since` the documented array. `since` is an addition, answered with `{ Version, Reset, Jobs, Removed }`: if
   * empty, the current Version and all rows; for a Version, the rows that changed since then and the ids of those no
   * longer listed; if that is too old, `Reset: true` and all rows. All are without Command.
   */
  list: {
    method: 'GET',
    path: '/v1/job',
    permission: 'read',
    summary: 'List jobs to single devices and parent jobs, in summary; or those that changed since a version',
    query: z.object({ since }),
    response: list(job),
  },
  /**
   * The list by cursor; all conditions must match. A page may have fewer jobs than `limit` although there is a `Next`, if
   * few of many jobs match. With `since`, the Version of an earlier response, it has the jobs that changed since then,
   * regardless of the other conditions, and the ids of those that left the list; or only `Reset: true`, if too much has
   * changed.
   */
  page: {
    method: 'GET',
    path: '/v1/jobs',
    permission: 'read',
    addition: true,
    summary: 'List jobs to single devices and parent jobs that meet every given condition, newest first, page by page',
    query: z.object({
      /** Separated by commas: Succeeded on all devices, or any other value on at least one device. */
      status: z.optional(statuses),
      /** A part of the name, ignoring letter case, or the id. */
      name: z.optional(z.string().check(z.maxLength(255))),
      target: z.optional(z.string().check(z.regex(TARGET, 'must be device:<DeviceId>, group:<name> or tag:<TagId>'))),
      /** ArtifactIds separated by commas, of the versions of one artifact for example. */
      artifact: z.optional(z.string().check(z.regex(/^([^,]{1,100}(,[^,]{1,100}){0,49})?$/, 'must be at most 50 ids'))),
      /** Jobs that have not ended before this time. */
      active: z.optional(z.string().check(z.refine((value) => !Number.isNaN(Date.parse(value)), 'must be a time'))),
      archived: z.optional(z.enum(['yes', 'no'], 'must be yes or no')),
      since,
      ...pageFields,
    }),
    response: z.object({
      Items: foundJobs,
      Next: text,
      /** The moment of this response, for `since`. */
      Version: text,
      /** On the first page: the number of jobs regardless of conditions. */
      Total: z.optional(z.number()),
      Reset: z.optional(z.boolean()),
      Removed: z.optional(z.array(z.string())),
    }),
  },
  /** Not below /v1/job, where another service could take it for the id of a job. `since` as in `list`. */
  queues: {
    method: 'GET',
    path: '/v1/jobs/queues',
    permission: 'read',
    addition: true,
    summary:
      'List what waits or runs on all devices, children included, each device’s jobs in the order they run; or what changed in it since a version',
    query: z.object({ since }),
    response: foundJobs,
  },
  /** Not below /v1/devices, where other services read any two segments as page number and size. */
  ofDevice: {
    method: 'GET',
    path: '/v1/device/:device_id/queue',
    permission: 'read',
    summary: "List one device's jobs, children of group and tag jobs included, oldest first",
    addition: true,
    params: z.object({ device_id: pathId }),
    response: foundJobs,
  },
  /** Devices that do not exist, or are outside the groups of the role, are left out. */
  latest: {
    method: 'GET',
    path: '/v1/jobs/latest',
    permission: 'read',
    addition: true,
    summary: 'List the last job of each of these devices, and the version that was deployed last',
    query: z.object({
      /** DeviceIds separated by commas. */
      devices: z.string().check(
        z.minLength(1, 'must not be empty'),
        z.refine((ids) => ids.split(',').length <= MOST_LATEST, `must be at most ${MOST_LATEST} ids`),
      ),
    }),
    response: z.object({ Items: z.array(latestWork) }),
  },
  runs: {
    method: 'GET',
    path: '/v1/jobs/runs/:artifact_id',
    permission: 'read',
    addition: true,
    summary: 'List the jobs that an artifact was submitted with, one for each device, oldest first, without output',
    params: z.object({ artifact_id: pathId }),
    response: foundJobs,
  },
  /**
   * The response counts the children or jobs that were waiting and are now Cancelled, and the running ones that are being
   * stopped. Ended jobs do not change, so a resend is harmless. `If-Match` as for `remove`.
   */
  stop: {
    method: 'POST',
    path: '/v1/job/:job_id/stop',
    permission: 'operate',
    addition: true,
    summary:
      'Stop a job, of a parent all children: what runs is stopped, what waits is cancelled, record and output stay',
    params: oneJob,
    response: z.object({ Cancelled: number, Stopping: number }),
  },
  /** Our service accepts `If-Match` with the ETag of the job as read: 412 if the job has started meanwhile. */
  remove: {
    method: 'DELETE',
    path: '/v1/job/:job_id',
    permission: 'operate',
    summary: 'Delete a job: a waiting one is cancelled, a running one stopped first, a parent takes its children along',
    params: oneJob,
  },
});
