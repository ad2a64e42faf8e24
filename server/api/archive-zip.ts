// Archived jobs as files in a ZIP: each job's data as JSON, and also each output as plain text that any program can
// read. Jobs and outputs are read only when the ZIP gets to them.
import type { Stream } from '#/contract/agent-link.ts';
import type { Job } from '#/contract/jobs.ts';
import type { ZipFile } from '../http/zip-stream.ts';
import type { Reader } from '../store/database.ts';
import { slicesOf, smallOutputs } from '../store/job-output.ts';
import { childJobs } from '../store/jobs.ts';
import type { JobRow } from '../store/jobs.ts';
import type { Scope } from '../store/scope.ts';
import { fullWith, stateOnly } from './job-view.ts';

/** The most rows in a file of outputs, and about the most bytes. */
const ROWS = 500;
const FILE_BYTES = 1_000_000;

/** A name that is safe on every file system, and never one that Windows reserves. */
function safeName(text: string): string {
  const name = text
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .replaceAll(/\.{2,}/g, '.')
    .replaceAll(/^[.-]+|[.-]+$/g, '');
  const most = /^.{0,60}/u.exec(name)?.[0] ?? '';
  return most.replace(/[.-]+$/, '') || 'unnamed';
}

const numbered = (number: number, width: number) => String(number).padStart(width, '0');

/** Removes the token from a Command, because anybody who has it can download the artifact. */
const withoutToken = (command: string) => command.replaceAll(/([?&]token=)[^&\s'"]+/g, '$1…');

/** The jobs of devices in the order of submission; a single job is its own. */
async function* devicesOf(db: Reader, scope: Scope, job: JobRow): AsyncGenerator<JobRow> {
  if (job.device_seq !== null) {
    yield job;
    return;
  }
  for (let after = 0; ;) {
    const rows = await childJobs(db, scope, job.seq, after, ROWS);
    yield* rows;
    after = rows.at(-1)?.seq ?? 0;
    if (rows.length < ROWS) return;
  }
}

export async function* archivedFiles(db: Reader, scope: Scope, jobs: AsyncIterable<JobRow>): AsyncGenerator<ZipFile> {
  let number = 0;
  for await (const job of jobs) {
    const folder = `${numbered(++number, 4)}-${safeName(job.name || job.id)}`;
    yield { name: `${folder}/job.json`, content: jobFile(db, scope, job) };
    let row = 0;
    for await (const [piece, rows] of outputFiles(devicesOf(db, scope, job))) {
      const read = await outputReader(db, rows);
      yield { name: `${folder}/output-${piece}.json`, content: outputFile(db, rows, read) };
      for (const device of rows) {
        // The number makes the name unique, and `safeName` makes sure that it is not a path.
        const name = `${folder}/${numbered(++row, 5)}-${safeName(device.device_name || device.device_id)}`;
        for (const stream of ['stdout', 'stderr'] as const) {
          const content = await ifNotEmpty(read(device, stream));
          if (content) yield { name: `${name}.${stream}.txt`, content };
        }
        if (device.reason) yield { name: `${name}.result.txt`, content: texts([Buffer.from(device.reason)]) };
      }
    }
  }
}

type OutputReader = (row: JobRow, stream: Stream) => AsyncGenerator<Buffer>;

/** Small outputs are read together in advance; a large one is streamed when it is needed. */
async function outputReader(db: Reader, rows: readonly JobRow[]): Promise<OutputReader> {
  const small = rows.filter(({ output_bytes }) => output_bytes <= FILE_BYTES);
  const outputOf = await smallOutputs(
    db,
    small.map(({ seq }) => seq),
  );
  const isSmall = new Set(small);
  return (row, stream) => {
    if (!isSmall.has(row)) return slicesOf(db, row.seq, stream, 0, Number.MAX_SAFE_INTEGER);
    const [stdout, stderr] = outputOf(row.seq);
    return texts([stream === 'stdout' ? stdout : stderr]);
  };
}

/** Groups the jobs of devices whose outputs share a file. */
async function* outputFiles(devices: AsyncIterable<JobRow>): AsyncGenerator<[piece: number, rows: JobRow[]]> {
  let piece = 0;
  let rows: JobRow[] = [];
  let bytes = 0;
  for await (const row of devices) {
    rows.push(row);
    bytes += row.output_bytes;
    if (bytes < FILE_BYTES && rows.length < ROWS) continue;
    yield [++piece, rows];
    rows = [];
    bytes = 0;
  }
  if (rows.length > 0) yield [++piece, rows];
}

async function* jobFile(db: Reader, scope: Scope, job: JobRow): AsyncGenerator<Buffer> {
  const file = { format: 'muster-archive', version: 1, archived: job.archived, job: await shown(db, job) };
  yield Buffer.from(`${JSON.stringify(file, undefined, 1).slice(0, -2)},\n "rows": `);
  yield* list(devicesOf(db, scope, job), async (row) => shown(db, row));
  yield Buffer.from('\n}');
}

const outputFile = (db: Reader, rows: readonly JobRow[], read: OutputReader) =>
  list(rows, async (row): Promise<Job> => {
    const allOf = async (stream: Stream) => {
      const pieces: Buffer[] = [];
      for await (const piece of read(row, stream)) pieces.push(piece);
      return Buffer.concat(pieces);
    };
    const { Command, ...job } = await fullWith({ db }, row, await allOf('stdout'), await allOf('stderr'));
    return { ...job, Command: withoutToken(Command), Result: row.reason };
  });

async function shown(db: Reader, row: JobRow): Promise<Job> {
  const job = await stateOnly({ db }, row);
  // Children repeat the command of their parent.
  return {
    ...job,
    Command: row.parent_seq === null ? withoutToken(row.command) : '',
    Result: row.parent_seq === null ? row.result : row.reason,
  } as Job;
}

/** Streams items as one JSON list. */
async function* list<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  show: (item: Item) => Promise<object>,
): AsyncGenerator<Buffer> {
  let separator = '[\n';
  for await (const item of items) {
    yield Buffer.from(`${separator}${JSON.stringify(await show(item))}`);
    separator = ',\n';
  }
  yield Buffer.from(separator === '[\n' ? '[]' : '\n]');
}

async function* texts(all: readonly Buffer[]): AsyncGenerator<Buffer> {
  for (const text of all) if (text.length > 0) yield text;
}

/** The chunks, after reading the first one; undefined if there are none. */
async function ifNotEmpty(pieces: AsyncGenerator<Buffer>): Promise<AsyncIterable<Buffer> | undefined> {
  const first = await pieces.next();
  if (first.done) return undefined;
  return (async function* () {
    yield first.value;
    yield* pieces;
  })();
}
