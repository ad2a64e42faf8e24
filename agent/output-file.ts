// One stream of a command on its way to disk: a pipe that the command writes to, and a file that keeps what fits.
// A named pipe rather than the socket that Node would hand to a child: `echo … > /dev/stderr` fails on a socket.
import { execFile, spawn } from 'node:child_process';
import { closeSync, constants, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { faultWords, isDiskFull } from './durable.ts';

/** What stands where a stream was cut. */
export const cutMark = (limit: number): string =>
  `\n[muster] Output cut here: this stream is longer than ${limit} bytes. The command was not stopped.\n`;

const FULL_MARK =
  '\n[muster] Disk full on the device: output is not stored from here on. The command was not stopped.\n';

const pipeOf = (file: string) => `${file}.pipe`;

/** Makes the pipes of these files; Node has no call for it. */
export async function makePipes(files: string[]): Promise<void> {
  for (const file of files) rmSync(pipeOf(file), { force: true });
  await promisify(execFile)('mkfifo', ['-m', '600', ...files.map(pipeOf)]);
}

/** A stream whose pipe was made. */
export class OutputFile {
  /** The command's end of the pipe; to be closed with `handOver` once the command has it. */
  readonly writeEnd: number;
  /** Settles when nobody is left who could write. */
  readonly finished: Promise<void>;
  /** Why output is missing from the file, if any is. */
  fault: string | undefined;
  /** Called before anything is written to the file. */
  beforeWrite: () => void = () => {};
  readonly #folder: string;
  readonly #releaseReserve: () => boolean;
  readonly #pipe: string;
  readonly #limit: number;
  readonly #file: number;
  readonly #reader: Socket;
  #size = 0;
  #cut = false;

  /** `releaseReserve` gives back some of the space that was reserved for a full disk. */
  constructor(file: string, limit: number, releaseReserve: () => boolean = () => false) {
    this.#folder = path.dirname(file);
    this.#releaseReserve = releaseReserve;
    this.#pipe = pipeOf(file);
    this.#limit = limit;
    this.#file = openSync(file, 'a', 0o600);
    // The reader first: opening a pipe for writing waits until somebody reads.
    const readEnd = openSync(this.#pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    this.writeEnd = openSync(this.#pipe, 'w');
    this.#reader = new Socket({ fd: readEnd, readable: true, writable: false });
    this.finished = new Promise((resolve) => this.#reader.on('error', () => {}).on('close', () => resolve()));
    this.#reader.on('data', (piece: Buffer) => this.#keep(piece));
  }

  /** The command has its end now; as long as this process held it too, the stream would never end. */
  handOver(): void {
    closeSync(this.writeEnd);
  }

  /** Bytes in the file. */
  get size(): number {
    return this.#size;
  }

  #keep(piece: Buffer): void {
    if (this.#cut || this.fault !== undefined) return;
    this.beforeWrite();
    const fits = piece.subarray(0, this.#limit - this.#size);
    try {
      for (let written = 0; written < fits.length;) written += writeSync(this.#file, fits, written);
      this.#size += fits.length;
      if (fits.length < piece.length) {
        this.#cut = true;
        this.#size += writeSync(this.#file, cutMark(this.#limit));
      }
    } catch (error) {
      // A full disk must not end the command: it may be what makes room again.
      this.fault = this.#faultOf(error);
      if (!isDiskFull(error) || !this.#releaseReserve()) return;
      try {
        writeSync(this.#file, FULL_MARK); // seen at once by whoever reads along
      } catch {
        // Something else took that space.
      }
    }
  }

  #faultOf(error: unknown): string {
    return `Output is missing. ${faultWords(error, this.#folder)}`;
  }

  /**
   * Ends the keeping. A process left behind may still hold the pipe; it would die of its next line, so a `cat` takes
   * what it writes from now on.
   */
  close(leftBehind: boolean): void {
    if (leftBehind) {
      try {
        const hold = openSync(this.#pipe, constants.O_WRONLY | constants.O_NONBLOCK);
        const readEnd = openSync(this.#pipe, 'r');
        spawn('cat', [], { stdio: [readEnd, 'ignore', 'ignore'], detached: true })
          .on('error', () => {})
          .unref();
        closeSync(readEnd);
        closeSync(hold);
      } catch {
        // It closed the pipe just now.
      }
    }
    this.#reader.destroy();
    try {
      fsyncSync(this.#file);
    } catch (error) {
      this.fault ??= this.#faultOf(error);
    }
    closeSync(this.#file);
    rmSync(this.#pipe, { force: true });
  }
}
