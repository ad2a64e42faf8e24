// The states of a parent's children, as its page watches them: after the first read, only changes. A service without this
// addition sends all children with their output each time.
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import { pathOf, send } from '#/api/call.ts';
import { isOffered } from '#/api/capabilities.ts';
import { readChildren } from '#/api/children.ts';
import { runChunked } from '#/lib/pace.ts';
import { markLean } from '#/api/lean-rows.ts';
import { changedRows } from './changed-rows.ts';
import { readList } from './list-text.ts';

export interface ChildStates {
  rows: Job[];
  /** Undefined on a service that cannot report changes of children. */
  version: string | undefined;
}

async function readChanges(id: string, before: ChildStates | undefined, signal: AbortSignal) {
  const path = `${pathOf(jobEndpoints.children, { params: { job_id: id } })}?since=${encodeURIComponent(before?.version ?? '')}`;
  const answer = await send('GET', path, undefined, { signal });
  const { rows, frame } = await readList(answer, jobEndpoints.children.response);
  const { Version, Reset } = (frame ?? {}) as { Version?: unknown; Reset?: unknown };
  return typeof Version === 'string' ? { version: Version, rows, all: Reset === true || !before } : undefined;
}

export async function readChildStates(
  id: string,
  before: ChildStates | undefined,
  signal: AbortSignal,
): Promise<ChildStates> {
  // Rows without output are useful only where the output can be read separately.
  const changes = (await isOffered('output')) ? await readChanges(id, before, signal) : undefined;
  if (!changes) {
    const rows = await readChildren(id, before?.rows, signal);
    return rows === before?.rows ? before : { rows, version: undefined };
  }
  if (before?.version === changes.version) return before;
  for (const row of changes.rows) markLean(row);
  const rows = await runChunked(changedRows(before?.rows ?? [], { changed: changes.rows, all: changes.all }));
  return { rows, version: changes.version };
}
