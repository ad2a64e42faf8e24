// The output of the children of one parent, read only where a part of the page needs it: some at a time, and once for
// each that has ended.
import { MOST_OUTPUTS, type ChildOutput } from '#/contract/job-outputs.ts';
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import { call } from '#/api/call.ts';
import { isLean } from '#/api/lean-rows.ts';
import { isMoving } from '#/contract/job-state.ts';
import { createListeners } from '#/lib/store.ts';

type Output = Pick<Job, 'Stdout' | 'Stderr' | 'Result'>;

interface Entry {
  output: Output;
  /** The row that it was read for. */
  readFor: Job;
  /** Whether only the end of it was read. */
  isCut: boolean;
  /** The row with its output, for the row that it was made of. */
  merged?: { of: Job; job: Job };
}

export interface ReadOutputs {
  /** The ends of the outputs of some children. */
  some: (parent: string, ids: readonly string[], signal: AbortSignal) => Promise<ChildOutput[]>;
  /** All output of one. */
  one: (id: string, signal: AbortSignal) => Promise<Output>;
}

const BY_REQUEST: ReadOutputs = {
  some: (parent, ids, signal) =>
    call(jobEndpoints.outputs, { params: { job_id: parent }, query: { ids: ids.join(',') } }, { signal }),
  one: (id, signal) => call(jobEndpoints.get, { params: { job_id: id } }, { signal }),
};

/** Milliseconds in which what is wanted is gathered, and at most between two notices of what was read. */
const GATHERED = 30;
const NOTICED = 400;
/** Requests under way at a time. */
const AT_ONCE = 2;
/** Characters of one answer: more would block the page while it is parsed. */
const PER_ANSWER = 1_000_000;
const FEWEST = 10;
/** Of a stream that has this many bytes only the end may have come. */
const CUT = 64 * 1024 - 8;

const isCut = (text: string) => text.length * 3 >= CUT && new TextEncoder().encode(text).length >= CUT;

export class ChildOutputs {
  readonly parent: string;
  /** Counted up whenever some were read. */
  version = 0;
  private readonly read: ReadOutputs;
  private readonly entries = new Map<string, Entry>();
  /** The rows that those with output were made of. */
  private readonly origins = new WeakMap<Job, Job>();
  /** Rows whose output is to be read, by id; whether all of it is. */
  private readonly wanted = new Map<string, { job: Job; isWhole: boolean }>();
  private readonly listeners = createListeners();
  private readonly leaving = new AbortController();
  private size = MOST_OUTPUTS;
  private running = 0;
  private noticed = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(parent: string, read: ReadOutputs = BY_REQUEST) {
    this.parent = parent;
    this.read = read;
  }

  readonly subscribe = (listener: () => void): (() => void) => this.listeners.subscribe(listener);
  readonly getVersion = (): number => this.version;

  /** The row with its output, as far as that was read. */
  of(job: Job): Job {
    const entry = isLean(job) ? this.entries.get(job.JobId) : undefined;
    // What was read while it ran may lack the end, by which an ended child is judged.
    if (!entry || (isMoving(entry.readFor) && !isMoving(job))) return job;
    if (entry.merged?.of !== job) {
      entry.merged = { of: job, job: { ...job, ...entry.output } };
      this.origins.set(entry.merged.job, job);
    }
    return entry.merged.job;
  }

  /**
   * Reads what is missing, once for each row. `isWhole`: where an output is long, all of it; `isGrowing`: once more
   * where the child still runs.
   */
  want(jobs: Iterable<Job>, { isWhole = false, isGrowing = false } = {}): void {
    for (const row of jobs) {
      const job = this.origins.get(row) ?? row;
      if (!isLean(job)) continue;
      const entry = this.entries.get(job.JobId);
      const isRead = entry && (!isMoving(entry.readFor) || (entry.readFor === job && !isGrowing));
      if (!isRead || (isWhole && entry.isCut)) this.wanted.set(job.JobId, { job, isWhole });
    }
    if (this.wanted.size > 0) this.timer ??= setTimeout(() => this.work(), GATHERED);
  }

  close(): void {
    this.leaving.abort();
    clearTimeout(this.timer);
    this.wanted.clear();
  }

  private work(): void {
    this.timer = undefined;
    while (this.running < AT_ONCE && this.wanted.size > 0) {
      const some = [...this.wanted].slice(0, this.size);
      for (const [id] of some) this.wanted.delete(id);
      this.running++;
      // What could not be read is wanted again with the next change.
      void this.take(new Map(some))
        .catch(() => {})
        .finally(() => {
          this.running--;
          if (!this.leaving.signal.aborted) this.work();
        });
    }
    const isOver = this.running === 0 && this.wanted.size === 0;
    if (isOver || performance.now() - this.noticed > NOTICED) this.notice();
  }

  private async take(some: ReadonlyMap<string, { job: Job; isWhole: boolean }>): Promise<void> {
    const { signal } = this.leaving;
    const outputs = await this.read.some(this.parent, [...some.keys()], signal);
    let characters = 1;
    for (const { JobId, Stdout, Stderr, Result } of outputs) {
      const asked = some.get(JobId);
      if (!asked) continue;
      characters += Stdout.length + Stderr.length;
      let output: Output = { Stdout, Stderr, Result };
      const isLong = isCut(Stdout) || isCut(Stderr);
      if (asked.isWhole && isLong) {
        const whole = await this.read.one(JobId, signal);
        output = { Stdout: whole.Stdout, Stderr: whole.Stderr, Result: whole.Result };
      }
      this.entries.set(JobId, { output, readFor: asked.job, isCut: isLong && !asked.isWhole });
    }
    this.size = Math.min(MOST_OUTPUTS, Math.max(FEWEST, Math.floor((some.size * PER_ANSWER) / characters)));
  }

  private notice(): void {
    this.noticed = performance.now();
    this.version++;
    this.listeners.notify();
  }
}

let current: ChildOutputs | undefined;

/** The outputs of the job that is looked at; those of another one are forgotten. */
export function outputsOf(parent: string): ChildOutputs {
  if (current?.parent !== parent) {
    current?.close();
    current = new ChildOutputs(parent);
  }
  return current;
}
