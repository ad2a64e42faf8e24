// The children of a parent as its page watches them: states only, and after the first reading what changed. A service
// without this sends all of them with their output each time. Done in short tasks; unchanged rows stay the same objects.
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import { isNotOffered } from '#/api/api-error.ts';
import { pathOf, send } from '#/api/call.ts';
import { readChildren } from '#/api/children.ts';
import { inTurns } from '#/lib/pace.ts';
import { markLean } from '#/api/lean-rows.ts';
import { isSameJob } from '#/api/same-job.ts';
import { readList } from './list-text.ts';

export interface ChildStates {
  rows: Job[];
  /** Undefined on a service that has no list of changes. */
  version: string | undefined;
}

/** Rows compared in one step. */
const STEP = 500;

const indexes = new WeakMap<readonly Job[], Map<string, number>>();

function indexOf(rows: readonly Job[]): Map<string, number> {
  let index = indexes.get(rows);
  if (!index) indexes.set(rows, (index = new Map(rows.map(({ JobId }, at) => [JobId, at]))));
  return index;
}

/** The rows with those that changed; with `all`, no others. The same array if nothing has. */
export function* patchedRows(before: Job[], changed: readonly Job[], all: boolean): Generator<void, Job[]> {
  const known = indexOf(before);
  const rows = all ? [] : before.slice();
  let isChanged = all && changed.length !== before.length;
  let isLonger = all;
  for (const [nth, row] of changed.entries()) {
    const at = known.get(row.JobId);
    const old = at === undefined ? undefined : before[at];
    const next = old && isSameJob(row, old) ? old : row;
    markLean(next);
    const target = all ? nth : (at ?? rows.length);
    isLonger ||= target === rows.length;
    isChanged ||= before[target] !== next;
    rows[target] = next;
    if (nth % STEP === STEP - 1) yield;
  }
  if (!isChanged) return before;
  if (!isLonger) indexes.set(rows, known);
  return rows;
}

/** Whether the service lists changes; undefined until it was asked. */
let isOffered: boolean | undefined;

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
  const changes =
    isOffered === false
      ? undefined
      : await readChanges(id, before, signal).catch((error: unknown) => {
          if (isOffered || !isNotOffered(error)) throw error;
          return undefined;
        });
  isOffered = changes !== undefined;
  if (!changes) {
    const rows = await readChildren(id, before?.rows, signal);
    return rows === before?.rows ? before : { rows, version: undefined };
  }
  if (before?.version === changes.version) return before;
  const rows = await inTurns(patchedRows(before?.rows ?? [], changes.rows, changes.all));
  return { rows, version: changes.version };
}
