// The next parts of both streams with the order in which they arrived. A part of one stream ends where more of the
// other is due first, so that the parts of successive responses are in order.
import { STREAMS } from '#/contract/agent-link.ts';
import type { Stream } from '#/contract/agent-link.ts';
import type { Reader } from './database.ts';
import { completeLength, readPart } from './job-output.ts';
import type { OutputPart } from './job-output.ts';
import { runsFrom } from './output-order.ts';
import type { RunStart } from './output-order.ts';

/** A stretch of one stream. */
export interface ArrivedPiece {
  stream: Stream;
  /** Offset in the stream. */
  from: number;
  next: number;
  text: string;
  at: number;
}

export interface OutputParts {
  stdout: OutputPart;
  stderr: OutputPart;
  /** Undefined if the order is unknown. */
  pieces: ArrivedPiece[] | undefined;
}

/** The most runs in one response. */
const MAX_RUNS = 5_000;

/** At most `limit` bytes of each stream from the given offsets. */
export async function readParts(
  db: Reader,
  jobSeq: number,
  asked: { stdout: number; stderr: number },
  { limit, over }: { limit: number; over: boolean },
): Promise<OutputParts> {
  const stdout = await readPart(db, jobSeq, 'stdout', { asked: asked.stdout, limit, over });
  const stderr = await readPart(db, jobSeq, 'stderr', { asked: asked.stderr, limit, over });
  if (stdout.size + stderr.size === 0) return { stdout, stderr, pieces: [] };
  const runs = await runsFrom(db, jobSeq, { stdout: stdout.from, stderr: stderr.from }, MAX_RUNS + 1);
  return runs ? interleave({ stdout, stderr }, runs) : { stdout, stderr, pieces: undefined };
}

function interleave(parts: Record<Stream, OutputPart>, runs: RunStart[]): OutputParts {
  const at = { stdout: parts.stdout.from, stderr: parts.stderr.from };
  const pieces: ArrivedPiece[] = [];
  /** Adds the stream's bytes up to `end`, in complete characters; false if the part ends before that. */
  const addUpTo = (stream: Stream, end: number, time: number): boolean => {
    const { bytes, from, next, more } = parts[stream];
    const begin = at[stream];
    let to = Math.min(end, next);
    if (to < next) to = from + completeLength(bytes.subarray(0, Math.max(0, to - from)));
    if (to > begin) {
      const text = bytes.subarray(begin - from, to - from).toString();
      pieces.push({ stream, from: begin, next: to, text, at: time });
      at[stream] = to;
    }
    return end <= next || !more;
  };
  for (const [number, run] of runs.entries()) {
    const following = runs[number + 1];
    if (!following && number === MAX_RUNS) break;
    // The last stored run of a job may contain output of both streams.
    const streams: Stream[] = run.stream === 'stdout' ? ['stdout', 'stderr'] : ['stderr', 'stdout'];
    const isComplete = streams.every((stream) => addUpTo(stream, following?.[stream] ?? parts[stream].size, run.at));
    if (!isComplete) break;
  }
  const [stdout, stderr] = STREAMS.map((stream): OutputPart => {
    const { bytes, from, next, size, more } = parts[stream];
    const end = at[stream];
    return { bytes: bytes.subarray(0, end - from), from, next: end, size, more: more || end < next };
  });
  return { stdout: stdout ?? parts.stdout, stderr: stderr ?? parts.stderr, pieces };
}
