// What an archived job is: a head for the list, the rows of its devices without their output, and the output in packed
// pieces, so that a job of ten thousand devices is opened, searched and saved without all of it in memory at once.
import type { Job } from '#/contract/jobs.ts';
import { isParent } from '#/api/job-state.ts';
import { countStates } from '#/features/jobs/outcome.ts';
import type { VerdictCounts } from '#/features/jobs/verdict.ts';
import { maskToken } from '#/features/jobs/mask-token.ts';

export interface ArchivedJob {
  id: string;
  /** When it was archived, in milliseconds. */
  archived: number;
  /** The job as last read from the service, without output; secrets in its Command are masked. */
  job: Job;
  /** How its devices ended. */
  outcome: VerdictCounts;
  devices: number;
  /** Characters of output. */
  size: number;
  /** The first row of each piece. */
  pieces: number[];
}

/** An archived job with all that belongs to it. */
export interface SealedJob {
  head: ArchivedJob;
  rows: Uint8Array<ArrayBuffer>;
  /** Each some rows with their output. */
  outputs: Uint8Array<ArrayBuffer>[];
}

/** A piece is closed once it has this many characters of output. */
const PIECE = 1_000_000;
/** Rows of a piece, however short they are. */
const MOST_ROWS = 500;

const lengthOf = ({ Stdout = '', Stderr = '', Result }: Job) => Stdout.length + Stderr.length + Result.length;

/** Gzip: the browser's own, which everything that can keep a database has. */
async function pack(value: unknown): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function unpack(bytes: Uint8Array<ArrayBuffer>): Promise<unknown> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return JSON.parse(await new Response(stream).text()) as unknown;
}

export const unpackRows = async (bytes: Uint8Array<ArrayBuffer>): Promise<Job[]> => (await unpack(bytes)) as Job[];

/**
 * A job as it is stored: the token that downloads an artifact does not belong in a permanent copy, and a Result that
 * repeats Stdout and Stderr would double it.
 */
function storable(job: Job): Job {
  const { Command, JobId, JobName, DeviceId, ArtifactId, WorkflowId, Stdout, Stderr, Result } = job;
  const printed = `${Stdout ?? ''}${Stderr ?? ''}`;
  return {
    ...job,
    Command: maskToken(Command, [JobId, JobName, DeviceId, ArtifactId, WorkflowId]),
    Result: Result.startsWith(printed) ? Result.slice(printed.length).trim() : Result,
  };
}

/** A row without its output. */
const bare = ({ Stdout: _out, Stderr: _err, ...job }: Job): Job => ({ ...job, Result: '' });

/** Seals a job and its rows one by one, as they arrive; a job to one device is its own only row. */
export class Sealer {
  private readonly job: Job;
  private readonly rows: Job[] = [];
  private open: Job[] = [];
  private length = 0;
  private size = 0;
  private readonly pieces: number[] = [];
  private readonly outputs: Uint8Array<ArrayBuffer>[] = [];

  constructor(job: Job) {
    this.job = job;
  }

  async add(row: Job): Promise<void> {
    const clean = storable(row);
    if (this.open.length === 0) this.pieces.push(this.rows.length);
    this.rows.push(bare(clean));
    this.open.push(clean);
    this.length += lengthOf(clean);
    if (this.length >= PIECE || this.open.length >= MOST_ROWS) await this.close();
  }

  private async close(): Promise<void> {
    if (this.open.length === 0) return;
    const rows = this.open;
    this.size += this.length;
    this.open = [];
    this.length = 0;
    this.outputs.push(await pack(rows));
  }

  async seal(now: number = Date.now()): Promise<SealedJob> {
    await this.close();
    const { job, rows, pieces, size, outputs } = this;
    return {
      head: {
        id: job.JobId,
        archived: now,
        job: isParent(job) ? storable(job) : bare(storable(job)),
        outcome: countStates(rows),
        devices: rows.length,
        size,
        pieces,
      },
      rows: await pack(rows),
      outputs,
    };
  }
}

/** The piece that holds the output of a row. */
export const pieceOf = ({ pieces }: ArchivedJob, row: number): number => pieces.findLastIndex((first) => first <= row);

/** Bytes that a sealed job takes in a store, without what its head takes. */
export const sealedBytes = ({ rows, outputs }: SealedJob): number =>
  outputs.reduce((sum, { length }) => sum + length, rows.length);
