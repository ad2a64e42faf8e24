// The output of a parent's children, read only where the page needs it: in batches, and once for each child that has
// ended.
import { MOST_OUTPUTS, type ChildOutput } from '#/contract/job-outputs.ts';
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import { call } from '#/api/call.ts';
import { isLean } from '#/api/lean-rows.ts';
import { isMoving } from '#/contract/job-state.ts';
import { createListeners } from '#/lib/store.ts';

type Output = Pick<Job, 'Stdout' | 'Stderr' | 'Result'>;

interface Entry {
  output: Output;
  /** The row as it was when the output was requested. */
  readFor: Job;
  /** Whether only the end of the output was read. */
  isCut: boolean;
  /** The row `of` merged with its output, kept so that the same row yields the same object. */
  merged?: { of: Job; job: Job };
}

export interface ReadOutputs {
  /** The tail of the output of each of these children. */
  some: (parent: string, ids: readonly string[], signal: AbortSignal) => Promise<ChildOutput[]>;
  /** The full output of one child. */
  one: (id: string, signal: AbortSignal) => Promise<Output>;
}

const BY_REQUEST: ReadOutputs = {
  some: (parent, ids, signal) =>
    call(jobEndpoints.outputs, { params: { job_id: parent }, query: { ids: ids.join(',') } }, { signal }),
  one: (id, signal) => call(jobEndpoints.get, { params: { job_id: id } }, { signal }),
};

/** Milliseconds to collect wanted rows into one request, and between two notifications of listeners. */
const GATHERED = 30;
const NOTICED = 400;
/** Most concurrent requests. */
const CONCURRENCY = 2;
/** Target size of a response in characters: parsing a larger one would block the page. */
const PER_ANSWER = 1_000_000;
const FEWEST = 10;
/** A stream of this many bytes may have been cut to its tail. */
const CUT = 64 * 1024 - 8;

const isCut = (text: string) => text.length * 3 >= CUT && new TextEncoder().encode(text).length >= CUT;

export class ChildOutputs {
  readonly parent: string;
  /** Increases whenever output arrives. */
  version = 0;
  private readonly read: ReadOutputs;
  private readonly entries = new Map<string, Entry>();
  /** The original row of each row with output. */
  private readonly origins = new WeakMap<Job, Job>();
  /** Rows whose output is to be read, by id, and whether all of it is. */
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

  /** The row with its output as read so far. */
  of(job: Job): Job {
    const entry = isLean(job) ? this.entries.get(job.JobId) : undefined;
    // Output read while the child ran may lack the end, which decides the verdict.
    if (!entry || (isMoving(entry.readFor) && !isMoving(job))) return job;
    if (entry.merged?.of !== job) {
      entry.merged = { of: job, job: { ...job, ...entry.output } };
      this.origins.set(entry.merged.job, job);
    }
    return entry.merged.job;
  }

  /**
   * Reads the missing outputs, once per row. `isWhole`: all of a long output instead of its tail; `isGrowing`: again if
   * the child is still running.
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
    while (this.running < CONCURRENCY && this.wanted.size > 0) {
      const some = [...this.wanted].slice(0, this.size);
      for (const [id] of some) this.wanted.delete(id);
      this.running++;
      // A failed read is requested again with the next change.
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

/** The outputs of the job being viewed; those of the job viewed before are dropped. */
export function outputsOf(parent: string): ChildOutputs {
  if (current?.parent !== parent) {
    current?.close();
    current = new ChildOutputs(parent);
  }
  return current;
}
