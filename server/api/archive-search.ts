// Searches archived jobs incrementally: a request ends after a time limit with what it found so far, and its cursor
// says where the next request continues. Output is read in batches, between which other requests run.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SearchHit } from '#/contract/archive.ts';
import { ARCHIVE_START, archivedJobs, outputOfJobs, searchedChildren } from '../store/archive.ts';
import type { ArchivePosition, SearchedJob } from '../store/archive.ts';
import type { Reader } from '../store/database.ts';
import { slicesOf } from '../store/job-output.ts';
import type { JobRow } from '../store/jobs.ts';
import type { Scope } from '../store/scope.ts';
import { TextSearch } from './text-search.ts';

/** Where a search continues: if `child` is not 0, within a job after that child, with the number of hits so far. */
interface SearchPosition extends ArchivePosition {
  child: number;
  hits: number;
}

export interface FoundJob {
  row: JobRow;
  hits: SearchHit[];
  hasMore: boolean;
}

export interface Found {
  jobs: FoundJob[];
  /** Undefined at the end of the archive. */
  next: string | undefined;
  searched: { Jobs: number; Bytes: number };
}

/** How long one request searches. */
const SEARCH_MS = 250;
/** Jobs and children per read. */
const JOBS = 50;
const CHILDREN = 200;
/** Output per read, of several children or of one. */
const BATCH_BYTES = 256 * 1024;
/** The most hits in a stream, and in a job. */
const MAX_STREAM_HITS = 5;
const MAX_JOB_HITS = 50;

const printNext = ({ archived, seq, child, hits }: SearchPosition) => [archived, seq, child, hits].join('.');

function parseBefore(before: string): SearchPosition {
  const [archived = ARCHIVE_START.archived, seq = ARCHIVE_START.seq, child = 0, hits = 0] =
    before === '' ? [] : before.split('.').map(Number);
  return { archived, seq, child, hits };
}

const STREAMS = { 1: 'Stdout', 2: 'Stderr' } as const;

export async function searchArchive(
  db: Reader,
  scope: Scope,
  { search, before, limit }: { search: string; before: string; limit: number },
): Promise<Found> {
  const until = performance.now() + SEARCH_MS;
  const needle = search.toLowerCase();
  const jobs: FoundJob[] = [];
  const searched = { Jobs: 0, Bytes: 0 };
  let left = limit;
  const at = parseBefore(before);
  const isOver = () => performance.now() >= until || left <= 0;

  /** Searches the streams of a child, up to a limit of hits in each. */
  const searchStreams = async (found: FoundJob, child: SearchedJob, pieces: AsyncIterable<[1 | 2, Uint8Array]>) => {
    const searches = { 1: new TextSearch(needle, MAX_STREAM_HITS), 2: new TextSearch(needle, MAX_STREAM_HITS) };
    for await (const [stream, bytes] of pieces) {
      searched.Bytes += bytes.length;
      searches[stream].add(bytes);
    }
    for (const stream of [1, 2] as const) {
      const { lines, hasMore } = searches[stream].end();
      for (const { line, text } of lines) add(found, child, STREAMS[stream], text, line);
      found.hasMore ||= hasMore;
    }
  };

  const add = (
    { hits }: FoundJob,
    { id, device_name, device_id }: Pick<SearchedJob, 'id' | 'device_name' | 'device_id'>,
    where: SearchHit['In'],
    text: string,
    line = 1,
  ) => {
    hits.push({ JobId: id, DeviceName: device_name || device_id, In: where, Line: line, Text: text });
    left -= 1;
    at.hits += 1;
  };
  const searchText = (found: FoundJob, of: Parameters<typeof add>[1], where: SearchHit['In'], text: string) => {
    const textSearch = new TextSearch(needle, 1);
    textSearch.add(Buffer.from(text));
    for (const { line, text: shown } of textSearch.end().lines) add(found, of, where, shown, line);
  };

  /** Searches children whose output is read together, or one child with large output. */
  const searchBatch = async (found: FoundJob, some: readonly SearchedJob[]) => {
    const [first] = some;
    const isLarge = some.length === 1 && first !== undefined && first.output_bytes > BATCH_BYTES;
    const read = isLarge ? [] : some.flatMap(({ seq, output_bytes }) => (output_bytes > 0 ? [seq] : []));
    const bySeq = Map.groupBy(read.length === 0 ? [] : await outputOfJobs(db, read), ({ job_seq }) => job_seq);
    for (const child of some) {
      searchText(found, child, 'DeviceName', child.device_name);
      if (child.output_bytes > 0)
        await searchStreams(
          found,
          child,
          isLarge ? largeOutput(db, child.seq) : smallOutput(bySeq.get(child.seq) ?? []),
        );
      searchText(found, child, 'Result', child.reason);
      at.child = child.seq;
    }
    await nextTurn();
  };

  /** Searches children; false if the time or the limits ran out before the last one. */
  const searchChildren = async (found: FoundJob, children: readonly SearchedJob[]): Promise<boolean> => {
    for (let from = 0; from < children.length;) {
      if (isOver() || at.hits >= MAX_JOB_HITS) return false;
      let to = from;
      for (let bytes = 0; to < children.length; to++) {
        bytes += children[to]?.output_bytes ?? 0;
        if (to > from && bytes > BATCH_BYTES) break;
      }
      await searchBatch(found, children.slice(from, to));
      from = to;
    }
    return true;
  };

  const searchJob = async (found: FoundJob): Promise<boolean> => {
    const { row } = found;
    if (at.child === 0) {
      searchText(found, row, 'JobName', row.name);
      searchText(found, row, 'Command', row.command);
      at.child = row.seq;
      if (row.device_seq !== null) await searchBatch(found, [row]);
    }
    if (row.device_seq !== null) return true;
    for (;;) {
      const children = await searchedChildren(db, scope, row.seq, at.child, CHILDREN);
      if (children.length === 0) return true;
      if (!(await searchChildren(found, children))) return false;
    }
  };

  // A job that the last request did not finish is read again.
  for await (const row of jobsFrom(db, scope, { archived: at.archived, seq: at.child > 0 ? at.seq + 1 : at.seq })) {
    if (isOver()) return { jobs, next: printNext(at), searched };
    if (row.seq !== at.seq || row.archived !== at.archived)
      Object.assign(at, { archived: row.archived, seq: row.seq, child: 0, hits: 0 });
    const found: FoundJob = { row, hits: [], hasMore: false };
    const isComplete = await searchJob(found);
    const isFull = !isComplete && at.hits >= MAX_JOB_HITS;
    found.hasMore ||= isFull;
    if (found.hits.length > 0) jobs.push(found);
    if (!isComplete && !isFull) return { jobs, next: printNext(at), searched };
    searched.Jobs += 1;
    at.child = 0;
  }
  return { jobs, next: undefined, searched };
}

async function* jobsFrom(db: Reader, scope: Scope, begin: ArchivePosition): AsyncGenerator<JobRow> {
  for (let after = begin; ;) {
    const rows = await archivedJobs(db, scope, after, JOBS);
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < JOBS) return;
    after = { archived: last.archived ?? 0, seq: last.seq };
  }
}

async function* smallOutput(
  pieces: readonly { stream: 1 | 2; bytes: Uint8Array }[],
): AsyncGenerator<[1 | 2, Uint8Array]> {
  for (const { stream, bytes } of pieces) yield [stream, bytes];
}

async function* largeOutput(db: Reader, seq: number): AsyncGenerator<[1 | 2, Uint8Array]> {
  for (const [stream, name] of [
    [1, 'stdout'],
    [2, 'stderr'],
  ] as const)
    for (let from = 0; ; from += BATCH_BYTES) {
      let length = 0;
      for await (const slice of slicesOf(db, seq, name, from, from + BATCH_BYTES)) {
        length += slice.length;
        yield [stream, slice];
      }
      await nextTurn();
      if (length < BATCH_BYTES) break;
    }
}
