// Reads marks in a worker, a piece of the outputs at a time, and ends it when a pattern takes too long: no pattern that
// a person can write freezes the page.
import { outputOf } from '#/features/jobs/job-output.ts';
import type { Job } from '#/contract/jobs.ts';
import { WorkerClient, WorkerError } from '#/lib/worker-client.ts';
import { readMarks, type MarkedStream } from './read-marks.ts';
import type { MarksRequest } from './marks-worker.ts';
import type { Reading, Rule } from '#/features/jobs/rule.ts';

/** Milliseconds for one pattern on one output; an honest one takes a hundredth of it on ten megabytes. */
const LIMIT = 3_000;
/** Characters sent at a time: copying them holds up the page for a few milliseconds. */
const PIECE = 1_000_000;

export class MarksReader {
  private readonly worker: WorkerClient<MarksRequest, Reading[], Rule>;
  private last: Promise<unknown> = Promise.resolve();
  /** Patterns that took too long once: thousands of outputs would each wait for them again. */
  private slow: Rule[] = [];

  /** `worker`: also milliseconds for one pattern. */
  constructor(worker: WorkerClient<MarksRequest, Reading[], Rule> | number = LIMIT) {
    this.worker =
      typeof worker === 'number'
        ? new WorkerClient(() => new Worker(new URL('./marks-worker.ts', import.meta.url), { type: 'module' }), worker)
        : worker;
  }

  /** Reads the outputs of jobs, one call after another; `onRead` gets each piece as it is done. */
  async read(
    jobs: readonly Job[],
    rules: readonly Rule[],
    onRead: (read: [Job, Reading][]) => void,
    signal?: AbortSignal,
  ): Promise<void> {
    for (let at = 0; at < jobs.length;) {
      const piece: Job[] = [];
      const outputs: MarkedStream[][] = [];
      for (let size = 0; at < jobs.length && size < PIECE; at++) {
        const job = jobs[at];
        if (!job) continue;
        const streams = outputOf(job).streams.map(({ name, text }) => ({ name, text }));
        piece.push(job);
        outputs.push(streams);
        size += streams.reduce((sum, { text }) => sum + text.length, 100);
      }
      const turn = this.last.then(() => (signal?.aborted ? undefined : this.readPiece(outputs, rules)));
      this.last = turn;
      const readings = await turn;
      if (!readings || signal?.aborted) return;
      onRead(readings.flatMap((reading, index): [Job, Reading][] => (piece[index] ? [[piece[index], reading]] : [])));
    }
  }

  private async readPiece(outputs: MarkedStream[][], rules: readonly Rule[]): Promise<Reading[]> {
    let trying: Rule | undefined;
    try {
      return await this.worker.ask({ outputs, rules, slow: this.slow }, { onProgress: (rule) => (trying = rule) });
    } catch (error) {
      if (!(error instanceof WorkerError)) throw error;
      if (error.kind !== 'slow' || !trying) return outputs.map((streams) => readHere(streams, rules));
      this.slow.push(trying);
      return this.readPiece(outputs, rules);
    }
  }
}

/** Without a worker, plain text is looked for here; a pattern is not, since nothing could end it. */
function readHere(streams: MarkedStream[], rules: readonly Rule[]): Reading {
  const pattern = rules.find((rule) => rule.pattern);
  const reading = readMarks(
    streams,
    rules.filter((rule) => !rule.pattern),
  );
  return pattern
    ? { ...reading, untried: { rule: pattern, why: 'the part of the page that tries patterns could not be loaded' } }
    : reading;
}

/** The one reader of this page. */
export const marksReader = new MarksReader();
