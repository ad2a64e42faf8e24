// The order in which the two streams of a job arrived. A run is consecutive output of one stream; only the offsets of
// both streams at its start are stored, so that a growing run needs no write.
import type { Stream } from '#/contract/agent-link.ts';
import type { Reader, Tx } from './database.ts';

export interface RunStart {
  number: number;
  stream: Stream;
  /** Bytes of each stream that came before it. */
  stdout: number;
  stderr: number;
  /** When its first byte arrived. */
  at: number;
}

/** The latest run of a job whose output is being stored; without a stream before there is one. */
export interface OutputRun {
  /** How many there are. */
  count: number;
  stream: Stream | undefined;
  at: number;
}

/** Output after a pause of this length is a new run, so that its time is known. */
const LONGEST_RUN_MS = 1000;
/** More than a reader can use; later output belongs to the last run. */
const MOST_RUNS = 50_000;

/** Most bytes that there can be of a character without its end. */
const HALF_CHARACTER = 3;

type Row = Omit<RunStart, 'stream'> & { stream: 1 | 2 };
const readRow = ({ stream, ...row }: Row): RunStart => ({ ...row, stream: stream === 1 ? 'stdout' : 'stderr' });

/** The run that these bytes begin, noted in `run`; undefined where they belong to the one before. */
export function nextRun(
  run: OutputRun,
  stream: Stream,
  have: { stdout: number; stderr: number },
  at: number,
): RunStart | undefined {
  if (run.count >= MOST_RUNS || (run.stream === stream && at - run.at < LONGEST_RUN_MS)) return undefined;
  const start: RunStart = { number: run.count, stream, stdout: have.stdout, stderr: have.stderr, at };
  run.count += 1;
  run.stream = stream;
  run.at = at;
  return start;
}

/** Notes where runs begin; nothing happens when the job was deleted in the meantime. */
export function addRuns(tx: Tx, jobSeq: number, runs: readonly RunStart[]): void {
  for (const { number, stream, stdout, stderr, at } of runs)
    tx.run(
      `INSERT INTO output_order (job_seq, number, stream, stdout, stderr, at)
       SELECT seq, ?, ?, ?, ?, ? FROM jobs WHERE seq = ?`,
      number,
      stream === 'stdout' ? 1 : 2,
      stdout,
      stderr,
      at,
      jobSeq,
    );
}

/** Where a job that is offered again goes on. One with output from before there was an order gets none. */
export function latestRun(db: Reader, jobSeq: number, hasOutput: boolean): OutputRun {
  const row = db.get<Row>('SELECT * FROM output_order WHERE job_seq = ? ORDER BY number DESC LIMIT 1', jobSeq);
  if (!row) return { count: hasOutput ? MOST_RUNS : 0, stream: undefined, at: 0 };
  const { number, stream, at } = readRow(row);
  return { count: number + 1, stream, at };
}

/**
 * The runs from the one on that a reader is in who has this much of each stream, at most so many. Undefined where there
 * is no order, or where the reader did not read in it.
 */
export function runsFrom(
  db: Reader,
  jobSeq: number,
  { stdout, stderr }: { stdout: number; stderr: number },
  most: number,
): RunStart[] | undefined {
  const lastBefore = (ahead: number) =>
    db.get<{ number: number }>(
      'SELECT number FROM output_order WHERE job_seq = ? AND stdout <= ? AND stderr <= ? ORDER BY number DESC LIMIT 1',
      jobSeq,
      stdout + ahead,
      stderr + ahead,
    )?.number;
  const exact = lastBefore(0);
  // A character that was cut by something else is with the reader only once it is whole.
  const near = lastBefore(HALF_CHARACTER);
  if (exact === undefined || near === undefined) return undefined;
  const from = (first: number, count: number) =>
    db
      .all<Row>(
        `SELECT number, stream, stdout, stderr, at FROM output_order WHERE job_seq = ? AND number >= ?
         ORDER BY number LIMIT ?`,
        jobSeq,
        first,
        count,
      )
      .map(readRow);
  const [, next] = from(near, 2);
  if (next && (next.stdout < stdout || next.stderr < stderr)) return undefined;
  return from(near - exact < most / 2 ? exact : near, most);
}
