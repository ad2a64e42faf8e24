// The order in which a command wrote to its two streams: each line of the `turns` file has the sizes of both at a
// change of stream. Without the file, one stream is sent after the other.
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import type { Stream } from '#/contract/agent-link.ts';

/** The sizes of both streams when `stream` took over. */
interface OutputTurn {
  stream: Stream;
  stdout: number;
  stderr: number;
}

type Sizes = Record<Stream, number>;

/**
 * Limits for recorded turns, each of which becomes a separate message: in a burst, per second after that, and in total.
 */
const MAX_BURST = 1_000;
const TURNS_PER_SECOND = 200;
const MAX_TURNS = 50_000;

/** Writes the file. Call `write` before each write to a stream, so that the file is never behind the output. */
export class TurnsWriter {
  readonly #file: number | undefined;
  readonly #sizes: () => Sizes;
  readonly #now: () => number;
  #stream: Stream | undefined;
  #left = MAX_TURNS;
  #credit = MAX_BURST;
  #creditedAt: number;

  constructor(file: string, sizes: () => Sizes, now = () => performance.now()) {
    try {
      this.#file = openSync(file, 'a', 0o600);
    } catch {
      // On a full disk, the output matters more.
    }
    this.#sizes = sizes;
    this.#now = now;
    this.#creditedAt = now();
  }

  write(stream: Stream): void {
    if (this.#file === undefined || stream === this.#stream || this.#left === 0) return;
    const now = this.#now();
    this.#credit = Math.min(MAX_BURST, this.#credit + ((now - this.#creditedAt) / 1000) * TURNS_PER_SECOND);
    this.#creditedAt = now;
    if (this.#credit < 1) return;
    const { stdout, stderr } = this.#sizes();
    try {
      writeSync(this.#file, `${stream} ${stdout} ${stderr}\n`);
    } catch {
      this.#left = 0;
      return;
    }
    this.#stream = stream;
    this.#credit -= 1;
    this.#left -= 1;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }
}

/** Reads the file as it grows, and decides what to send next. */
export class TurnsReader {
  readonly #file: string;
  readonly #turns: OutputTurn[] = [];
  #read = 0;
  #rest = '';
  /** The index of the current turn. */
  #at = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** Reads new lines. */
  update(): void {
    let file: number;
    try {
      file = openSync(this.#file, 'r');
    } catch {
      return;
    }
    try {
      const piece = Buffer.alloc(64 * 1024);
      for (let length; (length = readSync(file, piece, 0, piece.length, this.#read)) > 0;) {
        this.#read += length;
        const lines = (this.#rest + piece.toString('latin1', 0, length)).split('\n');
        this.#rest = lines.pop() ?? '';
        for (const line of lines) {
          const [, stream, stdout, stderr] = /^(stdout|stderr) (\d+) (\d+)$/.exec(line) ?? [];
          if (stream !== undefined)
            this.#turns.push({ stream: stream as Stream, stdout: Number(stdout), stderr: Number(stderr) });
        }
      }
    } finally {
      closeSync(file);
    }
  }

  /** The stream to send next, and up to which offset, given how much was sent and how much exists. */
  next(sent: Sizes, sizes: Sizes): { stream: Stream; to: number } | undefined {
    if (this.#at > 0 && !isPast(this.#turns[this.#at], sent)) this.#at = 0;
    while (isPast(this.#turns[this.#at + 1], sent)) this.#at += 1;
    const first = this.#turns[this.#at]?.stream ?? 'stdout';
    const following = this.#turns[this.#at + 1];
    // Some turns may not have been recorded, so a turn may contain output of both streams.
    for (const stream of [first, first === 'stdout' ? 'stderr' : 'stdout'] as const) {
      const to = Math.min(following?.[stream] ?? sizes[stream], sizes[stream]);
      if (to > sent[stream]) return { stream, to };
    }
    // After a power failure the file may be incomplete, and the rest is sent without it.
    const left = (['stdout', 'stderr'] as const).find((stream) => sizes[stream] > sent[stream]);
    return left && { stream: left, to: sizes[left] };
  }
}

const isPast = (turn: OutputTurn | undefined, sent: Sizes): boolean =>
  turn !== undefined && turn.stdout <= sent.stdout && turn.stderr <= sent.stderr;
