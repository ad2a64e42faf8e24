// Follows one job on disk and reports its start, output and end to the service. It relies only on what the supervisor
// wrote, so that an agent can take over from an earlier one.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { OUTPUT_PIECE, OUTPUT_WINDOW, type AgentMessage, type Stream } from '#/contract/agent-link.ts';
import { describeFault } from './durable.ts';
import type { JobEnd, JobFolder } from './job-folder.ts';
import { TurnsReader } from './output-turns.ts';
import { endProcesses } from './processes.ts';
import { watchFolder } from './watch-folder.ts';

/** Output is sent in batches, not line by line. */
const BATCH_EVERY_MS = 50;

/** A job whose folder is unreadable for this long is reported as interrupted. */
const UNREADABLE_MS = 60_000;

type Sizes = Record<Stream, number>;

export class JobFollower {
  readonly job: string;
  readonly folder: JobFolder;
  /** Resolves when the job has ended on this device, whether or not the service has the end. */
  readonly ended: Promise<void>;
  readonly #send: (message: AgentMessage) => void;
  #resolveEnded: () => void = () => {};
  #unwatch: () => void = () => {};
  #end: JobEnd | undefined;
  #concluding = false;
  /** The request as it was while the folder existed. */
  readonly #request: ReturnType<JobFolder['request']>;
  #startedAt: number | undefined;
  #unreadableSince: number | undefined;
  /** Whether a process ran the job, or was asked to. */
  #mayHaveRun = false;
  #batchTimer: NodeJS.Timeout | undefined;
  /** The output that the service has stored; undefined until it offers the job on this connection. */
  #stored: Sizes | undefined;
  #sent: Sizes = { stdout: 0, stderr: 0 };
  readonly #turns: TurnsReader;
  #startReported = false;
  #endReported = false;

  constructor(job: string, folder: JobFolder, send: (message: AgentMessage) => void) {
    this.job = job;
    this.folder = folder;
    this.#request = folder.request();
    this.#send = send;
    this.#turns = new TurnsReader(folder.file('turns'));
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve));
    this.#unwatch = watchFolder(folder.folder, () => this.#checkSoon());
    this.#check();
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Called when the service offers the job: sends all output after what the service has. */
  sendFrom(have: Sizes): void {
    this.#stored = { ...have };
    this.#sent = { ...have };
    this.#startReported = false;
    this.#endReported = false;
    this.#check();
  }

  /** Called when a supervisor is about to run the job. */
  launched(): void {
    this.#mayHaveRun = true;
  }

  /** Records an end that this agent determined. */
  conclude(end: JobEnd): void {
    if (this.#end) return;
    try {
      this.folder.writeEnd(end);
    } catch {
      // On a full disk the service still receives the end, and the next start of the agent determines it again.
    }
    this.#finish(end);
    this.#report();
  }

  /** Called when the connection is lost: nothing is sent until the service offers the job again. */
  disconnected(): void {
    this.#stored = undefined;
  }

  /** Called when the service has stored this much output durably. */
  stored(have: Sizes): void {
    if (!this.#stored) return;
    this.#stored = { ...have };
    this.#checkSoon();
  }

  stop(): void {
    this.#unwatch();
    clearTimeout(this.#batchTimer);
  }

  #checkSoon(): void {
    this.#batchTimer ??= setTimeout(() => {
      this.#batchTimer = undefined;
      this.#check();
    }, BATCH_EVERY_MS);
  }

  /** Reads the folder. If that fails, it is tried again later, because it must not end the agent. */
  #check(): void {
    try {
      this.#readFolder();
      this.#unreadableSince = undefined;
    } catch (error) {
      this.#handleUnreadable(error);
    }
  }

  #readFolder(): void {
    if (!this.#end) {
      // The end is read before the output, so that the output is complete if there is an end.
      const end = this.folder.end();
      const owner = this.folder.owner();
      this.#startedAt ??= this.folder.begun()?.at;
      if (owner) this.#mayHaveRun = true;
      if (end) this.#finish(end);
      else if (!this.folder.exists()) void this.#concludeDeleted();
      else if (owner?.alive === false) void this.#concludeAbandoned();
    }
    this.#report();
  }

  #finish(end: JobEnd): void {
    this.#end = end;
    this.#unwatch();
    this.#resolveEnded();
  }

  /**
   * Called when the process that ran the job is gone and left no end: the device went down, or the process was killed.
   */
  async #concludeAbandoned(): Promise<void> {
    if (this.#concluding) return;
    this.#concluding = true;
    // Remaining processes could interfere with the next job.
    await this.#sweep();
    const begun = this.folder.begun();
    this.conclude(
      this.folder.end() ?? {
        outcome: 'interrupted',
        reason:
          'The device or its agent went down in the middle; how far the command came is not known. It is not run again.',
        ...(begun && { startedAt: begun.at }),
        endedAt: Date.now(),
      },
    );
  }

  /** Ends the job's remaining processes and removes its temporary folder. */
  async #sweep(): Promise<void> {
    await endProcesses(undefined, { id: this.job, folder: this.folder.folder });
    this.folder.removeTemp();
  }

  /** A lack of file handles is temporary, but a broken disk is not. */
  #handleUnreadable(error: unknown): void {
    this.#unreadableSince ??= performance.now();
    if (performance.now() - this.#unreadableSince < UNREADABLE_MS) return;
    const reason = `The folder of the job on the device cannot be read. ${describeFault(error, this.folder.folder)}`;
    this.conclude({ outcome: 'interrupted', reason, endedAt: Date.now() });
  }

  /** Called when the job's folder was deleted: the job cannot continue, and the next one must not wait for it. */
  async #concludeDeleted(): Promise<void> {
    if (this.#concluding) return;
    this.#concluding = true;
    await this.#sweep();
    const what = `The folder of the job on the device, ${this.folder.folder}, was deleted`;
    const end: JobEnd = {
      outcome: this.#mayHaveRun ? 'interrupted' : 'not-started',
      reason: this.#mayHaveRun
        ? `${what} while it ran. The command was stopped; how far it came is not known. It is not run again.`
        : `${what} before the job started. Nothing was run.`,
      ...(this.#startedAt !== undefined && { startedAt: this.#startedAt }),
      endedAt: Date.now(),
    };
    try {
      if (this.#request) this.folder.replaceByEnd(this.#request, end);
    } catch {
      // Then only this process knows the end, until the service has it.
    }
    this.#finish(end);
    this.#report();
  }

  #report(): void {
    if (!this.#stored || this.#endReported) return;
    const startedAt = this.#end?.startedAt ?? this.#startedAt;
    if (startedAt !== undefined && !this.#startReported) {
      this.#startReported = true;
      this.#send({ type: 'started', job: this.job, ago: since(startedAt) });
    }
    const all = this.#sendOutput();
    if (!this.#end || !all) return;
    this.#endReported = true;
    const { outcome, exitCode, reason, endedAt } = this.#end;
    this.#send({
      type: 'ended',
      job: this.job,
      outcome,
      ...(exitCode !== undefined && { exitCode }),
      ...(reason !== undefined && { reason: reason.slice(0, 1000) }),
      ...(startedAt !== undefined && { startedAgo: since(startedAt) }),
      endedAgo: since(endedAt),
    });
  }

  /** Sends new output of both streams as far as the window allows; true if everything was sent. */
  #sendOutput(): boolean {
    const files = { stdout: openIfThere(this.folder.file('stdout')), stderr: openIfThere(this.folder.file('stderr')) };
    try {
      // Sizes are read before the turns, so that all turns up to these sizes are known.
      const sizes = { stdout: sizeOf(files.stdout), stderr: sizeOf(files.stderr) };
      this.#turns.update();
      for (;;) {
        const next = this.#turns.next(this.#sent, sizes);
        if (!next) return true;
        const file = files[next.stream];
        if (file === undefined || !this.#sendUpTo(next.stream, file, next.to)) return false;
      }
    } finally {
      for (const file of Object.values(files)) if (file !== undefined) closeSync(file);
    }
  }

  /** False if the window is full or the file has become shorter. */
  #sendUpTo(stream: Stream, file: number, to: number): boolean {
    const stored = this.#stored?.[stream] ?? 0;
    const piece = Buffer.allocUnsafe(OUTPUT_PIECE);
    while (this.#sent[stream] < to) {
      if (this.#sent[stream] - stored >= OUTPUT_WINDOW) return false;
      const offset = this.#sent[stream];
      const length = readSync(file, piece, 0, Math.min(OUTPUT_PIECE, to - offset), offset);
      if (length === 0) return false;
      this.#sent[stream] += length;
      this.#send({ type: 'output', job: this.job, stream, offset, data: piece.toString('base64', 0, length) });
    }
    return true;
  }
}

/** Undefined if the file does not exist, because the command has not started. */
function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch {
    return undefined;
  }
}

const sizeOf = (file: number | undefined): number => (file === undefined ? 0 : fstatSync(file).size);

const since = (at: number): number => Math.max(0, Math.round(Date.now() - at));
