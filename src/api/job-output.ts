// Reads a job and its output incrementally, continuing where the last read ended. From a service without output in pieces
// it reads the whole job instead.
import type { OutputPiece } from '#/contract/job-outputs.ts';
import { withoutDownloadTokens } from '#/contract/mask-secrets.ts';
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import type * as z from 'zod/mini';
import { ApiError } from '#/api/api-error.ts';
import { call } from '#/api/call.ts';
import { isOffered } from '#/api/capabilities.ts';
import { isSameJob } from '#/api/same-job.ts';

/** One stream as pieces of text in order. As it grows, new pieces are added at the end. */
export interface FollowedStream {
  pieces: readonly string[];
  /** Bytes read so far, and the size of the stream. */
  next: number;
  size: number;
}

/** Consecutive output of one stream; the length is in characters of its text. */
export interface OutputRun {
  stream: 'stdout' | 'stderr';
  length: number;
}

export interface FollowedJob {
  /** Includes Stdout and Stderr once it has ended and all output is read. */
  job: Job;
  /** Undefined if the service has no output in pieces: then the job contains all of it. */
  output:
    | {
        stdout: FollowedStream;
        stderr: FollowedStream;
        /** Undefined if the service does not report the order of arrival. */
        order: readonly OutputRun[] | undefined;
      }
    | undefined;
  /** Whether all output available at the last read has been fetched. */
  complete: boolean;
  /** When new output last arrived, by the browser's clock. */
  changed: number;
}

/** Polling intervals in milliseconds: while output arrives, after a pause, and after a long pause. */
const FAST = 500;
const USUAL = 1_000;
const SLOW = 5_000;
/** The rest of the existing output is requested immediately. */
const IMMEDIATELY = 1;
/** A job with more characters of output than this, which is read in full each time, is polled less often. */
const MUCH = 1_000_000;

/** The delay before the next read; false if nothing new will come. */
export function outputPace({ job, output, complete, changed }: FollowedJob, moving: boolean): number | false {
  if (!complete) return IMMEDIATELY;
  if (!moving) return false;
  const quiet = Date.now() - changed;
  if (!output) {
    const { Stdout = '', Stderr = '', Result } = job;
    const length = Stdout.length + Stderr.length + Result.length;
    return quiet >= 60_000 ? SLOW : length > MUCH ? 3 * USUAL : USUAL;
  }
  return quiet < 5_000 ? FAST : quiet < 60_000 ? USUAL : SLOW;
}

const NOTHING: FollowedStream = { pieces: [], next: 0, size: 0 };

/** Smaller pieces are merged: a log that arrives line by line must not become a million pieces. */
const SMALL = 64 * 1024;
const LONGEST_LINK = 1_024;

export function append(stream: FollowedStream, { Text, Next, Size }: OutputPiece): FollowedStream {
  if (Text === '' && Next === stream.next && Size === stream.size) return stream;
  const last = stream.pieces.at(-1);
  // A download link's token may be split across two pieces.
  const end = last?.slice(-LONGEST_LINK) ?? '';
  const text = withoutDownloadTokens(end + Text).slice(end.length);
  const pieces =
    Text === ''
      ? stream.pieces
      : last !== undefined && last.length + text.length <= SMALL
        ? [...stream.pieces.slice(0, -1), last + text]
        : [...stream.pieces, text];
  return { pieces, next: Next, size: Size };
}

type Pieces = z.output<typeof jobEndpoints.output.response>['Pieces'];

/** Adds arrived pieces to the order; consecutive pieces of one stream form one run. */
function appendOrder(order: readonly OutputRun[] | undefined, pieces: Pieces): readonly OutputRun[] | undefined {
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
  // The offsets do not match: this is not the stream that was read so far.
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

/** Reads a job, and its output since `known`. */
export async function readOutput(
  id: string,
  known: FollowedJob | undefined,
  signal: AbortSignal,
): Promise<FollowedJob> {
  if (await isOffered('output')) return readPieces(id, known, signal);
  const job = await call(jobEndpoints.get, { params: { job_id: id } }, { signal });
  if (known && !known.output && isSameJob(known.job, job)) return known;
  return { job, output: undefined, complete: true, changed: Date.now() };
}
