// The list of jobs on a service that filters it, as loaded so far: the newest jobs that meet the conditions. While the
// service reports changes, only changed jobs are read.
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
/** Conditions as the endpoint takes them; none is empty. */
export type JobConditions = Pick<PageQuery, 'status' | 'name' | 'target' | 'artifact' | 'active'>;

export interface JobPages {
  /** Newest first. */
  jobs: Job[];
  /** Jobs that met the conditions when they were read, and no longer do: they stay listed so that rows do not jump. */
  left: Job[];
  /** Where the next page begins; '' at the end. */
  next: string;
  version: string;
  /** The number of jobs regardless of conditions. */
  total: number;
}

const PAGE = 100;
const MAX_PAGE_SIZE = 500;
const MOVING = 2_000;
const RESTING = 15_000;

/** Unfinished jobs, and with `since` those that ended after it; undefined if the service cannot filter jobs. */
export async function readUnfinished(
  client: QueryClient,
  since: Date | undefined,
  signal: AbortSignal,
): Promise<Job[] | undefined> {
  // Capabilities do not change during a session.
  if (!offers(await client.query({ ...accountQueries.get(), staleTime: Infinity }), 'jobs')) return undefined;
  const conditions = since ? { active: since.toISOString() } : UNFINISHED_JOBS;
  return (await readMore(conditions, START, MAX_PAGE_SIZE, signal)).jobs;
}

/** All unfinished jobs. */
export const UNFINISHED_JOBS: JobConditions = { status: 'Waiting,Running' };

export const jobPageQueries = {
  /** At least `most` jobs, if there are that many. */
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

/** All jobs in the cache, whatever the conditions of their list. */
export const knownJobs = (client: QueryClient): Job[] =>
  client
    .getQueriesData<JobPages>({ queryKey: jobPageQueries.list({}).queryKey.slice(0, 2) })
    .flatMap(([, data]) => data?.jobs ?? []);

/** `before`: the result of the last read, to which more pages may have been added since. */
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

const MAX_LEFT = 100;

function leftOf(before: JobPages, { jobs }: JobPages, changed: readonly Job[], removed: readonly string[]): Job[] {
  const others = new Set([...jobs.map(({ JobId }) => JobId), ...removed]);
  const latest = new Map(changed.map((job) => [job.JobId, job]));
  return [...before.jobs, ...before.left]
    .filter(({ JobId }) => !others.has(JobId))
    .map((job) => latest.get(job.JobId) ?? job)
    .slice(0, MAX_LEFT);
}

const FIRST = 'first';
const START: JobPages = { jobs: [], left: [], next: FIRST, version: '', total: 0 };

/** Reads further pages until there are `most` jobs, or no more. */
async function readMore(
  conditions: JobConditions,
  before: JobPages,
  most: number,
  signal?: AbortSignal,
): Promise<JobPages> {
  let pages = before;
  while (pages.next !== '' && pages.jobs.length < most) {
    const limit = Math.min(MAX_PAGE_SIZE, most - pages.jobs.length);
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

/** Applies changes to a list without conditions, which is sorted by creation. A job older than all loaded ones is left out. */
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

/** Loads `count` more jobs of a query's list. */
export async function readOn(client: QueryClient, queryKey: QueryKey, count = PAGE): Promise<void> {
  const before = client.getQueryData<JobPages>(queryKey);
  if (!before || before.next === '') return;
  const after = await readMore((queryKey[2] as { query: JobConditions }).query, before, before.jobs.length + count);
  const added = after.jobs.slice(before.jobs.length);
  client.setQueryData<JobPages>(queryKey, (now) => {
    // The list was refetched meanwhile; the user can load more again.
    if (now?.next !== before.next) return now;
    const known = new Set(now.jobs.map(({ JobId }) => JobId));
    return { ...now, jobs: [...now.jobs, ...added.filter(({ JobId }) => !known.has(JobId))], next: after.next };
  });
}
