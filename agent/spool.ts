// The agent's data folder. After any crash, its content decides whether a job was started and how it ended:
//
//   key, server            for a later start with only --data
//   journal                a random name of this folder: a job given to it never runs from another one
//   settled                ids of jobs whose end the service has, one a line: they never run again
//   jobs/<id>/job.json     the request, flushed before anything starts
//   jobs/<id>/lock/        the process that creates it is the only one to run the job, or to conclude it unstarted
//   jobs/<id>/begun.json   the command was started
//   jobs/<id>/stdout …     its output so far
//   jobs/<id>/turns        in which order it wrote to the two streams
//   jobs/<id>/mark         open in all processes of the job, which identifies them
//   jobs/<id>/reserve      reserves space for writes on a full disk
//   jobs/<id>/cancel       asks the supervisor to stop
//   jobs/<id>/end.json     how it ended; moved into place whole
//   set-aside/             unreadable files, for a person to look at
import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { appendDurably, isDiskFull, removeFolder, syncFolder, writeDurably } from './durable.ts';
import { JobFolder, readText, type JobRequest } from './job-folder.ts';
import { endProcesses } from './processes.ts';

/** Beyond this number, only the newest half is kept, because a job is offered again soon after a crash or never. */
const MAX_SETTLED = 20_000;
/** The contract's format of job ids and journal names. */
const ID = /^[A-Za-z0-9_-]{1,64}$/;

const isFolder = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;

export class Spool {
  readonly journal: string;
  readonly #data: string;
  readonly #jobs: string;
  readonly #settledFile: string;
  readonly #log: (line: string) => void;
  #settled: Set<string>;
  /** Unreadable files that have not been reported to the service yet. */
  setAside: string[] = [];
  #number = 0;

  /** `log` receives a line for each unreadable file or folder. */
  constructor(data: string, log: (line: string) => void = () => {}) {
    this.#data = data;
    this.#log = log;
    this.#jobs = path.join(data, 'jobs');
    this.#settledFile = path.join(data, 'settled');
    if (existsSync(this.#jobs) && !isFolder(this.#jobs)) this.#setAside(this.#jobs, 'it is no folder');
    mkdirSync(this.#jobs, { recursive: true, mode: 0o700 });
    this.journal = this.#readJournal(path.join(data, 'journal'));
    this.#settled = this.#readSettled();
    // This also covers names that an interrupted earlier start created, in which jobs will be stored.
    syncFolder(data);
  }

  #readJournal(file: string): string {
    const named = readText(file)?.trim() ?? '';
    if (ID.test(named)) return named;
    if (existsSync(file) && named !== '')
      this.#setAside(file, 'it holds no name; jobs that were under way count as Interrupted');
    else if (isFolder(file)) this.#setAside(file, 'it is a folder');
    const name = randomBytes(12).toString('hex');
    writeDurably(file, name);
    return name;
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

  /** Moves an unreadable file out of the way, for a person to inspect. Returns its new path. */
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
      const number = folder.request()?.number;
      // Without a request, the power failed before the job was accepted. It never started, and will be offered again.
      if (this.#settled.has(id) || (!folder.exists() && !folder.owner())) this.#remove(id);
      else found.push({ id, at: number ?? this.#replaceByEnd(folder) });
    }
    found.sort((one, other) => one.at - other.at);
    this.#number = found.at(-1)?.at ?? 0;
    return found.map(({ id }) => id);
  }

  /** Replaces an unreadable job with an end that reports the fault. Returns its queue position. */
  #replaceByEnd(folder: JobFolder): number {
    const job = path.basename(folder.folder);
    const aside = this.#setAside(folder.folder, 'the request of the job in it cannot be read');
    void endProcesses(undefined, { id: job, folder: aside });
    const reason = `What the device had stored of this job cannot be read, and was set aside as ${aside}. Whether it ran is not known; it is not run again.`;
    const request = { job, command: '', timeLimitSeconds: 1, outputLimit: 0, number: 0 };
    folder.replaceByEnd(request, { outcome: 'interrupted', reason, endedAt: Date.now() });
    return 0;
  }

  isSettled(job: string): boolean {
    return this.#settled.has(job);
  }

  folder(job: string): JobFolder {
    return new JobFolder(path.join(this.#jobs, job));
  }

  /** Stores a request durably, which accepts the job. */
  accept(request: JobRequest): JobFolder {
    const folder = this.folder(request.job);
    try {
      mkdirSync(folder.folder, { recursive: true, mode: 0o700 });
      folder.makeReserve();
      writeDurably(folder.file('job.json'), JSON.stringify({ ...request, number: ++this.#number }));
      syncFolder(this.#jobs);
    } catch (error) {
      this.#remove(request.job);
      throw error;
    }
    return folder;
  }

  /** Called when the service has the job's end: records the id and removes the rest. */
  settle(job: string): void {
    if (!this.#settled.has(job)) {
      // Starts with a line break, so that a line truncated by a power failure does not absorb this one.
      const note = () => appendDurably(this.#settledFile, `\n${job}`);
      try {
        note();
      } catch (error) {
        if (!isDiskFull(error)) throw error;
        // The service already has the output, so removing these files frees space for the line.
        for (const name of ['work', 'stdout', 'stderr'])
          rmSync(this.folder(job).file(name), { recursive: true, force: true });
        this.folder(job).withReserve(note);
      }
      this.#settled.add(job);
      if (this.#settled.size > MAX_SETTLED) {
        this.#settled = new Set([...this.#settled].slice(-MAX_SETTLED / 2));
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
      // A remaining process of the job is still writing there; the next start tries again.
    }
  }
}
