// Lists of jobs by what changed since they were read, while the service reports that something did: the list of jobs, and
// the queues of all devices.
import * as z from 'zod/mini';
import { job, jobEndpoints, type Job } from '#/contract/jobs.ts';
import { call, send } from '#/api/call.ts';
import { deviceFeed } from '#/api/device-feed.ts';
import { inTurns } from '#/lib/pace.ts';
import { changedRows } from './changed-rows.ts';

const changes = z.object({
  Version: z.string(),
  Reset: z.boolean(),
  Jobs: z.array(job),
  Removed: z.array(z.string()),
});

const LISTS = { list: jobEndpoints.list, queues: jobEndpoints.queues };

const versions = new WeakMap<readonly Job[], string>();

/** `before`: what the last call has returned. */
export async function readJobList(
  which: keyof typeof LISTS,
  before: Job[] | undefined,
  signal: AbortSignal,
): Promise<Job[]> {
  const since = before && versions.get(before);
  if (before && since !== undefined) {
    const { text } = await send('GET', `${LISTS[which].path}?since=${encodeURIComponent(since)}`, undefined, {
      signal,
    });
    const read = changes.safeParse(JSON.parse(text));
    if (read.success) {
      const { Version, Reset: all, Jobs: changed, Removed: removed } = read.data;
      const rows = await inTurns(changedRows(before, { changed, removed, all }));
      versions.set(rows, Version);
      return rows;
    }
  }
  // Asked for before: what changes meanwhile is then in the next reading.
  const version = deviceFeed.present;
  const rows = await call(LISTS[which], {}, { signal });
  const shared = before ? await inTurns(changedRows(before, { changed: rows, all: true })) : rows;
  if (version !== '') versions.set(shared, version);
  return shared;
}
