// Lists of jobs as JSON: complete, or only what changed since a version, for clients that have the rest.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { JsonResponse } from '../http/json-response.ts';
import { changesBetween, changesInScope, currentPosition, parsePosition, printPosition } from '../store/changes.ts';
import type { Change, Position, ScopedChange } from '../store/changes.ts';
import type { Database } from '../store/database.ts';
import { childJobs, jobsOfList, parentsWaitingFor, queuedJobs, topJobs } from '../store/jobs.ts';
import type { JobRow } from '../store/jobs.ts';
import type { Scope } from '../store/scope.ts';
import { brief, stateOnly, summary } from './job-view.ts';

/** Rows built at a time; other requests run in between. */
const BATCH = 500;

type Show = (row: JobRow) => Promise<object>;

type Read = (after: JobRow | undefined, limit: number) => Promise<JobRow[]>;

/** Yields a JSON list of rows in parts, a batch at a time. */
async function* partsOf(read: Read, show: Show): AsyncGenerator<string> {
  let lead = '[';
  for (let after: JobRow | undefined; ;) {
    const rows = await read(after, BATCH);
    const parts: string[] = [];
    for (const row of rows) parts.push(JSON.stringify(await show(row)));
    if (parts.length > 0) {
      yield lead + parts.join(',');
      lead = ',';
    }
    const last = rows.at(-1);
    if (!last || rows.length < BATCH) break;
    after = last;
    await nextTurn();
  }
  yield lead === '[' ? '[]' : ']';
}

/** Rows as one JSON list. */
export async function rowsOf(read: Read, show: Show): Promise<string> {
  const parts: string[] = [];
  for await (const part of partsOf(read, show)) parts.push(part);
  return parts.join('');
}

/**
 * The same as a stream, which keeps only one batch in memory. If nothing can be read, it throws before the stream
 * starts.
 */
export async function streamOf(read: Read, show: Show): Promise<ReadableStream<Uint8Array>> {
  const parts = partsOf(read, show);
  const first = await parts.next();
  const bytes = async function* () {
    if (first.done !== true) yield Buffer.from(first.value);
    for await (const part of parts) yield Buffer.from(part);
  };
  return ReadableStream.from(bytes());
}

type Source = { db: Database };

interface Since {
  /** The version of this response. */
  to: string;
  /** Undefined if all rows are requested, or have to be read again. */
  changes: Change[] | undefined;
  isReset: boolean;
}

/** `parent` limits the changes to its children. */
async function changesSince({ db }: Source, scope: Scope, since: string, parent?: number): Promise<Since> {
  // Rows are read afterwards and may be newer; their changes are then listed once more.
  const position = await currentPosition(db);
  const to = printPosition(position, scope);
  if (since === '') return { to, changes: undefined, isReset: false };
  const from = parsePosition(since, scope);
  const changes = from && (await jobChanges(db, scope, { from, to: position, parent }));
  return { to, changes, isReset: changes === undefined };
}

interface Span {
  from: Position;
  to: Position;
  parent: number | undefined;
}

/** Undefined if the log no longer says what changed, or cannot say it to this scope. */
async function jobChanges(db: Database, scope: Scope, { from, to, parent }: Span): Promise<Change[] | undefined> {
  const isAsked = (change: Change) =>
    change.kind === 'job'
      ? parent === undefined || change.parent === parent
      : change.kind === 'device' && parent === undefined;
  if (!scope.groups) return (await changesBetween(db, scope.accountId, from, to, parent))?.filter(isAsked);
  const changes = await changesInScope(db, scope, from, to);
  // Jobs come and go with their devices. Of a removed job, the log does not say in which groups it was.
  const isUnclear = ({ kind, what, regrouped }: ScopedChange) =>
    (kind === 'job' && what === 'removed') || (kind === 'device' && (what === 'removed' || regrouped === 1));
  return changes?.some(isUnclear) ? undefined : changes?.filter(isAsked);
}

/** The listed ones of these jobs as JSON, and the seqs of the others that the scope sees or that no longer exist. */
async function rowsOfList(
  { db }: Source,
  scope: Scope,
  seqs: Iterable<number>,
  isListed: (row: JobRow) => boolean,
  show: Show,
): Promise<{ json: string; others: Set<number> }> {
  const all = [...new Set(seqs)].toSorted((one, other) => one - other);
  // A role that is limited to groups cannot be told of jobs that it does not see.
  const others = new Set(scope.groups ? [] : all);
  const parts: string[] = [];
  for (let from = 0; from < all.length; from += BATCH) {
    if (from > 0) await nextTurn();
    for (const row of await jobsOfList(db, scope, all.slice(from, from + BATCH))) {
      if (!isListed(row)) {
        others.add(row.seq);
        continue;
      }
      others.delete(row.seq);
      parts.push(JSON.stringify(await show(row)));
    }
  }
  return { json: `[${parts.join(',')}]`, others };
}

/** Builds the response; `rows` is a JSON list that gets the name `of`. */
function respond({ to, isReset }: Since, of: 'Children' | 'Jobs' | 'Items', rows: string, more: object = {}): string {
  const head = JSON.stringify({ Version: to, Reset: isReset, ...more });
  return `${head.slice(0, -1)},"${of}":${rows}}`;
}

/** Only for rows without Command and output, which may contain secrets and must not be compressed. */
const compressible = (json: string) => new JsonResponse(Buffer.from(json), undefined, { compressible: true });

/**
 * The children of a parent that changed, or all of them if some were deleted, because the response cannot name those.
 */
export async function childrenSince(
  source: Source,
  scope: Scope,
  parent: JobRow,
  version: string,
): Promise<JsonResponse> {
  const since = await changesSince(source, scope, version, parent.seq);
  const show = (row: JobRow) => stateOnly(source, row);
  if (!since.changes || since.changes.some(({ what }) => what === 'removed')) {
    const rows = await rowsOf((after, limit) => childJobs(source.db, scope, parent.seq, after?.seq ?? 0, limit), show);
    return compressible(respond({ ...since, isReset: version !== '' }, 'Children', rows));
  }
  const seqs = since.changes.map(({ object }) => object);
  const { json } = await rowsOfList(source, scope, seqs, () => true, show);
  return compressible(respond(since, 'Children', json));
}

const ofJobs = (changes: readonly Change[]) => changes.filter(({ kind }) => kind === 'job');

/** Single jobs and parents that changed. A parent also changes with the states of its children. */
export async function topJobsSince(source: Source, scope: Scope, version: string): Promise<JsonResponse> {
  const since = await changesSince(source, scope, version);
  const { db } = source;
  if (!since.changes) {
    const show = (row: JobRow) => summary(source, row);
    const rows = await rowsOf((after, limit) => topJobs(db, scope, after?.seq ?? 0, limit), show);
    return new JsonResponse(respond(since, 'Jobs', rows, { Removed: [] }));
  }
  const { json, Removed } = await changedTopJobs(source, scope, since.changes);
  return new JsonResponse(respond(since, 'Jobs', json, { Removed }));
}

/** The same for clients that have read pages of the list: without rows if all would have to be read again. */
export async function pagedJobsSince(source: Source, scope: Scope, version: string): Promise<JsonResponse> {
  const since = await changesSince(source, scope, version);
  if (!since.changes)
    return new JsonResponse(respond({ ...since, isReset: true }, 'Items', '[]', { Next: '', Removed: [] }));
  const { json, Removed } = await changedTopJobs(source, scope, since.changes);
  return new JsonResponse(respond(since, 'Items', json, { Next: '', Removed }));
}

async function changedTopJobs(source: Source, scope: Scope, changes: readonly Change[]) {
  const { db } = source;
  const show = (row: JobRow) => summary(source, row);
  const jobs = ofJobs(changes);
  const seqs = new Set(jobs.map(({ object, parent }) => parent ?? object));
  // A device that connects or disconnects changes WaitingOffline of the parents with a job for it.
  const devices = changes.flatMap(({ kind, object }) => (kind === 'device' ? [object] : []));
  for (const seq of await parentsWaitingFor(db, devices)) seqs.add(seq);
  const isListed = (row: JobRow) => row.parent_seq === null && row.archived === null;
  const { json, others } = await rowsOfList(source, scope, seqs, isListed, show);
  // Deleted jobs, and archived ones that were not restored since.
  const removed = jobs.filter(
    ({ what, parent, object }) => what === 'removed' && parent === null && others.has(object),
  );
  return { json, Removed: [...new Set(removed.map(({ id }) => id))] };
}

/** Unfinished jobs that changed, and those that have ended since. */
export async function queuesSince(source: Source, scope: Scope, version: string): Promise<JsonResponse> {
  const since = await changesSince(source, scope, version);
  const { db } = source;
  const show = (row: JobRow) => brief(source, row);
  if (!since.changes) {
    const rows = await rowsOf((after, limit) => queuedJobs(db, scope, after, limit), show);
    return compressible(respond(since, 'Jobs', rows, { Removed: [] }));
  }
  const jobs = ofJobs(since.changes);
  const isQueued = (row: JobRow) => row.device_seq !== null && row.ended === null;
  const seqs = jobs.map(({ object }) => object);
  const { json, others } = await rowsOfList(source, scope, seqs, isQueued, show);
  const left = jobs.filter(({ object }) => others.has(object));
  return compressible(respond(since, 'Jobs', json, { Removed: [...new Set(left.map(({ id }) => id))] }));
}
