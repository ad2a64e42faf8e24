// Follows one job on disk and tells the service about it: that it started, what it prints, how it ended. It reads
// only what the supervisor wrote, so it makes no difference whether this agent started the job or one before it.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { OUTPUT_PIECE, OUTPUT_WINDOW } from '#/contract/agent-link.ts';
import type { AgentMessage, Stream } from '#/contract/agent-link.ts';
import { faultWords } from './durable.ts';
import type { JobEnd, JobFolder } from './job-folder.ts';
import { TurnsReader } from './output-turns.ts';
import { endTree } from './processes.ts';
import { watchFolder } from './watch-folder.ts';

/** Output is sent in gulps, not line by line. */
const GULP_EVERY_MS = 50;

/** After this long a job whose folder cannot be read is given up. */
const UNREADABLE_MS = 60_000;

type Sizes = Record<Stream, number>;

export class JobFollower {
  readonly job: string;
  readonly folder: JobFolder;
  /** Settles when the job has ended on this device, whether or not the service knows. */
  readonly ended: Promise<void>;
  readonly #send: (message: AgentMessage) => void;
  #resolveEnded: () => void = () => {};
  #unwatch: () => void = () => {};
  #end: JobEnd | undefined;
  #clearing = false;
  /** As it was when the folder was there. */
  readonly #order: ReturnType<JobFolder['order']>;
  #startedAt: number | undefined;
  #unreadableSince: number | undefined;
  /** Whether somebody was seen to run it, or was asked to. */
  #mayHaveRun = false;
  #gulp: NodeJS.Timeout | undefined;
  /** What the service has, and what was sent to it on this link; undefined while it has not asked. */
  #stored: Sizes | undefined;
  #sent: Sizes = { stdout: 0, stderr: 0 };
  readonly #turns: TurnsReader;
  #toldStart = false;
  #toldEnd = false;

  constructor(job: string, folder: JobFolder, send: (message: AgentMessage) => void) {
    this.job = job;
    this.folder = folder;
    this.#order = folder.order();
    this.#send = send;
    this.#turns = new TurnsReader(folder.file('turns'));
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve));
    this.#unwatch = watchFolder(folder.folder, () => this.#soon());
    this.#look();
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** The service offers the job and says what it has of the output: tell everything after that. */
  tell(have: Sizes): void {
    this.#stored = { ...have };
    this.#sent = { ...have };
    this.#toldStart = false;
    this.#toldEnd = false;
    this.#look();
  }

  /** Somebody is about to run it. */
  launched(): void {
    this.#mayHaveRun = true;
  }

  /** It ended in a way that this agent is the first to know. */
  conclude(end: JobEnd): void {
    if (this.#end) return;
    try {
      this.folder.writeEnd(end);
    } catch {
      // A full disk: the service hears it all the same, and the next start comes to an end of its own.
    }
    this.#finish(end);
    this.#report();
  }

  /** The link is gone: nothing more is told until the service offers the job again. */
  hush(): void {
    this.#stored = undefined;
  }

  /** The service has this much for good. */
  stored(have: Sizes): void {
    if (!this.#stored) return;
    this.#stored = { ...have };
    this.#soon();
  }

  stop(): void {
    this.#unwatch();
    clearTimeout(this.#gulp);
  }

  #soon(): void {
    this.#gulp ??= setTimeout(() => {
      this.#gulp = undefined;
      try {
        this.#look();
        this.#unreadableSince = undefined;
      } catch (error) {
        this.#unreadable(error);
      }
    }, GULP_EVERY_MS);
  }

  #look(): void {
    if (!this.#end) {
      // The end is read before the output: then what is read of the output is all there is.
      const end = this.folder.end();
      const owner = this.folder.owner();
      this.#startedAt ??= this.folder.begun()?.at;
      if (owner) this.#mayHaveRun = true;
      if (end) this.#finish(end);
      else if (!this.folder.exists()) void this.#folderDeleted();
      else if (owner?.alive === false) void this.#clearUp();
    }
    this.#report();
  }

  #finish(end: JobEnd): void {
    this.#end = end;
    this.#unwatch();
    this.#resolveEnded();
  }

  /** Whoever ran the job is gone without a word: the device went down, or it was killed. Nobody knows how far it came. */
  async #clearUp(): Promise<void> {
    if (this.#clearing) return;
    this.#clearing = true;
    // What still runs of it would disturb the next job.
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

  /** Ends what still runs of the job, and removes what it left in the temporary folder. */
  async #sweep(): Promise<void> {
    await endTree(undefined, { id: this.job, folder: this.folder.folder });
    this.folder.removeTemp();
  }

  /** Too few file handles pass, and the folder is looked at again within a second; a broken disk does not. */
  #unreadable(error: unknown): void {
    this.#unreadableSince ??= performance.now();
    if (performance.now() - this.#unreadableSince < UNREADABLE_MS) return;
    const reason = `The folder of the job on the device cannot be read. ${faultWords(error, this.folder.folder)}`;
    this.conclude({ outcome: 'interrupted', reason, endedAt: Date.now() });
  }

  /** Somebody deleted the folder of the job: it cannot go on, and the next one must not wait for it. */
  async #folderDeleted(): Promise<void> {
    if (this.#clearing) return;
    this.#clearing = true;
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
      if (this.#order) this.folder.writeOff(this.#order, end);
    } catch {
      // Then it is known to this process alone, until the service has it.
    }
    this.#finish(end);
    this.#report();
  }

  #report(): void {
    if (!this.#stored || this.#toldEnd) return;
    const startedAt = this.#end?.startedAt ?? this.#startedAt;
    if (startedAt !== undefined && !this.#toldStart) {
      this.#toldStart = true;
      this.#send({ type: 'started', job: this.job, ago: since(startedAt) });
    }
    const all = this.#sendOutput();
    if (!this.#end || !all) return;
    this.#toldEnd = true;
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

  /** Sends what is new in both streams, as far as the window allows; true when the service was sent all there is. */
  #sendOutput(): boolean {
    const files = { stdout: openIfThere(this.folder.file('stdout')), stderr: openIfThere(this.folder.file('stderr')) };
    try {
      // The sizes before the turns: then every turn up to these sizes is known.
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

  /** False when the window is full, or the file not as long as it was. */
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

/** Undefined where the command was never started, or not yet. */
function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch {
    return undefined;
  }
}

const sizeOf = (file: number | undefined): number => (file === undefined ? 0 : fstatSync(file).size);

const since = (at: number): number => Math.max(0, Math.round(Date.now() - at));
