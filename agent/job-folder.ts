// One job's folder in the agent's data folder. Agent and supervisor both work on it, each knowing only what is on disk.
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
import { isAlive, ownMark } from './processes.ts';
import type { ProcessMark } from './processes.ts';

export interface JobOrder {
  job: string;
  command: string;
  timeLimitSeconds: number;
  outputLimit: number;
}

export interface JobEnd {
  outcome: Outcome;
  exitCode?: number;
  reason?: string;
  /** Milliseconds by this device's clock; only their distance from now is ever sent. */
  startedAt?: number;
  endedAt: number;
}

/** A file that reserves space for what has to be written when the disk is full, and gives it back in parts. */
const RESERVE_FILE = 'reserve';
const RESERVE_PART = 8192;
const RESERVE_PARTS = 4;

/** What the end of a job that nobody saw may be. Named again: the contract's list would bring its schema library along. */
const OUTCOMES: ReadonlySet<unknown> = new Set<Outcome>([
  'exited',
  'timed-out',
  'cancelled',
  'interrupted',
  'not-started',
]);

/** Undefined where there is no such file, or it is no file. */
export const readText = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return undefined;
    throw error;
  }
};
/** Undefined also for a file that the power cut in half; those that must not be are moved into place whole. */
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

  /** Whether the folder is there with the order in it: without that, it was deleted or never accepted. */
  exists(): boolean {
    return existsSync(this.file('job.json'));
  }

  /** The order, with its place in the queue; undefined where it is missing or not readable as one. */
  order(): (JobOrder & { number: number }) | undefined {
    const found = readJson(this.file('job.json'));
    const isOrder =
      found?.['job'] === path.basename(this.folder) &&
      typeof found['command'] === 'string' &&
      [found['number'], found['timeLimitSeconds'], found['outputLimit']].every(isNumber);
    return isOrder ? (found as unknown as JobOrder & { number: number }) : undefined;
  }

  begun(): { at: number } | undefined {
    const at = readJson(this.file('begun.json'))?.['at'];
    return isNumber(at) ? { at } : undefined;
  }

  /** Notes that the command runs. A full disk keeps that from being noted, and the command from nothing. */
  writeBegun(at: number): void {
    try {
      this.withReserve(() => {
        writeFileSync(this.file('begun.tmp'), JSON.stringify({ at }));
        renameSync(this.file('begun.tmp'), this.file('begun.json'));
      });
    } catch {
      // The end has it too.
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

  /** Only the first caller ever gets true: moving a folder over one that holds something fails. */
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

  /** Who took the lock and whether that process still runs; undefined while nobody has. */
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
   * Puts an end on disk in the place of a folder that was deleted or cannot be read, so that the service hears it even
   * after a crash. False where somebody else took the job in the meantime.
   */
  writeOff(order: JobOrder & { number: number }, end: JobEnd): boolean {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    if (!this.takeLock()) return false;
    writeDurably(this.file('job.json'), JSON.stringify(order));
    this.writeEnd(end);
    return true;
  }

  // ---- Space on a full disk -----------------------------------------------------------------------------------------

  /** Reserves the space that a job's lock, end and notes need, as long as there is some. */
  makeReserve(): void {
    writeFileSync(this.file(RESERVE_FILE), Buffer.alloc(RESERVE_PARTS * RESERVE_PART, 1));
  }

  /** Gives back a part of that space; false when there is none left. */
  releaseReserve(): boolean {
    const size = statSync(this.file(RESERVE_FILE), { throwIfNoEntry: false })?.size ?? 0;
    if (size > 0) truncateSync(this.file(RESERVE_FILE), Math.max(0, size - RESERVE_PART));
    return size > 0;
  }

  /** Does something that needs space on the disk, in the reserved one where there is no other. */
  withReserve<T>(action: () => T): T {
    for (;;)
      try {
        return action();
      } catch (error) {
        if (!isDiskFull(error) || !this.releaseReserve()) throw error;
      }
  }

  // ---- The Command's temporary folder -------------------------------------------------------------------------------

  /** How the temporary folders of this job begin: they can be found when nothing else of it is left. */
  get #tempPrefix(): string {
    return `muster-job-${createHash('sha256').update(this.folder).digest('hex').slice(0, 16)}-`;
  }

  /** Makes a folder for what a Command unpacks, where the system has such things; undefined where it cannot. */
  makeTemp(): string | undefined {
    try {
      return mkdtempSync(path.join(tmpdir(), this.#tempPrefix));
    } catch {
      return undefined; // The Command uses the system's own, and says in its output what is wrong with it.
    }
  }

  /** Removes what a killed Command left there. */
  removeTemp(): void {
    try {
      for (const name of readdirSync(tmpdir()))
        if (name.startsWith(this.#tempPrefix)) removeFolder(path.join(tmpdir(), name));
    } catch {
      // Tried again when the job is forgotten.
    }
  }
}
