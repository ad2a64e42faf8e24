// The device's side of the queue: takes what the service offers, writes it down before anything starts, runs one job
// at a time in the order they came, and forgets a job only when the service has its end.
import type { AgentMessage, Run } from '#/contract/agent-link.ts';
import { JobFollower } from './job-follower.ts';
import type { JobFolder, Spool } from './spool.ts';

export interface DeskOptions {
  spool: Spool;
  /** Sees to it that the job of this folder runs; resolves when whoever runs it is gone, with a word if that failed. */
  launch: (folder: JobFolder) => Promise<string | undefined>;
  send: (message: AgentMessage) => void;
  log: (line: string) => void;
}

export class JobDesk {
  readonly #options: DeskOptions;
  /** Jobs on disk that are not settled, in the order they came. */
  readonly #jobs = new Map<string, JobFollower>();
  /** Those that the service offered, so that they may start, and has not been seen starting. */
  readonly #ready = new Set<string>();
  /** Those that the service knows nothing of: they go as soon as they ended. */
  readonly #orphans = new Set<string>();
  /** The job that was started here and has not ended. */
  #active: string | undefined;
  #stopped = false;

  constructor(options: DeskOptions) {
    this.#options = options;
    for (const job of options.spool.unsettled()) this.#follow(job);
  }

  /** What to name in `hello`. */
  unsettled(): string[] {
    return [...this.#jobs.keys()];
  }

  /** The service offers a job: a new one, or one it wants to hear the rest of. */
  run({ job, have, command, timeLimitSeconds, outputLimit }: Run): void {
    const { spool, send, log } = this.#options;
    if (spool.isSettled(job)) {
      const reason = 'This device ran the job before and handed its result over; it is not run again.';
      send({ type: 'ended', job, outcome: 'interrupted', reason, endedAgo: 0 });
      return;
    }
    if (!this.#jobs.has(job)) {
      try {
        spool.accept({ job, command, timeLimitSeconds, outputLimit });
      } catch (error) {
        const reason = `The device could not write the job to its disk: ${(error as Error).message}`;
        log(reason);
        send({ type: 'ended', job, outcome: 'not-started', reason: reason.slice(0, 1000), endedAgo: 0 });
        return;
      }
      this.#follow(job);
    }
    this.#ready.add(job);
    this.#jobs.get(job)?.tell(have);
    this.#startNext();
  }

  stored(job: string, have: { stdout: number; stderr: number }): void {
    this.#jobs.get(job)?.stored(have);
  }

  /** Stops a job, or sees to it that it never starts. */
  cancel(job: string): void {
    const follower = this.#jobs.get(job);
    if (!follower) {
      if (this.#options.spool.isSettled(job)) return;
      const reason = 'Cancelled before it reached the device.';
      this.#options.send({ type: 'ended', job, outcome: 'cancelled', reason, endedAgo: 0 });
      return;
    }
    follower.folder.askToCancel();
    // With the lock in hand nobody else can start it; without it, somebody did and sees the request.
    if (!follower.folder.owner() && follower.folder.takeLock())
      follower.folder.writeEnd({ outcome: 'cancelled', reason: 'Cancelled before it started.', endedAt: Date.now() });
  }

  /** The service has the end of the job, or has never heard of it. */
  settled(job: string): void {
    const follower = this.#jobs.get(job);
    if (!follower) return;
    if (follower.hasEnded) this.#forget(job);
    else this.#orphans.add(job);
  }

  /** The link is gone. Jobs go on; what they say waits on disk. */
  hush(): void {
    for (const follower of this.#jobs.values()) follower.hush();
  }

  /** Ends the following, not the jobs. */
  stop(): void {
    this.#stopped = true;
    for (const follower of this.#jobs.values()) follower.stop();
  }

  #follow(job: string): void {
    const { spool, send } = this.#options;
    const follower = new JobFollower(job, spool.folder(job), send);
    this.#jobs.set(job, follower);
    void this.#afterwards(follower);
  }

  async #afterwards({ job, ended }: JobFollower): Promise<void> {
    await ended;
    this.#ready.delete(job);
    if (this.#active === job) this.#active = undefined;
    if (this.#orphans.has(job)) this.#forget(job);
    this.#startNext();
  }

  #forget(job: string): void {
    this.#jobs.get(job)?.stop();
    this.#jobs.delete(job);
    this.#orphans.delete(job);
    try {
      this.#options.spool.settle(job);
    } catch (error) {
      // The folder stays, holding the end: it is told and settled again at the next start.
      this.#options.log(`Could not tidy up after a job: ${(error as Error).message}`);
    }
  }

  /** Starts the oldest job that was offered, unless one is under way. */
  #startNext(): void {
    if (this.#stopped || this.#active !== undefined) return;
    const waiting = [...this.#jobs.values()].filter((follower) => !follower.hasEnded);
    if (waiting.some(({ folder }) => folder.owner())) return;
    const next = waiting.find(({ job }) => this.#ready.has(job));
    if (!next) return;
    this.#ready.delete(next.job);
    this.#active = next.job;
    void this.#start(next);
  }

  async #start(next: JobFollower): Promise<void> {
    const fault = await this.#options.launch(next.folder);
    // Still no lock: nothing ran. Taking it makes sure that nothing will.
    if (next.hasEnded || next.folder.owner() || !next.folder.takeLock()) return;
    const reason = `The agent could not start the job: ${fault ?? 'its supervisor ended at once.'}`;
    next.folder.writeEnd({ outcome: 'not-started', reason, endedAt: Date.now() });
  }
}
