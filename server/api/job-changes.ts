// Lists of jobs as JSON: whole, or what changed in them since a version, for readers that have the rest.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { JsonResponse } from '../http/json-response.ts';
import { changesBetween, parsePosition, currentPosition, printPosition } from '../store/changes.ts';
import type { Change, Position } from '../store/changes.ts';
import type { Database } from '../store/database.ts';
import { childJobs, jobsOfList, parentsWaitingFor, queuedJobs, topJobs } from '../store/jobs.ts';
import type { JobRow } from '../store/jobs.ts';
import { brief, stateOnly, summary } from './job-view.ts';

/** Rows built at a time; other requests run between two portions. */
const PORTION = 500;

type Show = (row: JobRow) => Promise<object>;

type Read = (after: JobRow | undefined, limit: number) => Promise<JobRow[]>;

/** The parts of a JSON list of rows, a portion at a time. */
async function* partsOf(read: Read, show: Show): AsyncGenerator<string> {
  let lead = '[';
  for (let after: JobRow | undefined; ;) {
    const rows = await read(after, PORTION);
    const parts: string[] = [];
    for (const row of rows) parts.push(JSON.stringify(await show(row)));
    if (parts.length > 0) {
      yield lead + parts.join(',');
      lead = ',';
    }
    const last = rows.at(-1);
    if (!last || rows.length < PORTION) break;
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

/** The same as a stream, of which only a portion is in memory. What cannot be read at all is an error before it begins. */
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
  to: Position;
  /** Undefined if all rows are wanted, or have to be read again. */
  changes: Change[] | undefined;
  isReset: boolean;
}

/** `parent`: only changes of its children. */
async function changesSince({ db }: Source, accountId: number, since: string, parent?: number): Promise<Since> {
  // Rows are read after it, and may be newer: their changes are then listed once more.
  const to = await currentPosition(db);
  if (since === '') return { to, changes: undefined, isReset: false };
  const from = parsePosition(since);
  const changes = (from && (await changesBetween(db, accountId, from, to, parent)))?.filter(({ kind }) =>
    parent === undefined ? kind === 'job' || kind === 'device' : kind === 'job',
  );
  return { to, changes, isReset: changes === undefined };
}

/** Those of these jobs that `isListed`, and the seqs of all that are not. */
async function rowsOfList(
  { db }: Source,
  accountId: number,
  seqs: Iterable<number>,
  isListed: (row: JobRow) => boolean,
  show: Show,
): Promise<{ json: string; others: Set<number> }> {
  const others = new Set(seqs);
  const all = [...others].toSorted((one, other) => one - other);
  const parts: string[] = [];
  for (let from = 0; from < all.length; from += PORTION) {
    if (from > 0) await nextTurn();
    for (const row of await jobsOfList(db, accountId, all.slice(from, from + PORTION))) {
      if (!isListed(row)) continue;
      others.delete(row.seq);
      parts.push(JSON.stringify(await show(row)));
    }
  }
  return { json: `[${parts.join(',')}]`, others };
}

/** `rows`: the JSON list under the name `of`. */
function answered({ to, isReset }: Since, of: 'Children' | 'Jobs' | 'Items', rows: string, more: object = {}): string {
  const head = JSON.stringify({ Version: printPosition(to), Reset: isReset, ...more });
  return `${head.slice(0, -1)},"${of}":${rows}}`;
}

/** For rows without Command and output: those may hold secrets, which must not be compressed. */
const compressible = (json: string) => new JsonResponse(Buffer.from(json), undefined, { compressible: true });

/** The children of a parent that changed; all of them if some were deleted, as the answer does not name these. */
export async function childrenSince(
  source: Source,
  accountId: number,
  parent: JobRow,
  version: string,
): Promise<JsonResponse> {
  const since = await changesSince(source, accountId, version, parent.seq);
  const show = (row: JobRow) => stateOnly(source, row);
  if (!since.changes || since.changes.some(({ what }) => what === 'removed')) {
    const rows = await rowsOf((after, limit) => childJobs(source.db, parent.seq, after?.seq ?? 0, limit), show);
    return compressible(answered({ ...since, isReset: version !== '' }, 'Children', rows));
  }
  const seqs = since.changes.map(({ object }) => object);
  const { json } = await rowsOfList(source, accountId, seqs, () => true, show);
  return compressible(answered(since, 'Children', json));
}

const ofJobs = (changes: readonly Change[]) => changes.filter(({ kind }) => kind === 'job');

/** Single jobs and parents that changed, parents with their children's states. */
export async function topJobsSince(source: Source, accountId: number, version: string): Promise<JsonResponse> {
  const since = await changesSince(source, accountId, version);
  const { db } = source;
  if (!since.changes) {
    const show = (row: JobRow) => summary(source, row);
    const rows = await rowsOf((after, limit) => topJobs(db, accountId, after?.seq ?? 0, limit), show);
    return new JsonResponse(answered(since, 'Jobs', rows, { Removed: [] }));
  }
  const { json, Removed } = await changedTopJobs(source, accountId, since.changes);
  return new JsonResponse(answered(since, 'Jobs', json, { Removed }));
}

/** The same for who has read pages of the list: without any row where all would have to be read again. */
export async function pagedJobsSince(source: Source, accountId: number, version: string): Promise<JsonResponse> {
  const since = await changesSince(source, accountId, version);
  if (!since.changes)
    return new JsonResponse(answered({ ...since, isReset: true }, 'Items', '[]', { Next: '', Removed: [] }));
  const { json, Removed } = await changedTopJobs(source, accountId, since.changes);
  return new JsonResponse(answered(since, 'Items', json, { Next: '', Removed }));
}

async function changedTopJobs(source: Source, accountId: number, changes: readonly Change[]) {
  const { db } = source;
  const show = (row: JobRow) => summary(source, row);
  const jobs = ofJobs(changes);
  const seqs = new Set(jobs.map(({ object, parent }) => parent ?? object));
  // A device that comes or goes changes how many of its parents' children wait for devices that are Offline.
  const devices = changes.flatMap(({ kind, object }) => (kind === 'device' ? [object] : []));
  for (const seq of await parentsWaitingFor(db, devices)) seqs.add(seq);
  const isListed = (row: JobRow) => row.parent_seq === null && row.archived === null;
  const { json, others } = await rowsOfList(source, accountId, seqs, isListed, show);
  // Deleted or archived, and not restored since.
  const removed = jobs.filter(
    ({ what, parent, object }) => what === 'removed' && parent === null && others.has(object),
  );
  return { json, Removed: [...new Set(removed.map(({ id }) => id))] };
}

/** Jobs that wait or run and changed, and those that do so no more. */
export async function queuesSince(source: Source, accountId: number, version: string): Promise<JsonResponse> {
  const since = await changesSince(source, accountId, version);
  const { db } = source;
  const show = (row: JobRow) => brief(source, row);
  if (!since.changes) {
    const rows = await rowsOf((after, limit) => queuedJobs(db, accountId, after, limit), show);
    return compressible(answered(since, 'Jobs', rows, { Removed: [] }));
  }
  const jobs = ofJobs(since.changes);
  const isQueued = (row: JobRow) => row.device_seq !== null && row.ended === null;
  const seqs = jobs.map(({ object }) => object);
  const { json, others } = await rowsOfList(source, accountId, seqs, isQueued, show);
  const left = jobs.filter(({ object }) => others.has(object));
  return compressible(answered(since, 'Jobs', json, { Removed: [...new Set(left.map(({ id }) => id))] }));
}
