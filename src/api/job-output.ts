// A job and what it printed, read on from where the last reading ended. A service without output in pieces is asked for
// the whole job instead, once it has shown that it has none.
import { jobEndpoints } from '#/contract/jobs.ts';
import type { Job, OutputPiece } from '#/contract/jobs.ts';
import type * as z from 'zod/mini';
import { ApiError } from '#/api/api-error.ts';
import { call } from '#/api/call.ts';
import { isSameJob } from '#/api/same-job.ts';

/** One stream as it came: pieces of text in order. A longer one begins with the same pieces. */
export interface FollowedStream {
  pieces: readonly string[];
  /** Bytes read so far, and bytes there are. */
  next: number;
  size: number;
}

/** What came of one stream before something of the other did, in letters of its text. */
export interface OutputRun {
  stream: 'stdout' | 'stderr';
  length: number;
}

export interface FollowedJob {
  /** With Stdout and Stderr where it is complete and has ended. */
  job: Job;
  /** Undefined where the service has no output in pieces: then the job has all of it. */
  output:
    | {
        stdout: FollowedStream;
        stderr: FollowedStream;
        /** Undefined where the service does not say in which order the two arrived. */
        order: readonly OutputRun[] | undefined;
      }
    | undefined;
  /** Whether all output that there was at the last reading is here. */
  complete: boolean;
  /** When something new came last, by this computer's clock. */
  changed: number;
}

/** Milliseconds between two readings: while output comes, while little comes, while nothing has come for a while. */
const FAST = 500;
const USUAL = 1_000;
const SLOW = 2_000;
/** The rest of what is there already is asked for at once. */
const AT_ONCE = 1;
/** A job that comes whole costs enough to be asked for less often when it is long. */
const MUCH = 1_000_000;

/** How long to wait before the next reading; false: there will be nothing new. */
export function outputPace({ job, output, complete, changed }: FollowedJob, moving: boolean): number | false {
  if (!complete) return AT_ONCE;
  if (!moving) return false;
  if (!output) {
    const { Stdout = '', Stderr = '', Result } = job;
    return Stdout.length + Stderr.length + Result.length > MUCH ? 3 * USUAL : USUAL;
  }
  const quiet = Date.now() - changed;
  return quiet < 5_000 ? FAST : quiet < 60_000 ? USUAL : SLOW;
}

/** Set for good once the service has answered for a job whose pieces it does not have. */
let withoutPieces = false;

const NOTHING: FollowedStream = { pieces: [], next: 0, size: 0 };

/** A small piece is joined to the one before it: a log that comes a line at a time must not become a million pieces. */
const SMALL = 64 * 1024;

export function append(stream: FollowedStream, { Text, Next, Size }: OutputPiece): FollowedStream {
  if (Text === '' && Next === stream.next && Size === stream.size) return stream;
  const last = stream.pieces.at(-1);
  const pieces =
    Text === ''
      ? stream.pieces
      : last !== undefined && last.length + Text.length <= SMALL
        ? [...stream.pieces.slice(0, -1), last + Text]
        : [...stream.pieces, Text];
  return { pieces, next: Next, size: Size };
}

type Pieces = z.output<typeof jobEndpoints.output.response>['Pieces'];

/** The order as it goes on; of one stream without a break it is one run. */
export function appendOrder(order: readonly OutputRun[] | undefined, pieces: Pieces): readonly OutputRun[] | undefined {
  if (!order || pieces?.length === 0) return order;
  if (!pieces) return undefined;
  const runs = [...order];
  for (const { Stream: stream, Length } of pieces) {
    const last = runs.at(-1);
    if (last?.stream === stream) runs[runs.length - 1] = { stream, length: last.length + Length };
    else runs.push({ stream, length: Length });
  }
  return runs;
}

const hasEnded = ({ EndTime }: Job) => EndTime !== '';
const textOf = ({ pieces }: FollowedStream) => pieces.join('');

async function readPieces(id: string, known: FollowedJob | undefined, signal: AbortSignal): Promise<FollowedJob> {
  const { stdout, stderr, order } = known?.output ?? { stdout: NOTHING, stderr: NOTHING, order: [] };
  const query = { stdout: String(stdout.next), stderr: String(stderr.next) };
  const answer = await call(jobEndpoints.output, { params: { job_id: id }, query }, { signal });
  const { Job, Stdout, Stderr, Pieces, More } = answer;
  // The stream is not the one that was read so far.
  if (Stdout.Offset !== stdout.next || Stderr.Offset !== stderr.next) {
    if (known) return readPieces(id, undefined, signal);
    throw new ApiError('unexpected', 'Unexpected response (200)', {
      detail: 'The output does not begin at its start.',
    });
  }
  const output = {
    stdout: append(stdout, Stdout),
    stderr: append(stderr, Stderr),
    order: appendOrder(order, Pieces),
  };
  const { Stdout: _out, Stderr: _error, ...before } = known?.job ?? Job;
  const grown = output.stdout !== stdout || output.stderr !== stderr;
  if (known && !grown && known.complete === !More && isSameJob(before, Job)) return known;
  const whole = !More && hasEnded(Job) && !Job.Counts;
  const job = whole ? { ...Job, Stdout: textOf(output.stdout), Stderr: textOf(output.stderr) } : Job;
  return { job, output, complete: !More, changed: grown || !known ? Date.now() : known.changed };
}

/** Whether an answer could be that of a service without the pieces: no such path, or something else in its place. */
const lacksPieces = (error: unknown) =>
  error instanceof ApiError && (error.kind === 'unexpected' || [400, 404, 405, 501].includes(error.status));

/** Reads a job and what it has printed since `known`. */
export async function readOutput(
  id: string,
  known: FollowedJob | undefined,
  signal: AbortSignal,
): Promise<FollowedJob> {
  let refusal: unknown;
  if (!withoutPieces)
    try {
      return await readPieces(id, known, signal);
    } catch (error) {
      if (!lacksPieces(error)) throw error;
      refusal = error;
    }
  // A job that was deleted is missing here too, and then nothing is known of the service.
  const job = await call(jobEndpoints.get, { params: { job_id: id } }, { signal });
  if (refusal) withoutPieces = true;
  if (known && !known.output && isSameJob(known.job, job)) return known;
  return { job, output: undefined, complete: true, changed: Date.now() };
}
