// A job's folder in the agent's data folder. The agent and the supervisor share it, and its content is all that they
// know of each other.
import { createHash, randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Outcome } from '#/contract/agent-link.ts';
import { isDiskFull, removeFolder, syncFolder, writeDurably } from './durable.ts';
import { isAlive, ownMark, type ProcessMark } from './processes.ts';

export interface JobRequest {
  job: string;
  command: string;
  timeLimitSeconds: number;
  outputLimit: number;
}

export interface JobEnd {
  outcome: Outcome;
  exitCode?: number;
  reason?: string;
  /** Milliseconds by this device's clock; only the distance to the current time is ever sent. */
  startedAt?: number;
  endedAt: number;
}

/** A file that reserves space for writes on a full disk and is released in parts. */
const RESERVE_FILE = 'reserve';
const RESERVE_PART = 8192;
const RESERVE_PARTS = 4;

/** The possible outcomes, copied because importing the contract's list would load its schema library. */
const OUTCOMES: ReadonlySet<unknown> = new Set<Outcome>([
  'exited',
  'timed-out',
  'cancelled',
  'interrupted',
  'not-started',
]);

/** Undefined if the file does not exist or is not a regular file. */
export const readText = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return undefined;
    throw error;
  }
};
/** Also undefined for a file that a power failure truncated; critical files are written atomically. */
const readJson = (file: string): Record<string, unknown> | undefined => {
  const text = readText(file);
  try {
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
};
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isNumberIfAny = (value: unknown) => value === undefined || isNumber(value);

export class JobFolder {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  file(name: string): string {
    return path.join(this.folder, name);
  }

  /** Whether the folder has its request. Without it, the folder was deleted or the job was never accepted. */
  exists(): boolean {
    return existsSync(this.file('job.json'));
  }

  /** The request with its queue position; undefined if it is missing or unreadable. */
  request(): (JobRequest & { number: number }) | undefined {
    const found = readJson(this.file('job.json'));
    const isRequest =
      found?.['job'] === path.basename(this.folder) &&
      typeof found['command'] === 'string' &&
      [found['number'], found['timeLimitSeconds'], found['outputLimit']].every(isNumber);
    return isRequest ? (found as unknown as JobRequest & { number: number }) : undefined;
  }

  begun(): { at: number } | undefined {
    const at = readJson(this.file('begun.json'))?.['at'];
    return isNumber(at) ? { at } : undefined;
  }

  /** Records that the command has started; on a full disk it runs without that record. */
  writeBegun(at: number): void {
    try {
      this.withReserve(() => {
        writeFileSync(this.file('begun.tmp'), JSON.stringify({ at }));
        renameSync(this.file('begun.tmp'), this.file('begun.json'));
      });
    } catch {
      // The end repeats the start time.
    }
  }

  end(): JobEnd | undefined {
    const found = readJson(this.file('end.json'));
    const isEnd =
      OUTCOMES.has(found?.['outcome']) &&
      isNumber(found?.['endedAt']) &&
      isNumberIfAny(found['startedAt']) &&
      (found['exitCode'] === undefined || Number.isSafeInteger(found['exitCode'])) &&
      ['string', 'undefined'].includes(typeof found['reason']);
    return isEnd ? (found as unknown as JobEnd) : undefined;
  }

  writeEnd(end: JobEnd): void {
    this.withReserve(() => writeDurably(this.file('end.json'), JSON.stringify(end)));
  }

  /**
   * Takes the job's lock. Only the first caller gets true, because a folder cannot be renamed over one that is not
   * empty.
   */
  takeLock(): boolean {
    return this.withReserve(() => {
      const draft = this.file(`lock.${process.pid}.${randomBytes(4).toString('hex')}`);
      try {
        mkdirSync(draft);
        writeFileSync(path.join(draft, 'owner.json'), JSON.stringify(ownMark()));
        renameSync(draft, this.file('lock'));
      } catch (error) {
        rmSync(draft, { recursive: true, force: true });
        if (existsSync(this.file('lock'))) return false;
        throw error;
      }
      syncFolder(this.folder);
      return true;
    });
  }

  /** Whether the process that took the lock is still running; undefined if nobody took it. */
  owner(): { alive: boolean } | undefined {
    if (!existsSync(this.file('lock'))) return undefined;
    const mark = readJson(path.join(this.file('lock'), 'owner.json'));
    return { alive: mark !== undefined && isAlive(mark as unknown as ProcessMark) };
  }

  askToCancel(): void {
    this.withReserve(() => writeFileSync(this.file('cancel'), ''));
  }

  cancelAsked(): boolean {
    return existsSync(this.file('cancel'));
  }

  /**
   * Writes an end for a job whose folder was deleted or is unreadable, so that the service receives it even after a
   * crash. False if another process took the job in the meantime.
   */
  replaceByEnd(request: JobRequest & { number: number }, end: JobEnd): boolean {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    if (!this.takeLock()) return false;
    writeDurably(this.file('job.json'), JSON.stringify(request));
    this.writeEnd(end);
    return true;
  }

  // ---- Space on a full disk -----------------------------------------------------------------------------------------

  /** Reserves space for the job's lock, end and records. */
  makeReserve(): void {
    writeFileSync(this.file(RESERVE_FILE), Buffer.alloc(RESERVE_PARTS * RESERVE_PART, 1));
  }

  /** Releases part of the reserved space; false if none is left. */
  releaseReserve(): boolean {
    const size = statSync(this.file(RESERVE_FILE), { throwIfNoEntry: false })?.size ?? 0;
    if (size > 0) truncateSync(this.file(RESERVE_FILE), Math.max(0, size - RESERVE_PART));
    return size > 0;
  }

  /** Runs an action that needs disk space, releasing reserved space while the disk is full. */
  withReserve<T>(action: () => T): T {
    for (;;)
      try {
        return action();
      } catch (error) {
        if (!isDiskFull(error) || !this.releaseReserve()) throw error;
      }
  }

  // ---- The Command's temporary folder -------------------------------------------------------------------------------

  /** The prefix of this job's temporary folders, which identifies them even after everything else was deleted. */
  get #tempPrefix(): string {
    return `muster-job-${createHash('sha256').update(this.folder).digest('hex').slice(0, 16)}-`;
  }

  /** Creates a folder for files that a Command unpacks; undefined if that fails. */
  makeTemp(): string | undefined {
    try {
      return mkdtempSync(path.join(tmpdir(), this.#tempPrefix));
    } catch {
      return undefined; // The Command uses the system's folder, and its output says what is wrong with it.
    }
  }

  /** Removes the temporary folders of a killed Command. */
  removeTemp(): void {
    try {
      for (const name of readdirSync(tmpdir()))
        if (name.startsWith(this.#tempPrefix)) removeFolder(path.join(tmpdir(), name));
    } catch {
      // Removing the job tries again.
    }
  }
}
