// One output stream of a command: a pipe that the command writes to, and a file that stores as much as the limit
// allows. It is a named pipe instead of the socket that Node gives a child process, because `echo … > /dev/stderr`
// fails on a socket.
import { execFile, spawn } from 'node:child_process';
import { closeSync, constants, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { cutMark } from '#/contract/agent-link.ts';
import { describeFault, isDiskFull } from './durable.ts';

const FULL_MARK =
  '\n[muster] Disk full on the device: output is not stored from here on. The command was not stopped.\n';

const pipeOf = (file: string) => `${file}.pipe`;

/** Creates the pipes for these files with mkfifo, for which Node has no function. */
export async function makePipes(files: string[]): Promise<void> {
  for (const file of files) rmSync(pipeOf(file), { force: true });
  await promisify(execFile)('mkfifo', ['-m', '600', ...files.map(pipeOf)]);
}

/** A stream whose pipe has been created. */
export class OutputFile {
  /** The command's end of the pipe; call `closeWriteEnd` after the command has started. */
  readonly writeEnd: number;
  /** Resolves when no process has the pipe open for writing. */
  readonly finished: Promise<void>;
  /** Why output is missing from the file. */
  fault: string | undefined;
  /** Called before each write to the file. */
  beforeWrite: () => void = () => {};
  readonly #folder: string;
  readonly #releaseReserve: () => boolean;
  readonly #pipe: string;
  readonly #limit: number;
  readonly #file: number;
  readonly #reader: Socket;
  #size = 0;
  #cut = false;

  /** `releaseReserve` releases part of the space that is reserved for a full disk. */
  constructor(file: string, limit: number, releaseReserve: () => boolean = () => false) {
    this.#folder = path.dirname(file);
    this.#releaseReserve = releaseReserve;
    this.#pipe = pipeOf(file);
    this.#limit = limit;
    this.#file = openSync(file, 'a', 0o600);
    // The reader is opened first, because opening a pipe for writing waits for a reader.
    const readEnd = openSync(this.#pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    this.writeEnd = openSync(this.#pipe, 'w');
    this.#reader = new Socket({ fd: readEnd, readable: true, writable: false });
    this.finished = new Promise((resolve) => this.#reader.on('error', () => {}).on('close', () => resolve()));
    this.#reader.on('data', (piece: Buffer) => this.#store(piece));
  }

  /**
   * Call this once the command has its own copy: an open write end in this process would keep the stream from ending.
   */
  closeWriteEnd(): void {
    closeSync(this.writeEnd);
  }

  /** Bytes in the file. */
  get size(): number {
    return this.#size;
  }

  #store(piece: Buffer): void {
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
      // A full disk must not end the command, which may be the one that frees space.
      this.fault = this.#missingOutput(error);
      if (!isDiskFull(error) || !this.#releaseReserve()) return;
      try {
        writeSync(this.#file, FULL_MARK); // visible at once in the live output
      } catch {
        // Another process used the space.
      }
    }
  }

  #missingOutput(error: unknown): string {
    return `Output is missing. ${describeFault(error, this.#folder)}`;
  }

  /**
   * Stops storing output. A remaining process may still have the pipe open and would fail at its next write, so a `cat`
   * process consumes what it writes from now on.
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
        // The process has just closed the pipe.
      }
    }
    this.#reader.destroy();
    try {
      fsyncSync(this.#file);
    } catch (error) {
      this.fault ??= this.#missingOutput(error);
    }
    closeSync(this.#file);
    rmSync(this.#pipe, { force: true });
  }
}
