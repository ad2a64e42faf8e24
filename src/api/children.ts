// Reads the children of a parent in short tasks: ten thousand of them with output are megabytes, and parsing them at once
// would block the page. Unchanged children stay the same objects.
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import { pathOf, send } from '#/api/call.ts';
import { readList } from './list-text.ts';
import { runChunked } from '#/lib/pace.ts';
import { isSameJob } from '#/api/same-job.ts';

/** Rows compared per step. */
const STEP = 250;

const versions = new WeakMap<readonly Job[], string>();

/** The rows, reusing the previous objects where nothing changed. */
export function* sharedRows(rows: Job[], before: readonly Job[] = []): Generator<void, Job[]> {
  const byId = new Map(before.map((row) => [row.JobId, row]));
  let changed = rows.length !== before.length;
  for (const [place, row] of rows.entries()) {
    // Our service repeats the output as the result: keep one copy.
    if (row.Stderr === '' && row.Stdout === row.Result) row.Result = row.Stdout;
    const old = row.JobId === '' ? before[place] : byId.get(row.JobId);
    if (old && isSameJob(row, old)) rows[place] = old;
    changed ||= rows[place] !== before[place];
    if (place % STEP === STEP - 1) yield;
  }
  return changed ? rows : (before as Job[]);
}

export async function readChildren(id: string, before: Job[] | undefined, signal: AbortSignal): Promise<Job[]> {
  const { method, response } = jobEndpoints.children;
  const answer = await send(method, pathOf(jobEndpoints.children, { params: { job_id: id } }), undefined, { signal });
  if (before && answer.etag !== null && versions.get(before) === answer.etag) return before;
  const { rows } = await readList(answer, response);
  const shared = await runChunked(sharedRows(rows, before));
  if (answer.etag !== null) versions.set(shared, answer.etag);
  return shared;
}
