// The list of jobs of a service that filters it, as far as it was read: the newest that meet some conditions. What changes
// is read by what changed, where the service reports that.
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import type * as z from 'zod/mini';
import { isMoving } from '#/contract/job-state.ts';
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import { accountQueries } from '#/api/account.ts';
import { call } from '#/api/call.ts';
import { offers } from '#/api/capabilities.ts';
import { isLive } from '#/api/live.ts';
import { query } from '#/api/query.ts';

type PageQuery = z.input<typeof jobEndpoints.page.query>;
/** As the endpoint takes them; none of them is empty. */
export type JobConditions = Pick<PageQuery, 'status' | 'name' | 'target' | 'artifact' | 'active'>;

export interface JobPages {
  /** Newest first. */
  jobs: Job[];
  /** Jobs that met the conditions when they were read, and do so no more: they stay under the pointer. */
  left: Job[];
  /** Where the next page begins; '' at the end. */
  next: string;
  version: string;
  /** How many jobs there are without conditions. */
  total: number;
}

const PAGE = 100;
const MOST_AT_ONCE = 500;
const MOVING = 2_000;
const RESTING = 15_000;

/** Jobs that have not ended, and with `since` those that ended after it; undefined where the service does not filter. */
export async function readMoving(
  client: QueryClient,
  since: Date | undefined,
  signal: AbortSignal,
): Promise<Job[] | undefined> {
  // What it offers does not change from one look to the next.
  if (!offers(await client.query({ ...accountQueries.get(), staleTime: Infinity }), 'jobs')) return undefined;
  const conditions = since ? { active: since.toISOString() } : MOVING_JOBS;
  return (await readMore(conditions, START, MOST_AT_ONCE, signal)).jobs;
}

/** Every job that has not ended. */
export const MOVING_JOBS: JobConditions = { status: 'Waiting,Running' };

export const jobPageQueries = {
  /** At least `most` jobs, if there are as many. */
  list: (conditions: JobConditions, most = PAGE) =>
    query<typeof jobEndpoints.page, JobPages>(
      jobEndpoints.page,
      { query: conditions },
      {
        part: String(most),
        read: ({ signal, before }) => readPages(conditions, most, before, signal),
        poll: (data) => (data?.jobs.some(isMoving) ? MOVING : RESTING),
      },
    ),
};

/** Every job of the lists that were read, whatever their conditions. */
export const knownJobs = (client: QueryClient): Job[] =>
  client
    .getQueriesData<JobPages>({ queryKey: jobPageQueries.list({}).queryKey.slice(0, 2) })
    .flatMap(([, data]) => data?.jobs ?? []);

/** `before`: what the last reading returned, which may be longer than a first one. */
async function readPages(
  conditions: JobConditions,
  most: number,
  before: JobPages | undefined,
  signal: AbortSignal,
): Promise<JobPages> {
  let changes: readonly Job[] = [];
  let gone: readonly string[] = [];
  if (before && isLive()) {
    const {
      Items: changed,
      Removed: removed = [],
      Reset: isReset,
      Version: version,
    } = await call(jobEndpoints.page, { query: { since: before.version } }, { signal });
    const isSame = changed.length === 0 && removed.length === 0;
    if (!isReset && isSame) return { ...before, version };
    if (!isReset && Object.keys(conditions).length === 0) return withChanges(before, changed, removed, version);
    changes = changed;
    gone = removed;
  }
  const pages = await readMore(conditions, START, Math.max(most, before?.jobs.length ?? 0), signal);
  return { ...pages, left: before ? leftOf(before, pages, changes, gone) : [] };
}

const MOST_LEFT = 100;

function leftOf(before: JobPages, { jobs }: JobPages, changed: readonly Job[], removed: readonly string[]): Job[] {
  const others = new Set([...jobs.map(({ JobId }) => JobId), ...removed]);
  const latest = new Map(changed.map((job) => [job.JobId, job]));
  return [...before.jobs, ...before.left]
    .filter(({ JobId }) => !others.has(JobId))
    .map((job) => latest.get(job.JobId) ?? job)
    .slice(0, MOST_LEFT);
}

const FIRST = 'first';
const START: JobPages = { jobs: [], left: [], next: FIRST, version: '', total: 0 };

/** Reads on until there are so many jobs, or no more. */
async function readMore(
  conditions: JobConditions,
  before: JobPages,
  most: number,
  signal?: AbortSignal,
): Promise<JobPages> {
  let pages = before;
  while (pages.next !== '' && pages.jobs.length < most) {
    const limit = Math.min(MOST_AT_ONCE, most - pages.jobs.length);
    const page = await call(
      jobEndpoints.page,
      { query: { ...conditions, limit: String(limit), ...(pages.next !== FIRST && { before: pages.next }) } },
      signal ? { signal } : {},
    );
    pages = {
      left: pages.left,
      jobs: [...pages.jobs, ...page.Items],
      next: page.Next,
      version: pages.version || page.Version,
      total: page.Total ?? pages.total,
    };
  }
  return pages;
}

const createdOf = ({ CreatedTime }: Job) => Date.parse(CreatedTime ?? '') || 0;

/** Without conditions each job has its place by its creation. One that is older than all that were read stays out. */
export function withChanges(
  before: JobPages,
  changed: readonly Job[],
  removed: readonly string[],
  version: string,
): JobPages {
  const gone = new Set(removed);
  const known = new Map(before.jobs.map((job) => [job.JobId, job]));
  const oldest = before.next === '' ? -Infinity : createdOf(before.jobs.at(-1) ?? ({} as Job));
  const added = changed.filter((job) => !known.has(job.JobId) && createdOf(job) >= oldest);
  const latest = new Map(changed.map((job) => [job.JobId, job]));
  const kept = before.jobs.filter(({ JobId }) => !gone.has(JobId)).map((job) => latest.get(job.JobId) ?? job);
  const jobs = [...added.toReversed(), ...kept].toSorted((one, other) => createdOf(other) - createdOf(one));
  return { ...before, jobs, version, total: Math.max(0, before.total + added.length - gone.size) };
}

/** Reads on in the list of a query, by `count` jobs. */
export async function readOn(client: QueryClient, queryKey: QueryKey, count = PAGE): Promise<void> {
  const before = client.getQueryData<JobPages>(queryKey);
  if (!before || before.next === '') return;
  const after = await readMore((queryKey[2] as { query: JobConditions }).query, before, before.jobs.length + count);
  const added = after.jobs.slice(before.jobs.length);
  client.setQueryData<JobPages>(queryKey, (now) => {
    // It was read anew meanwhile: the person asks again.
    if (now?.next !== before.next) return now;
    const known = new Set(now.jobs.map(({ JobId }) => JobId));
    return { ...now, jobs: [...now.jobs, ...added.filter(({ JobId }) => !known.has(JobId))], next: after.next };
  });
}
