// v1.md, "Jobs (deployments)": one order to a device, or to all devices of a group or tag.
import * as z from 'zod/mini';
import { list, nameText, number, optionalNumber, optionalText, pathId, row, text } from '#/contract/endpoint.ts';
import type { Group } from '#/contract/endpoint.ts';

/** The states of our service; the document names none. Every state after Running is final. */
export const JOB_STATUSES = ['Waiting', 'Running', 'Succeeded', 'Failed', 'Cancelled', 'Interrupted'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** Other services' names for fields of ours. */
const SPELLINGS = { StdOut: 'Stdout', Output: 'Stdout', StdErr: 'Stderr', Name: 'JobName' };

/**
 * A job, a parent or a child. The document names the fields up to Result; the rest are additions of ours, under the
 * spellings that other services use too. Unknown fields are kept, to be shown as they came.
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
    /**
     * When it was asked to stop; until then '' on a job that has not ended. It goes on until its Status says otherwise: a
     * device that is Offline stops it when it is back. Missing where a service cannot stop a job.
     */
    StopTime: optionalText,
    /** Set on a parent: what it was aimed at. */
    DeviceGroup: optionalText,
    TagId: optionalText,
    ArtifactId: optionalText,
    WorkflowId: optionalText,
    /** Its output is not stored any more: since when, and why. */
    OutputRemovedTime: optionalText,
    OutputRemovedBecause: optionalText,
    /** Set on a parent: how many children are in each state. States without a child are left out. */
    Counts: z.catch(z.optional(z.record(z.string(), z.number())), undefined),
    /** Set on a parent that has not ended: how many of its waiting children are for devices that are Offline. */
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
] as const;
const OPTIONAL_NUMBERS = ['ExitCode', 'WaitingOffline'] as const;

const isText = (value: unknown) => typeof value === 'string';
const isNumber = (value: unknown) => typeof value === 'number' && Number.isFinite(value);
const isNone = (value: unknown) => value === undefined;
const isCounts = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isNumber);

/** Whether a job came exactly as ours does: the lenient reading of ten thousand of them would hold up the page. */
function isExact(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const fields = value as Record<string, unknown>;
  return (
    TEXTS.every((name) => isText(fields[name])) &&
    OPTIONAL_TEXTS.every((name) => isNone(fields[name]) || isText(fields[name])) &&
    OPTIONAL_NUMBERS.every((name) => isNone(fields[name]) || isNumber(fields[name])) &&
    (isNone(fields['Counts']) || isCounts(fields['Counts'])) &&
    !Object.keys(SPELLINGS).some((name) => name in fields)
  );
}

/** A job; a child that came as no object at all is shown as a bare result, so that it cannot blank the others. */
export const job = z.pipe(
  z.transform((value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? value : { Result: value },
  ),
  jobRow,
);
export type Job = z.output<typeof job>;

// Before zod's own reading and not as one more schema: the API's description is made from the schema.
const readLeniently = job._zod.run.bind(job._zod);
job._zod.run = (payload, context) => (isExact(payload.value) ? payload : readLeniently(payload, context));

const present = (value: string | undefined) => value !== undefined && value !== '';

/** Body of submit: exactly one target, exactly one thing to run. */
export const jobDraft = z
  .object({
    Name: nameText,
    DeviceId: z.optional(z.string()),
    DeviceGroup: z.optional(z.string()),
    TagId: z.optional(z.string()),
    ArtifactId: z.optional(z.string()),
    WorkflowId: z.optional(z.string()),
  })
  .check((context) => {
    const refuse = (message: string) => context.issues.push({ code: 'custom', message, input: context.value });
    const { DeviceId, DeviceGroup, TagId, ArtifactId, WorkflowId } = context.value;
    // An empty one is no value: it may be the variable of a script that was not set, and the rest not what was meant.
    for (const [field, value] of Object.entries({ DeviceId, DeviceGroup, TagId, ArtifactId, WorkflowId }))
      if (value === '')
        context.issues.push({
          code: 'custom',
          path: [field],
          message: 'must not be empty: leave it out',
          input: context.value,
        });
    if ([DeviceId, DeviceGroup, TagId].filter(present).length !== 1)
      refuse('needs exactly one target: DeviceId, DeviceGroup or TagId');
    if ([ArtifactId, WorkflowId].filter(present).length !== 1)
      refuse('needs exactly one of ArtifactId (recommended) and WorkflowId (legacy)');
  });
export type JobDraft = z.output<typeof jobDraft>;

const oneJob = z.object({ job_id: pathId });

/** A job that was asked for by its id. Without one the answer is something else, a proxy's page for example. */
const foundJob = z.pipe(
  z.transform((value: unknown, context): unknown => {
    if (typeof value === 'object' && value !== null && 'JobId' in value && value.JobId) return value;
    context.issues.push({ code: 'custom', message: 'is no job', input: value });
    return z.NEVER;
  }),
  job,
);

/** What our additions list: bare, each row a job. Any other shape is some other answer, and the addition not offered. */
const foundJobs = z.array(foundJob);

/** Where a reader stands in a stream, in bytes. */
const offset = z.optional(z.string().check(z.regex(/^\d{1,12}$/, 'must be a whole number of bytes')));

/** A piece of a stream. Offsets count bytes; a piece never begins or ends within a character. */
const outputPiece = z.object({
  Text: z.string(),
  /** Where it begins: what was asked for, unless the stream is shorter than that or a character began before it. */
  Offset: number,
  /** Where the next one begins. */
  Next: number,
  /** Bytes there are so far. */
  Size: number,
});
export type OutputPiece = z.output<typeof outputPiece>;

/** A stretch of one stream, where it came in the order of arrival. */
const arrivedPiece = z.object({
  Stream: z.enum(['stdout', 'stderr']),
  /** Bytes of the stream: where it begins and where the next one does. */
  Offset: number,
  Next: number,
  /** How much of the stream's Text it is, in UTF-16 code units. */
  Length: number,
  /** When its first byte arrived. */
  Time: text,
});

export const jobEndpoints = {
  submit: {
    method: 'POST',
    path: '/v1/job',
    summary: 'Submit a job to a device, a group or a tag',
    once: true,
    body: jobDraft,
    response: z.looseObject({ JobId: z.string().check(z.minLength(1)) }),
  },
  get: {
    method: 'GET',
    path: '/v1/job/:job_id',
    summary: 'Get one job; of a parent, its overall summary',
    params: oneJob,
    response: foundJob,
  },
  /** What a reader of a log asks for again and again: only what is new. */
  output: {
    method: 'GET',
    path: '/v1/job/:job_id/output',
    addition: true,
    summary:
      'Get a job without its output, and of Stdout and Stderr what comes after the given offsets, in the order of its arrival',
    params: oneJob,
    query: z.object({ stdout: offset, stderr: offset }),
    response: z.object({
      /** As `get` has it, but for Stdout and Stderr; Result is only what they do not say. */
      Job: foundJob,
      Stdout: outputPiece,
      Stderr: outputPiece,
      /**
       * Both texts in the order in which they arrived. Whoever asks from the beginning, and goes on where an answer ended,
       * gets all of it in order. Missing where it is not known: of earlier jobs, on other services, and for other offsets.
       */
      Pieces: z.catch(z.optional(z.array(arrivedPiece)), undefined),
      /** There is more to be had at once: a piece holds at most 1 MiB. */
      More: z.boolean(),
    }),
  },
  children: {
    method: 'GET',
    path: '/v1/job/:job_id/childjobs',
    summary: 'List the child jobs of a parent, with the output of each device',
    params: oneJob,
    response: list(job),
  },
  list: {
    method: 'GET',
    path: '/v1/job',
    summary: 'List jobs to single devices and parent jobs, in summary',
    response: list(job),
  },
  /** Not below /v1/job, where it could be the id of a job on another service. */
  queues: {
    method: 'GET',
    path: '/v1/jobs/queues',
    addition: true,
    summary: 'List what waits or runs on all devices, children included, each device’s jobs in the order they run',
    response: foundJobs,
  },
  /** Not below /v1/devices, where other services take any two words for the number and size of a page. */
  ofDevice: {
    method: 'GET',
    path: '/v1/device/:device_id/queue',
    summary: "List one device's jobs, children of group and tag jobs included, oldest first",
    addition: true,
    params: z.object({ device_id: pathId }),
    response: foundJobs,
  },
  runs: {
    method: 'GET',
    path: '/v1/jobs/runs/:artifact_id',
    addition: true,
    summary: 'List the jobs that an artifact was submitted with, one for each device, oldest first, without output',
    params: z.object({ artifact_id: pathId }),
    response: foundJobs,
  },
  /**
   * Its answer says what it did: children or jobs that waited and are Cancelled now, and those that have begun and are being
   * stopped. What has ended stays as it is, so that a second time does no harm. `If-Match` as for `remove`.
   */
  stop: {
    method: 'POST',
    path: '/v1/job/:job_id/stop',
    addition: true,
    summary:
      'Stop a job, of a parent all children: what runs is stopped, what waits is cancelled, record and output stay',
    params: oneJob,
    response: z.object({ Cancelled: number, Stopping: number }),
  },
  /** Ours takes an `If-Match` with the ETag of the job as it was read: 412 when it has begun meanwhile. */
  remove: {
    method: 'DELETE',
    path: '/v1/job/:job_id',
    summary: 'Delete a job: a waiting one is cancelled, a running one stopped first, a parent takes its children along',
    params: oneJob,
  },
} as const satisfies Group;
