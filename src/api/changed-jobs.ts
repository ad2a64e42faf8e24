// Lists of jobs by what changed since they were read, while the service reports that something did: the list of jobs, and
// the queues of all devices.
import * as z from 'zod/mini';
import { job, jobEndpoints, type Job } from '#/contract/jobs.ts';
import { call, send } from '#/api/call.ts';
import { deviceFeed } from '#/api/device-feed.ts';
import { isSameJob } from '#/api/same-job.ts';

const changes = z.object({
  Version: z.string(),
  Reset: z.boolean(),
  Jobs: z.array(job),
  Removed: z.array(z.string()),
});
export type JobChanges = z.output<typeof changes>;

const LISTS = { list: jobEndpoints.list, queues: jobEndpoints.queues };

const versions = new WeakMap<readonly Job[], string>();

/** The rows after these changes, new ones at the end; the same array if none differs. */
export function changedRows(before: readonly Job[], { Reset, Jobs, Removed }: JobChanges): Job[] {
  const known = new Map(before.map((row) => [row.JobId, row]));
  const shared = Jobs.map((row) => {
    const old = known.get(row.JobId);
    return old && isSameJob(row, old) ? old : row;
  });
  const changed = new Map(shared.map((row) => [row.JobId, row]));
  const removed = new Set(Removed);
  const rows = Reset
    ? shared
    : [
        ...before.filter(({ JobId }) => !removed.has(JobId)).map((row) => changed.get(row.JobId) ?? row),
        ...shared.filter(({ JobId }) => !known.has(JobId)),
      ];
  const isSame = rows.length === before.length && rows.every((row, nth) => row === before[nth]);
  return isSame ? (before as Job[]) : rows;
}

/** `before`: what the last call has returned. */
export async function readJobList(
  which: keyof typeof LISTS,
  before: readonly Job[] | undefined,
  signal: AbortSignal,
): Promise<Job[]> {
  const since = before && versions.get(before);
  if (before && since !== undefined) {
    const { text } = await send('GET', `${LISTS[which].path}?since=${encodeURIComponent(since)}`, undefined, {
      signal,
    });
    const read = changes.safeParse(JSON.parse(text));
    if (read.success) {
      const rows = changedRows(before, read.data);
      versions.set(rows, read.data.Version);
      return rows;
    }
  }
  // Asked for before: what changes meanwhile is then in the next reading.
  const version = deviceFeed.present;
  const rows = await call(LISTS[which], {}, { signal });
  const shared = before ? changedRows(before, { Version: version, Reset: true, Jobs: rows, Removed: [] }) : rows;
  if (version !== '') versions.set(shared, version);
  return shared;
}
