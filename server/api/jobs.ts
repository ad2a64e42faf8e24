// v1.md, "Jobs (deployments)".
import type * as z from 'zod/mini';
import type { Job, LatestWork, jobEndpoints } from '#/contract/jobs.ts';
import type { Context } from '../context.ts';
import { idempotencyKey } from '../http/idempotency-key.ts';
import { isUnchanged } from '../http/implement.ts';
import { JsonResponse } from '../http/json-response.ts';
import type { HandlerRequest, Handlers } from '../http/implement.ts';
import { Problem } from '../http/problem.ts';
import { requireRole } from '../http/require-permission.ts';
import { outputOfChildren } from '../store/job-output.ts';
import { countsIn } from '../store/job-moves.ts';
import {
  childJobs,
  childrenOfList,
  findJob,
  jobById,
  jobsOfDevice,
  lastJobsOfDevices,
  queuedJobs,
  topJobs,
  topJobsWith,
} from '../store/jobs.ts';
import type { Reader } from '../store/database.ts';
import { latestVersions } from '../store/device-versions.ts';
import { deviceById, findDevice, ONLINE } from '../store/devices.ts';
import { scopeVersion } from '../store/job-scope.ts';
import { isInScope, scopeOf } from '../store/scope.ts';
import type { Scope } from '../store/scope.ts';
import { currentPosition, printPosition } from '../store/changes.ts';
import { countJobs, jobPage } from '../store/job-list.ts';
import type { JobFilter } from '../store/job-list.ts';
import { NAMED_JOBS, openNameIndex } from '../store/name-index.ts';
import type { JobRow } from '../store/jobs.ts';
import { openChildrenVersions } from './children-version.ts';
import { childrenSince, pagedJobsSince, queuesSince, rowsOf, streamOf, topJobsSince } from './job-changes.ts';
import { brief, child, full, outputTails, partsFrom, summary } from './job-view.ts';
import type { JobSource } from './job-view.ts';

/** The most output in one list of children; beyond that, each child gets an equal share. */
const CHILDREN_BYTES = 32 * 1024 * 1024;
const MIN_OF_CHILD = 2048;

/** Whether the client has this version: the response will be "not modified", so there is no need to build it. */
const isKnown = (http: HandlerRequest['http'], version: string) => http.req.header('If-None-Match') === `"${version}"`;

/** Refuses a write with `If-Match` if the job has changed since the client read it. */
const requireUnchanged =
  (source: JobSource, http: HandlerRequest['http'], refusal: string) =>
  async (row: JobRow, isAssigned: boolean, db: Reader): Promise<void> => {
    const header = http.req.header('If-Match');
    // An agent may have started a job that it has not reported yet.
    const mayHaveStarted = header !== undefined && row.status === 'Waiting' && isAssigned;
    if (!mayHaveStarted && (await isUnchanged(header, () => full({ ...source, db }, row)))) return;
    throw new Problem(412, 'The job has changed meanwhile', refusal);
  };

const DEFAULT_LIMIT = 100;

type PageQuery = z.output<typeof jobEndpoints.page.query>;

/** Undefined if the query is for a device that does not exist, or for a group outside the scope. */
async function filterOf(db: Reader, scope: Scope, query: PageQuery): Promise<JobFilter | undefined> {
  const [, kind, of = ''] = /^(device|group|tag):([^]*)$/.exec(query.target ?? '') ?? [];
  const device = kind === 'device' ? await findDevice(db, scope, of) : undefined;
  if (kind === 'device' && !device) return undefined;
  if (kind === 'group' && !isInScope(scope, of)) return undefined;
  return {
    states: query.status?.split(',') ?? [],
    name: query.name?.trim() ?? '',
    archived: query.archived === 'yes',
    ...(device && { deviceSeq: device.seq }),
    ...(kind === 'group' && { group: of }),
    ...(kind === 'tag' && { tagId: of }),
    ...(query.artifact && { artifactIds: query.artifact.split(',') }),
    ...(query.active && { movedSince: Date.parse(query.active) }),
  };
}

export function jobRoutes(context: Context): Handlers<typeof jobEndpoints> {
  const { db, dispatch } = context;
  const childrenVersion = openChildrenVersions(db);
  const names = openNameIndex(db, NAMED_JOBS);
  /** A version that changes with everything that lists of jobs show. */
  const listVersion = async (scope: Scope) =>
    (await db.version('jobs', 'job_output', ONLINE)) + (await scopeVersion(db, scope));
  return {
    submit: async (request) => {
      const { RetryOf } = request.body;
      const retried = RetryOf === undefined ? undefined : await findJob(db, scopeOf(request), RetryOf);
      // A retry runs what the job ran, whether the request names it or not.
      if (retried?.workflow_id) requireRole(request, 'connect');
      return dispatch.submit(request, request.body, idempotencyKey(request.http));
    },

    get: async (request) => full(context, await jobById(db, scopeOf(request), request.params.job_id)),

    output: async (request) => {
      const { stdout, stderr } = request.query;
      const row = await jobById(db, scopeOf(request), request.params.job_id);
      return partsFrom(context, row, { stdout: Number(stdout ?? 0), stderr: Number(stderr ?? 0) });
    },

    children: async (request) => {
      const { params, query, http } = request;
      const scope = scopeOf(request);
      const parent = await jobById(db, scope, params.job_id);
      if (query.since !== undefined) return childrenSince(context, scope, parent, query.since);
      const version = await childrenVersion(scope, parent.seq);
      if (parent.device_seq !== null) return [];
      if (isKnown(http, version)) return new JsonResponse('', version);
      const children = Object.values(countsIn(parent)).reduce((sum, count) => sum + count, 0);
      const all = (await outputOfChildren(db, scope, parent.seq)) <= CHILDREN_BYTES;
      const most = all ? undefined : Math.max(MIN_OF_CHILD, Math.floor(CHILDREN_BYTES / children / 2));
      const json = await rowsOf(
        (after, limit) => childJobs(db, scope, parent.seq, after?.seq ?? 0, limit),
        (row) => child(context, row, most),
      );
      return new JsonResponse(json, version);
    },

    outputs: async (request) => {
      const scope = scopeOf(request);
      const parent = await jobById(db, scope, request.params.job_id);
      const parts: string[] = [];
      for (const row of await childrenOfList(db, scope, parent.seq, request.query.ids.split(',')))
        parts.push(JSON.stringify(await outputTails(context, row)));
      return new JsonResponse(`[${parts.join(',')}]`);
    },

    list: async (request) => {
      const { query, http } = request;
      const scope = scopeOf(request);
      if (query.since !== undefined) return topJobsSince(context, scope, query.since);
      const version = await listVersion(scope);
      if (isKnown(http, version)) return new JsonResponse('', version);
      const read = (after: JobRow | undefined, limit: number) => topJobs(db, scope, after?.seq ?? 0, limit);
      return new JsonResponse(() => streamOf(read, (row) => summary(context, row)), version);
    },

    page: async (request) => {
      const { query } = request;
      const scope = scopeOf(request);
      if (query.since !== undefined) return pagedJobsSince(context, scope, query.since);
      // Read before the jobs, which may be newer; their changes are then reported once more.
      const Version = printPosition(await currentPosition(db), scope);
      const Total = query.before ? undefined : await countJobs(db, scope);
      const filter = await filterOf(db, scope, query);
      const range = {
        before: Number(query.before || Number.MAX_SAFE_INTEGER),
        limit: Number(query.limit ?? DEFAULT_LIMIT),
      };
      const { rows, next } = filter ? await jobPage(db, names, scope, filter, range) : { rows: [], next: undefined };
      const Items: Job[] = [];
      for (const row of rows) Items.push(await summary(context, row));
      return { Items, Next: next === undefined ? '' : String(next), Version, ...(Total !== undefined && { Total }) };
    },

    queues: async (request) => {
      const { query, http } = request;
      const scope = scopeOf(request);
      if (query.since !== undefined) return queuesSince(context, scope, query.since);
      const version = await listVersion(scope);
      if (isKnown(http, version)) return new JsonResponse('', version);
      const json = await rowsOf(
        (after, limit) => queuedJobs(db, scope, after, limit),
        (row) => brief(context, row),
      );
      return new JsonResponse(json, version);
    },

    ofDevice: async (request) => {
      const scope = scopeOf(request);
      const device = await deviceById(db, scope, request.params.device_id);
      const version = await listVersion(scope);
      const json = await rowsOf(
        (after, limit) => jobsOfDevice(db, scope.accountId, device.seq, after?.seq ?? 0, limit),
        (row) => summary(context, row),
      );
      return new JsonResponse(json, version);
    },

    latest: async (request) => {
      const ids = [...new Set(request.query.devices.split(','))];
      const rows = await latestVersions(db, scopeOf(request), ids);
      const jobs = await lastJobsOfDevices(
        db,
        rows.map(({ device_seq }) => device_seq),
      );
      const last = new Map(jobs.map((job) => [job.device_seq, job]));
      const Items: LatestWork[] = [];
      for (const { device_seq, device_id, artifact_name, version } of rows) {
        const job = last.get(device_seq);
        Items.push({
          DeviceId: device_id,
          ArtifactName: artifact_name ?? '',
          Version: version ?? '',
          ...(job && { Job: await brief(context, job) }),
        });
      }
      return { Items };
    },

    runs: async (request) => {
      const { params, http } = request;
      const scope = scopeOf(request);
      const version = await listVersion(scope);
      if (isKnown(http, version)) return new JsonResponse('', version);
      const parts: string[] = [];
      for (const top of await topJobsWith(db, scope, params.artifact_id)) {
        const json =
          top.device_seq === null
            ? await rowsOf(
                (after, limit) => childJobs(db, scope, top.seq, after?.seq ?? 0, limit),
                (row) => brief(context, row),
              )
            : `[${JSON.stringify(await brief(context, top))}]`;
        if (json !== '[]') parts.push(json.slice(1, -1));
      }
      return new JsonResponse(`[${parts.join(',')}]`, version);
    },

    stop: (request) =>
      dispatch.stop(
        request,
        request.params.job_id,
        requireUnchanged(context, request.http, 'Nothing was stopped. Read it again, then decide.'),
      ),

    remove: (request) =>
      dispatch.remove(
        request,
        request.params.job_id,
        requireUnchanged(context, request.http, 'Nothing was deleted. Read it again, then decide.'),
      ),
  };
}
