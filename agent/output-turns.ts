// In which order a command wrote to its two streams. The process that reads them notes, in a file beside theirs, where both
// were whenever the other one's turn came; whoever sends them goes by that. Without the file one is sent after the other.
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import type { Stream } from '#/contract/agent-link.ts';

/** From where on in both streams one had its turn. */
interface OutputTurn {
  stream: Stream;
  stdout: number;
  stderr: number;
}

type Sizes = Record<Stream, number>;

/** So many turns may come at once, and so many in a second after that: each is a message of its own later. */
const MOST_AT_ONCE = 1_000;
const A_SECOND = 200;
const MOST = 50_000;

/** Writes the file. Must be called before anything is written to a stream, so that the file is never behind it. */
export class TurnsWriter {
  readonly #file: number | undefined;
  readonly #sizes: () => Sizes;
  readonly #now: () => number;
  #stream: Stream | undefined;
  #left = MOST;
  #credit = MOST_AT_ONCE;
  #creditedAt: number;

  constructor(file: string, sizes: () => Sizes, now = () => performance.now()) {
    try {
      this.#file = openSync(file, 'a', 0o600);
    } catch {
      // A full disk: the output itself matters more.
    }
    this.#sizes = sizes;
    this.#now = now;
    this.#creditedAt = now();
  }

  write(stream: Stream): void {
    if (this.#file === undefined || stream === this.#stream || this.#left === 0) return;
    const now = this.#now();
    this.#credit = Math.min(MOST_AT_ONCE, this.#credit + ((now - this.#creditedAt) / 1000) * A_SECOND);
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

/** Reads the file as it grows, and says what to send. */
export class TurnsReader {
  readonly #file: string;
  readonly #turns: OutputTurn[] = [];
  #read = 0;
  #rest = '';
  /** The turn that was looked at last. */
  #at = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** Reads what is new. */
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

  /** Which stream comes next for whoever has sent so much of both, of which there is so much, and up to where. */
  next(sent: Sizes, sizes: Sizes): { stream: Stream; to: number } | undefined {
    if (this.#at > 0 && !isPast(this.#turns[this.#at], sent)) this.#at = 0;
    while (isPast(this.#turns[this.#at + 1], sent)) this.#at += 1;
    const first = this.#turns[this.#at]?.stream ?? 'stdout';
    const following = this.#turns[this.#at + 1];
    // Where not every turn was noted, there may be some of the other stream in it too.
    for (const stream of [first, first === 'stdout' ? 'stderr' : 'stdout'] as const) {
      const to = Math.min(following?.[stream] ?? sizes[stream], sizes[stream]);
      if (to > sent[stream]) return { stream, to };
    }
    // A file that lost its end when the power went: what there is of the other comes all the same.
    const left = (['stdout', 'stderr'] as const).find((stream) => sizes[stream] > sent[stream]);
    return left && { stream: left, to: sizes[left] };
  }
}

const isPast = (turn: OutputTurn | undefined, sent: Sizes): boolean =>
  turn !== undefined && turn.stdout <= sent.stdout && turn.stderr <= sent.stderr;
