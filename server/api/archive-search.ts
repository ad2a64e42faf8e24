// Searches archived jobs, a little in each answer: a request ends after a while with what it found, and its cursor says
// where the next one goes on. Output is read in portions, between which other requests run.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SearchHit } from '#/contract/archive.ts';
import { ARCHIVE_START, archivedJobs, outputOfJobs, searchedChildren } from '../store/archive.ts';
import type { ArchivePosition, SearchedJob } from '../store/archive.ts';
import type { Reader } from '../store/database.ts';
import { slicesOf } from '../store/job-output.ts';
import type { JobRow } from '../store/jobs.ts';
import { TextSearch } from './text-search.ts';

/** Where a search goes on: within a job after the device `child`, if that is not 0, with the hits it had so far. */
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
/** Jobs and children of one read. */
const JOBS = 50;
const CHILDREN = 200;
/** Output that is read at once, of several children or of one. */
const PORTION_BYTES = 256 * 1024;
/** Most hits in a stream, and of a job. */
const MOST_OF_STREAM = 5;
const MOST_OF_JOB = 50;

const printNext = ({ archived, seq, child, hits }: SearchPosition) => [archived, seq, child, hits].join('.');

function parseBefore(before: string): SearchPosition {
  const [archived = ARCHIVE_START.archived, seq = ARCHIVE_START.seq, child = 0, hits = 0] =
    before === '' ? [] : before.split('.').map(Number);
  return { archived, seq, child, hits };
}

const STREAMS = { 1: 'Stdout', 2: 'Stderr' } as const;

export async function searchArchive(
  db: Reader,
  accountId: number,
  { search, before, limit }: { search: string; before: string; limit: number },
): Promise<Found> {
  const until = performance.now() + SEARCH_MS;
  const needle = search.toLowerCase();
  const jobs: FoundJob[] = [];
  const searched = { Jobs: 0, Bytes: 0 };
  let left = limit;
  const at = parseBefore(before);
  const isOver = () => performance.now() >= until || left <= 0;

  /** Looks in the streams of a child; the hits, at most a few of each. */
  const inStreams = async (found: FoundJob, child: SearchedJob, pieces: AsyncIterable<[1 | 2, Uint8Array]>) => {
    const searches = { 1: new TextSearch(needle, MOST_OF_STREAM), 2: new TextSearch(needle, MOST_OF_STREAM) };
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
  const addIn = (found: FoundJob, of: Parameters<typeof add>[1], where: SearchHit['In'], text: string) => {
    const looked = new TextSearch(needle, 1);
    looked.add(Buffer.from(text));
    for (const { line, text: shown } of looked.end().lines) add(found, of, where, shown, line);
  };

  /** Devices with little output in one read. */
  const inPortion = async (found: FoundJob, some: readonly SearchedJob[]) => {
    const [first] = some;
    const isLarge = some.length === 1 && first !== undefined && first.output_bytes > PORTION_BYTES;
    const read = isLarge ? [] : some.flatMap(({ seq, output_bytes }) => (output_bytes > 0 ? [seq] : []));
    const bySeq = Map.groupBy(read.length === 0 ? [] : await outputOfJobs(db, read), ({ job_seq }) => job_seq);
    for (const child of some) {
      addIn(found, child, 'DeviceName', child.device_name);
      if (child.output_bytes > 0)
        await inStreams(found, child, isLarge ? largeOutput(db, child.seq) : smallOutput(bySeq.get(child.seq) ?? []));
      addIn(found, child, 'Result', child.reason);
      at.child = child.seq;
    }
    await nextTurn();
  };

  /** False if it was interrupted before the last one. */
  const inChildren = async (found: FoundJob, children: readonly SearchedJob[]): Promise<boolean> => {
    for (let from = 0; from < children.length;) {
      if (isOver() || at.hits >= MOST_OF_JOB) return false;
      let to = from;
      for (let bytes = 0; to < children.length; to++) {
        bytes += children[to]?.output_bytes ?? 0;
        if (to > from && bytes > PORTION_BYTES) break;
      }
      await inPortion(found, children.slice(from, to));
      from = to;
    }
    return true;
  };

  const inJob = async (found: FoundJob): Promise<boolean> => {
    const { row } = found;
    if (at.child === 0) {
      addIn(found, row, 'JobName', row.name);
      addIn(found, row, 'Command', row.command);
      at.child = row.seq;
      if (row.device_seq !== null) await inPortion(found, [row]);
    }
    if (row.device_seq !== null) return true;
    for (;;) {
      const children = await searchedChildren(db, row.seq, at.child, CHILDREN);
      if (children.length === 0) return true;
      if (!(await inChildren(found, children))) return false;
    }
  };

  // A job that was begun is read again.
  for await (const row of jobsFrom(db, accountId, { archived: at.archived, seq: at.child > 0 ? at.seq + 1 : at.seq })) {
    if (isOver()) return { jobs, next: printNext(at), searched };
    if (row.seq !== at.seq || row.archived !== at.archived)
      Object.assign(at, { archived: row.archived, seq: row.seq, child: 0, hits: 0 });
    const found: FoundJob = { row, hits: [], hasMore: false };
    const isWhole = await inJob(found);
    const isFull = !isWhole && at.hits >= MOST_OF_JOB;
    found.hasMore ||= isFull;
    if (found.hits.length > 0) jobs.push(found);
    if (!isWhole && !isFull) return { jobs, next: printNext(at), searched };
    searched.Jobs += 1;
    at.child = 0;
  }
  return { jobs, next: undefined, searched };
}

async function* jobsFrom(db: Reader, accountId: number, begin: ArchivePosition): AsyncGenerator<JobRow> {
  for (let after = begin; ;) {
    const rows = await archivedJobs(db, accountId, after, JOBS);
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
    for (let from = 0; ; from += PORTION_BYTES) {
      let length = 0;
      for await (const slice of slicesOf(db, seq, name, from, from + PORTION_BYTES)) {
        length += slice.length;
        yield [stream, slice];
      }
      await nextTurn();
      if (length < PORTION_BYTES) break;
    }
}
