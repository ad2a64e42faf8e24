// Applies reported changes to rows of jobs, in short tasks. Unchanged rows stay the same objects.
import type { Job } from '#/contract/jobs.ts';
import { isSameJob } from '#/api/same-job.ts';

export interface RowChanges {
  changed: readonly Job[];
  removed?: readonly string[];
  /** Whether `changed` holds all rows, in their order. */
  all: boolean;
}

/** Rows compared per step. */
const STEP = 500;

const indexes = new WeakMap<readonly Job[], Map<string, number>>();

function indexOf(rows: readonly Job[]): Map<string, number> {
  let index = indexes.get(rows);
  if (!index) indexes.set(rows, (index = new Map(rows.map(({ JobId }, at) => [JobId, at]))));
  return index;
}

/** The rows with these changes, new ones at the end; the same array if nothing differs. */
export function* changedRows(before: Job[], { changed, removed = [], all }: RowChanges): Generator<void, Job[]> {
  const known = indexOf(before);
  let rows = all ? [] : before.slice();
  let isChanged = all && changed.length !== before.length;
  let isMoved = all;
  for (const [nth, row] of changed.entries()) {
    const at = known.get(row.JobId);
    const old = at === undefined ? undefined : before[at];
    const next = old && isSameJob(row, old) ? old : row;
    const target = all ? nth : (at ?? rows.length);
    isMoved ||= target === rows.length;
    isChanged ||= before[target] !== next;
    rows[target] = next;
    if (nth % STEP === STEP - 1) yield;
  }
  const gone = all ? new Set() : new Set(removed.filter((id) => known.has(id)));
  if (gone.size > 0) rows = rows.filter(({ JobId }) => !gone.has(JobId));
  if (!isChanged && gone.size === 0) return before;
  if (!isMoved && gone.size === 0) indexes.set(rows, known);
  return rows;
}
