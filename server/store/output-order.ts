// The order in which the output of a job's two streams arrived. A run is consecutive output of one stream. Only the
// offsets of both streams at its start are stored, so a growing run needs no write.
import type { Stream } from '#/contract/agent-link.ts';
import type { Reader, Tx } from './database.ts';

export interface RunStart {
  number: number;
  stream: Stream;
  /** The bytes of each stream before the run. */
  stdout: number;
  stderr: number;
  /** When its first byte arrived. */
  at: number;
}

/** The latest run of a job whose output is arriving; `stream` is undefined before the first run. */
export interface OutputRun {
  /** The number of runs. */
  count: number;
  stream: Stream | undefined;
  at: number;
}

/** Output after a pause of this length starts a new run, so that its time is known. */
const LONGEST_RUN_MS = 1000;
/** More runs would not help a reader; all later output belongs to the last run. */
const MAX_RUNS = 50_000;

/** The most bytes of an incomplete character. */
const HALF_CHARACTER = 3;

type Row = Omit<RunStart, 'stream'> & { stream: 1 | 2 };
const readRow = ({ stream, ...row }: Row): RunStart => ({ ...row, stream: stream === 1 ? 'stdout' : 'stderr' });

/** The run that this output starts, which is also recorded in `run`; undefined if it continues the current run. */
export function nextRun(
  run: OutputRun,
  stream: Stream,
  have: { stdout: number; stderr: number },
  at: number,
): RunStart | undefined {
  if (run.count >= MAX_RUNS || (run.stream === stream && at - run.at < LONGEST_RUN_MS)) return undefined;
  const start: RunStart = { number: run.count, stream, stdout: have.stdout, stderr: have.stderr, at };
  run.count += 1;
  run.stream = stream;
  run.at = at;
  return start;
}

/** Stores the starts of runs; does nothing if the job was deleted in the meantime. */
export async function addRuns(tx: Tx, jobSeq: number, runs: readonly RunStart[]): Promise<void> {
  for (const { number, stream, stdout, stderr, at } of runs)
    await tx.run(
      `INSERT INTO output_runs (job_seq, number, stream, stdout, stderr, at)
       SELECT seq, ?, ?, ?, ?, ? FROM jobs WHERE seq = ?`,
      number,
      stream === 'stdout' ? 1 : 2,
      stdout,
      stderr,
      at,
      jobSeq,
    );
}

/** The run that a job continues when it is offered again. Output without a stored order never gets one later. */
export async function latestRun(db: Reader, jobSeq: number, hasOutput: boolean): Promise<OutputRun> {
  const row = await db.get<Row>('SELECT * FROM output_runs WHERE job_seq = ? ORDER BY number DESC LIMIT 1', jobSeq);
  if (!row) return { count: hasOutput ? MAX_RUNS : 0, stream: undefined, at: 0 };
  const { number, stream, at } = readRow(row);
  return { count: number + 1, stream, at };
}

/**
 * At most `limit` runs from the one that a reader has reached, given how much of each stream it has read. Undefined if
 * no order is stored, or if the reader did not read in that order.
 */
export async function runsFrom(
  db: Reader,
  jobSeq: number,
  { stdout, stderr }: { stdout: number; stderr: number },
  limit: number,
): Promise<RunStart[] | undefined> {
  const lastBefore = async (ahead: number) =>
    (
      await db.get<{ number: number }>(
        'SELECT number FROM output_runs WHERE job_seq = ? AND stdout <= ? AND stderr <= ? ORDER BY number DESC LIMIT 1',
        jobSeq,
        stdout + ahead,
        stderr + ahead,
      )
    )?.number;
  const exact = await lastBefore(0);
  // A character that other output interrupted has reached the reader only when it is complete.
  const near = await lastBefore(HALF_CHARACTER);
  if (exact === undefined || near === undefined) return undefined;
  const from = async (first: number, count: number) =>
    (
      await db.all<Row>(
        `SELECT number, stream, stdout, stderr, at FROM output_runs WHERE job_seq = ? AND number >= ?
         ORDER BY number LIMIT ?`,
        jobSeq,
        first,
        count,
      )
    ).map(readRow);
  const [, next] = await from(near, 2);
  if (next && (next.stdout < stdout || next.stderr < stderr)) return undefined;
  return from(near - exact < limit / 2 ? exact : near, limit);
}
