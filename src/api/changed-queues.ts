// The queues of all devices. While the service reports changes, only the jobs that changed since the last read are fetched.
import * as z from 'zod/mini';
import { job, jobEndpoints, type Job } from '#/contract/jobs.ts';
import { call, pathOf, send } from '#/api/call.ts';
import { deviceFeed } from '#/api/device-feed.ts';
import { runChunked } from '#/lib/pace.ts';
import { changedRows } from './changed-rows.ts';

const changes = z.object({
  Version: z.string(),
  Reset: z.boolean(),
  Jobs: z.array(job),
  Removed: z.array(z.string()),
});

const versions = new WeakMap<readonly Job[], string>();

/** `before`: the result of the last call. */
export async function readChangedQueues(before: Job[] | undefined, signal: AbortSignal): Promise<Job[]> {
  const since = before && versions.get(before);
  if (before && since !== undefined) {
    const { text } = await send('GET', pathOf(jobEndpoints.queues, { query: { since } }), undefined, { signal });
    const read = changes.safeParse(JSON.parse(text));
    if (read.success) {
      const { Version, Reset: all, Jobs: changed, Removed: removed } = read.data;
      const rows = await runChunked(changedRows(before, { changed, removed, all }));
      versions.set(rows, Version);
      return rows;
    }
  }
  // Taken before the jobs are read, so that the next read includes any change in between.
  const version = deviceFeed.current;
  const rows = await call(jobEndpoints.queues, {}, { signal });
  const shared = before ? await runChunked(changedRows(before, { changed: rows, all: true })) : rows;
  if (version !== '') versions.set(shared, version);
  return shared;
}
