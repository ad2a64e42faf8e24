// The agent's data folder. What is in it decides, after any crash, whether a job was started and how it ended:
//
//   key, server            how to dial, so that a later start needs only --data
//   journal                a random name for this folder: a job handed to it never runs from another
//   settled                ids of jobs whose end the service has, one a line: they are never run again
//   jobs/<id>/job.json     the order, flushed before anything starts
//   jobs/<id>/lock/        whoever moves a folder here is the only one to run the job, or to say that it won't
//   jobs/<id>/begun.json   the command was started
//   jobs/<id>/stdout …     its output so far
//   jobs/<id>/cancel       the supervisor is asked to stop
//   jobs/<id>/end.json     how it ended; moved into place whole
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Outcome } from '#/contract/agent-link.ts';
import { appendDurably, syncFolder, writeDurably } from './durable.ts';
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
  /** Milliseconds by this device's clock; only their distance from now is ever told. */
  startedAt?: number;
  endedAt: number;
}

/** Once this many ids were settled, only the newest half is kept: a repeat comes soon after a crash or not at all. */
const MOST_SETTLED = 20_000;

const readText = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};
/** Undefined also for a file that the power cut in half; those that must not be are moved into place whole. */
const readJson = <T>(file: string): T | undefined => {
  const text = readText(file);
  try {
    return text === undefined ? undefined : (JSON.parse(text) as T);
  } catch {
    return undefined;
  }
};

/** One job's folder. Agent and supervisor both work on it, each knowing only what is on disk. */
export class JobFolder {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  file(name: string): string {
    return path.join(this.folder, name);
  }

  order(): JobOrder | undefined {
    return readJson<JobOrder>(this.file('job.json'));
  }

  begun(): { at: number } | undefined {
    return readJson<{ at: number }>(this.file('begun.json'));
  }

  /** Tells that the command runs. A full disk keeps that from being told, and the command from nothing. */
  writeBegun(at: number): void {
    try {
      writeFileSync(this.file('begun.tmp'), JSON.stringify({ at }));
      renameSync(this.file('begun.tmp'), this.file('begun.json'));
    } catch {
      // The end tells it too.
    }
  }

  end(): JobEnd | undefined {
    return readJson<JobEnd>(this.file('end.json'));
  }

  writeEnd(end: JobEnd): void {
    writeDurably(this.file('end.json'), JSON.stringify(end));
  }

  /** Only the first caller ever gets true: moving a folder over one that holds something fails. */
  takeLock(): boolean {
    const draft = this.file(`lock.${process.pid}.${randomBytes(4).toString('hex')}`);
    mkdirSync(draft);
    writeFileSync(path.join(draft, 'owner.json'), JSON.stringify(ownMark()));
    try {
      renameSync(draft, this.file('lock'));
    } catch (error) {
      rmSync(draft, { recursive: true, force: true });
      if (existsSync(this.file('lock'))) return false;
      throw error;
    }
    syncFolder(this.folder);
    return true;
  }

  /** Who took the lock and whether that process still runs; undefined while nobody has. */
  owner(): { alive: boolean } | undefined {
    if (!existsSync(this.file('lock'))) return undefined;
    const mark = readJson<ProcessMark>(path.join(this.file('lock'), 'owner.json'));
    return { alive: mark !== undefined && isAlive(mark) };
  }

  askToCancel(): void {
    writeFileSync(this.file('cancel'), '');
  }

  cancelAsked(): boolean {
    return existsSync(this.file('cancel'));
  }
}

/** The data folder as a whole. */
export class Spool {
  readonly journal: string;
  readonly #jobs: string;
  readonly #settledFile: string;
  #settled: Set<string>;
  #number = 0;

  constructor(data: string) {
    this.#jobs = path.join(data, 'jobs');
    this.#settledFile = path.join(data, 'settled');
    mkdirSync(this.#jobs, { recursive: true, mode: 0o700 });
    const named = readText(path.join(data, 'journal'))?.trim();
    this.journal = named || randomBytes(12).toString('hex');
    if (!named) writeDurably(path.join(data, 'journal'), this.journal);
    this.#settled = new Set(readText(this.#settledFile)?.split('\n').filter(Boolean));
  }

  /** Jobs on disk that are not settled, oldest first. */
  unsettled(): string[] {
    const found: { id: string; at: number }[] = [];
    for (const id of readdirSync(this.#jobs)) {
      const number = readJson<{ number: number }>(path.join(this.#jobs, id, 'job.json'))?.number;
      // Without an order the power went before the job was accepted: it was never started, and is offered again.
      if (number === undefined || this.#settled.has(id)) this.#remove(id);
      else found.push({ id, at: number });
    }
    found.sort((one, other) => one.at - other.at);
    this.#number = found.at(-1)?.at ?? 0;
    return found.map(({ id }) => id);
  }

  isSettled(job: string): boolean {
    return this.#settled.has(job);
  }

  folder(job: string): JobFolder {
    return new JobFolder(path.join(this.#jobs, job));
  }

  /** Puts an order on disk, flushed; from here on the job counts as accepted. */
  accept(order: JobOrder): JobFolder {
    const folder = this.folder(order.job);
    mkdirSync(folder.folder, { recursive: true, mode: 0o700 });
    writeDurably(folder.file('job.json'), JSON.stringify({ ...order, number: ++this.#number }));
    syncFolder(this.#jobs);
    return folder;
  }

  /** The service has the job's end: remember the id, forget the rest. */
  settle(job: string): void {
    if (!this.#settled.has(job)) {
      // The empty line first: a line that the power cut in half must not swallow this one.
      appendDurably(this.#settledFile, `\n${job}`);
      this.#settled.add(job);
      if (this.#settled.size > MOST_SETTLED) {
        this.#settled = new Set([...this.#settled].slice(-MOST_SETTLED / 2));
        writeDurably(this.#settledFile, [...this.#settled, ''].join('\n'));
      }
    }
    this.#remove(job);
  }

  #remove(job: string): void {
    try {
      rmSync(this.folder(job).folder, { recursive: true, force: true });
    } catch {
      // Something the job left behind still writes there; the next start tries again.
    }
  }
}
