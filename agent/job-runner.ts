// The device's side of the queue: takes what the service offers, writes it down before anything starts, runs one job
// at a time in the order they came, and forgets a job only when the service has its end.
import type { AgentMessage, Run } from '#/contract/agent-link.ts';
import { faultWords } from './durable.ts';
import type { JobFolder } from './job-folder.ts';
import { JobFollower } from './job-follower.ts';
import { endTree } from './processes.ts';
import type { Spool } from './spool.ts';

export interface RunnerOptions {
  spool: Spool;
  /** Sees to it that the job of this folder runs; resolves when whoever runs it is gone, with a word if that failed. */
  launch: (folder: JobFolder) => Promise<string | undefined>;
  send: (message: AgentMessage) => void;
  log: (line: string) => void;
}

export class JobRunner {
  readonly #options: RunnerOptions;
  /** Jobs on disk that are not settled, in the order they came. */
  readonly #jobs = new Map<string, JobFollower>();
  /** Those that the service offered, so that they may start, and has not been seen starting. */
  readonly #ready = new Set<string>();
  /** Those that the service knows nothing of: they go as soon as they ended. */
  readonly #orphans = new Set<string>();
  /** The job that was started here and has not ended. */
  #active: string | undefined;
  #stopped = false;
  /** Set while no further job may start; called when none runs. */
  #held: (() => void) | undefined;

  constructor(options: RunnerOptions) {
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
        const reason = `The device could not store the job. ${faultWords(error, spool.folder(job).folder)}`;
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
    const { folder } = follower;
    if (follower.hasEnded || !folder.exists()) return; // its end is on the way
    try {
      folder.askToCancel();
      // With the lock in hand nobody else can start it; without it, somebody did and sees the request.
      if (!folder.owner() && folder.takeLock())
        follower.conclude({ outcome: 'cancelled', reason: 'Cancelled before it started.', endedAt: Date.now() });
    } catch (error) {
      // What runs of it can be ended all the same.
      this.#options.log(`Could not store that a job is to stop. ${faultWords(error, folder.folder)}`);
      void endTree(undefined, { id: job, folder: folder.folder });
    }
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

  /** Starts no further job, and resolves when none runs; calls `waiting` where one does. */
  hold(waiting: () => void): Promise<void> {
    return new Promise((resolve) => {
      this.#held = resolve;
      this.#startNext();
      if (this.#isRunning()) waiting();
    });
  }

  /** Jobs may start again. */
  release(): void {
    this.#held = undefined;
    this.#startNext();
  }

  /** A job runs that this agent, or one before it, has started. */
  #isRunning(): boolean {
    const unended = [...this.#jobs.values()].filter((follower) => !follower.hasEnded);
    return this.#active !== undefined || unended.some(({ folder }) => folder.owner());
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
      this.#options.log(`Could not tidy up after a job. ${faultWords(error, this.#options.spool.folder(job).folder)}`);
    }
  }

  /** Starts the oldest job that was offered, unless one is under way. */
  #startNext(): void {
    if (this.#stopped || this.#isRunning()) return;
    if (this.#held) return this.#held();
    const next = [...this.#jobs.values()].find(({ job, hasEnded }) => !hasEnded && this.#ready.has(job));
    if (!next) return;
    this.#ready.delete(next.job);
    this.#active = next.job;
    void this.#start(next);
  }

  async #start(next: JobFollower): Promise<void> {
    const { folder } = next;
    next.launched();
    let fault: string | undefined;
    try {
      fault = await this.#options.launch(folder);
    } catch (error) {
      fault = faultWords(error, folder.folder);
    }
    // The follower sees by itself that a folder was deleted.
    if (next.hasEnded || folder.owner() || !folder.exists()) return;
    try {
      // Still no lock: nothing ran. Taking it makes sure that nothing will.
      if (!folder.takeLock()) return;
    } catch (error) {
      fault ||= faultWords(error, folder.folder);
    }
    const reason = `The agent could not start the job. ${fault || 'Its supervisor ended at once.'}`;
    next.conclude({ outcome: 'not-started', reason, endedAt: Date.now() });
  }
}
