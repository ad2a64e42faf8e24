// The agent's data folder. What is in it decides, after any crash, whether a job was started and how it ended:
//
//   key, server            how to dial, so that a later start needs only --data
//   journal                a random name for this folder: a job handed to it never runs from another
//   settled                ids of jobs whose end the service has, one a line: they are never run again
//   jobs/<id>/job.json     the order, flushed before anything starts
//   jobs/<id>/lock/        whoever moves a folder here is the only one to run the job, or to say that it won't
//   jobs/<id>/begun.json   the command was started
//   jobs/<id>/stdout …     its output so far
//   jobs/<id>/turns        in which order it wrote to the two
//   jobs/<id>/mark         open in all processes that the job started, by which they are found
//   jobs/<id>/reserve      holds space for what must be written when the disk is full
//   jobs/<id>/cancel       the supervisor is asked to stop
//   jobs/<id>/end.json     how it ended; moved into place whole
//   set-aside/             what could not be read, for a person to look at
import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { appendDurably, isDiskFull, removeFolder, syncFolder, writeDurably } from './durable.ts';
import { JobFolder, readText } from './job-folder.ts';
import type { JobOrder } from './job-folder.ts';
import { endTree } from './processes.ts';

/** Once this many ids were settled, only the newest half is kept: a repeat comes soon after a crash or not at all. */
const MOST_SETTLED = 20_000;
/** As the contract has it for ids of jobs and names of journals. */
const ID = /^[A-Za-z0-9_-]{1,64}$/;

const isFolder = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;

export class Spool {
  readonly journal: string;
  readonly #data: string;
  readonly #jobs: string;
  readonly #settledFile: string;
  readonly #log: (line: string) => void;
  #settled: Set<string>;
  /** What was set aside and the service has not heard of. */
  setAside: string[] = [];
  #number = 0;

  /** `log` gets a line about each file or folder that could not be read. */
  constructor(data: string, log: (line: string) => void = () => {}) {
    this.#data = data;
    this.#log = log;
    this.#jobs = path.join(data, 'jobs');
    this.#settledFile = path.join(data, 'settled');
    if (existsSync(this.#jobs) && !isFolder(this.#jobs)) this.#setAside(this.#jobs, 'it is no folder');
    mkdirSync(this.#jobs, { recursive: true, mode: 0o700 });
    this.journal = this.#readJournal(path.join(data, 'journal'));
    this.#settled = this.#readSettled();
  }

  #readJournal(file: string): string {
    const named = readText(file)?.trim() ?? '';
    if (ID.test(named)) return named;
    if (existsSync(file) && named !== '')
      this.#setAside(file, 'it holds no name; jobs that were under way count as Interrupted');
    else if (isFolder(file)) this.#setAside(file, 'it is a folder');
    const made = randomBytes(12).toString('hex');
    writeDurably(file, made);
    return made;
  }

  #readSettled(): Set<string> {
    const lines = (readText(this.#settledFile) ?? '').split('\n').filter(Boolean);
    const ids = lines.filter((line) => ID.test(line));
    if (ids.length < lines.length) this.#setAside(this.#settledFile, 'it holds lines that are no ids of jobs');
    else if (isFolder(this.#settledFile)) this.#setAside(this.#settledFile, 'it is a folder');
    if (!existsSync(this.#settledFile) && ids.length > 0)
      writeDurably(this.#settledFile, ids.map((id) => `${id}\n`).join(''));
    return new Set(ids);
  }

  /** Moves what cannot be read out of the way, where a person can look at it. Returns where it is now. */
  #setAside(file: string, why: string): string {
    const folder = path.join(this.#data, 'set-aside');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const at = new Date().toISOString().replaceAll(/[:.]/g, '-');
    const aside = path.join(folder, `${path.basename(file).slice(0, 100)}.${at}.${randomBytes(2).toString('hex')}`);
    renameSync(file, aside);
    const line = `${file} could not be used: ${why}. It was set aside as ${aside}.`;
    this.#log(line);
    this.setAside.push(line.slice(0, 1000));
    return aside;
  }

  /** Jobs on disk that are not settled, oldest first. */
  unsettled(): string[] {
    const found: { id: string; at: number }[] = [];
    for (const id of readdirSync(this.#jobs)) {
      const folder = this.folder(id);
      if (!ID.test(id) || !isFolder(folder.folder)) {
        this.#setAside(folder.folder, 'it is no folder of a job');
        continue;
      }
      const number = folder.order()?.number;
      // Without an order the power went before the job was accepted: it was never started, and is offered again.
      if (this.#settled.has(id) || (!folder.exists() && !folder.owner())) this.#remove(id);
      else found.push({ id, at: number ?? this.#writeOff(folder) });
    }
    found.sort((one, other) => one.at - other.at);
    this.#number = found.at(-1)?.at ?? 0;
    return found.map(({ id }) => id);
  }

  /** The job of this folder cannot be read: in its place comes an end that says so. Returns its place in the queue. */
  #writeOff(folder: JobFolder): number {
    const job = path.basename(folder.folder);
    const aside = this.#setAside(folder.folder, 'the order of the job in it cannot be read');
    void endTree(undefined, { id: job, folder: aside });
    const reason = `What the device had stored of this job cannot be read, and was set aside as ${aside}. Whether it ran is not known; it is not run again.`;
    const order = { job, command: '', timeLimitSeconds: 1, outputLimit: 0, number: 0 };
    folder.writeOff(order, { outcome: 'interrupted', reason, endedAt: Date.now() });
    return 0;
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
    try {
      mkdirSync(folder.folder, { recursive: true, mode: 0o700 });
      folder.makeReserve();
      writeDurably(folder.file('job.json'), JSON.stringify({ ...order, number: ++this.#number }));
      syncFolder(this.#jobs);
    } catch (error) {
      this.#remove(order.job);
      throw error;
    }
    return folder;
  }

  /** The service has the job's end: remember the id, forget the rest. */
  settle(job: string): void {
    if (!this.#settled.has(job)) {
      // The empty line first: a line that the power cut in half must not swallow this one.
      const note = () => appendDurably(this.#settledFile, `\n${job}`);
      try {
        note();
      } catch (error) {
        if (!isDiskFull(error)) throw error;
        // The service has these: they make space for the line.
        for (const name of ['work', 'stdout', 'stderr'])
          rmSync(this.folder(job).file(name), { recursive: true, force: true });
        this.folder(job).withReserve(note);
      }
      this.#settled.add(job);
      if (this.#settled.size > MOST_SETTLED) {
        this.#settled = new Set([...this.#settled].slice(-MOST_SETTLED / 2));
        writeDurably(this.#settledFile, [...this.#settled, ''].join('\n'));
      }
    }
    this.#remove(job);
  }

  #remove(job: string): void {
    const folder = this.folder(job);
    folder.removeTemp();
    try {
      removeFolder(folder.folder);
    } catch {
      // Something the job left behind still writes there; the next start tries again.
    }
  }
}
