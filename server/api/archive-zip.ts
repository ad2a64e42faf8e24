// Archived jobs as files of a ZIP: of each job its data as JSON, and each output as plain text besides, readable with
// any program. Jobs and outputs are read when it is their turn.
import type { Stream } from '#/contract/agent-link.ts';
import type { Job } from '#/contract/jobs.ts';
import type { ZipFile } from '../http/zip-stream.ts';
import type { Reader } from '../store/database.ts';
import { slicesOf, smallOutputs } from '../store/job-output.ts';
import { childJobs } from '../store/jobs.ts';
import type { JobRow } from '../store/jobs.ts';
import { fullWith, stateOnly } from './job-view.ts';

/** Rows of a file with outputs, and about the most bytes of it. */
const ROWS = 500;
const PIECE_BYTES = 1_000_000;

/** A name that is safe on every file system, and never one of those that Windows reserves. */
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

/** The token in a Command downloads its artifact: it is in no file. */
const withoutToken = (command: string) => command.replaceAll(/([?&]token=)[^&\s'"]+/g, '$1…');

/** Children in the order of submission; a job to one device is its own only one. */
async function* devicesOf(db: Reader, job: JobRow): AsyncGenerator<JobRow> {
  if (job.device_seq !== null) {
    yield job;
    return;
  }
  for (let after = 0; ;) {
    const rows = await childJobs(db, job.seq, after, ROWS);
    yield* rows;
    after = rows.at(-1)?.seq ?? 0;
    if (rows.length < ROWS) return;
  }
}

export async function* archivedFiles(db: Reader, jobs: AsyncIterable<JobRow>): AsyncGenerator<ZipFile> {
  let number = 0;
  for await (const job of jobs) {
    const folder = `${numbered(++number, 4)}-${safeName(job.name || job.id)}`;
    yield { name: `${folder}/job.json`, content: head(db, job) };
    let row = 0;
    for await (const [piece, rows] of piecesOf(devicesOf(db, job))) {
      const read = await outputReader(db, rows);
      yield { name: `${folder}/output-${piece}.json`, content: outputs(db, rows, read) };
      for (const device of rows) {
        // The number makes names unique, and nothing that a device is called can be a path.
        const name = `${folder}/${numbered(++row, 5)}-${safeName(device.device_name || device.device_id)}`;
        for (const stream of ['stdout', 'stderr'] as const) {
          const content = await begun(read(device, stream));
          if (content) yield { name: `${name}.${stream}.txt`, content };
        }
        if (device.reason) yield { name: `${name}.result.txt`, content: texts([Buffer.from(device.reason)]) };
      }
    }
  }
}

type OutputReader = (row: JobRow, stream: Stream) => AsyncGenerator<Buffer>;

/** Small outputs are read at once; a large one piece by piece, whenever it is asked for. */
async function outputReader(db: Reader, rows: readonly JobRow[]): Promise<OutputReader> {
  const small = rows.filter(({ output_bytes }) => output_bytes <= PIECE_BYTES);
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

/** Devices whose outputs make a file. */
async function* piecesOf(devices: AsyncIterable<JobRow>): AsyncGenerator<[piece: number, rows: JobRow[]]> {
  let piece = 0;
  let rows: JobRow[] = [];
  let bytes = 0;
  for await (const row of devices) {
    rows.push(row);
    bytes += row.output_bytes;
    if (bytes < PIECE_BYTES && rows.length < ROWS) continue;
    yield [++piece, rows];
    rows = [];
    bytes = 0;
  }
  if (rows.length > 0) yield [++piece, rows];
}

async function* head(db: Reader, job: JobRow): AsyncGenerator<Buffer> {
  const file = { format: 'muster-archive', version: 1, archived: job.archived, job: await shown(db, job) };
  yield Buffer.from(`${JSON.stringify(file, undefined, 1).slice(0, -2)},\n "rows": `);
  yield* list(devicesOf(db, job), async (row) => shown(db, row));
  yield Buffer.from('\n}');
}

const outputs = (db: Reader, rows: readonly JobRow[], read: OutputReader) =>
  list(rows, async (row): Promise<Job> => {
    const whole = async (stream: Stream) => {
      const pieces: Buffer[] = [];
      for await (const piece of read(row, stream)) pieces.push(piece);
      return Buffer.concat(pieces);
    };
    const { Command, ...job } = await fullWith({ db }, row, await whole('stdout'), await whole('stderr'));
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

/** Items as one JSON list. */
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

/** The pieces, once there is a first one; undefined if there is none. */
async function begun(pieces: AsyncGenerator<Buffer>): Promise<AsyncIterable<Buffer> | undefined> {
  const first = await pieces.next();
  if (first.done) return undefined;
  return (async function* () {
    yield first.value;
    yield* pieces;
  })();
}
