// The device's side of the queue: stores each offered job before it starts, runs one job at a time in order of arrival,
// and removes a job only when the service has its end. docs/agent-protocol.md has the rules as a table.
import type { AgentMessage, Ended, Run } from '#/contract/agent-link.ts';
import { describeFault } from './durable.ts';
import type { JobFolder } from './job-folder.ts';
import { JobFollower } from './job-follower.ts';
import { endProcesses } from './processes.ts';
import type { Spool } from './spool.ts';

export interface RunnerOptions {
  spool: Spool;
  /** Runs the job in this folder; resolves when its supervisor has exited, with the error if it failed. */
  launch: (folder: JobFolder) => Promise<string | undefined>;
  send: (message: AgentMessage) => void;
  log: (line: string) => void;
}

/** The most refused jobs that are remembered. A job is offered again soon or never. */
const MAX_REFUSED = 1_000;

export class JobRunner {
  readonly #options: RunnerOptions;
  /** Jobs on disk that are not settled, in order of arrival. */
  readonly #jobs = new Map<string, JobFollower>();
  /** Jobs that the service has offered and that have not started. */
  readonly #ready = new Set<string>();
  /** Jobs that the service does not know, which are removed when they end. */
  readonly #orphans = new Set<string>();
  /**
   * Jobs that this agent ended without a folder, because it could not store them or does not have them. Repeated offers
   * get the same answer, and `cancel` gets none. If the service has not stored such an end, it offers the job again on
   * the next connection.
   */
  readonly #refused = new Map<string, { end: Ended; isSettled: boolean }>();
  /** The running job that this agent started. */
  #active: string | undefined;
  #stopped = false;
  /** Set while no job may start; called when none is running. */
  #whenIdle: (() => void) | undefined;

  constructor(options: RunnerOptions) {
    this.#options = options;
    for (const job of options.spool.unsettled()) this.#follow(job);
  }

  /** The jobs to list in `hello`. */
  unsettled(): string[] {
    return [...this.#jobs.keys()];
  }

  /** Called when the service offers a new job, or a job whose remaining output and end it needs. */
  run({ job, have, command, timeLimitSeconds, outputLimit }: Run): void {
    const { spool, send, log } = this.#options;
    const refused = this.#refused.get(job);
    if (refused) return send(refused.end);
    if (spool.isSettled(job)) {
      const reason = 'This device ran the job before and sent its result; it is not run again.';
      send({ type: 'ended', job, outcome: 'interrupted', reason, endedAgo: 0 });
      return;
    }
    if (!this.#jobs.has(job)) {
      try {
        spool.accept({ job, command, timeLimitSeconds, outputLimit });
      } catch (error) {
        const reason = `The device could not store the job. ${describeFault(error, spool.folder(job).folder)}`;
        log(reason);
        return this.#refuse({ type: 'ended', job, outcome: 'not-started', reason: reason.slice(0, 1000), endedAgo: 0 });
      }
      this.#follow(job);
    }
    this.#ready.add(job);
    this.#jobs.get(job)?.sendFrom(have);
    this.#startNext();
  }

  stored(job: string, have: { stdout: number; stderr: number }): void {
    this.#jobs.get(job)?.stored(have);
  }

  /** Stops a job, or prevents its start. */
  cancel(job: string): void {
    const follower = this.#jobs.get(job);
    if (!follower) {
      if (this.#options.spool.isSettled(job) || this.#refused.has(job)) return;
      const reason = 'Cancelled before it reached the device.';
      return this.#refuse({ type: 'ended', job, outcome: 'cancelled', reason, endedAgo: 0 });
    }
    const { folder } = follower;
    if (follower.hasEnded || !folder.exists()) return; // its end will be sent
    try {
      folder.askToCancel();
      // The owner of the lock decides. If it is taken here, no other process can start the job; otherwise the
      // supervisor sees the request.
      if (!folder.owner() && folder.takeLock()) this.#concludeCancelled(follower);
    } catch (error) {
      this.#options.log(`Could not store that a job is to stop. ${describeFault(error, folder.folder)}`);
      // It works without the record: running processes are ended, and a job that was not launched never will be.
      if (folder.owner() || this.#active === job) void endProcesses(undefined, { id: job, folder: folder.folder });
      else this.#concludeCancelled(follower);
    }
  }

  /** Called when the service has the job's end, or does not know the job. */
  settled(job: string): void {
    const refused = this.#refused.get(job);
    if (refused) refused.isSettled = true;
    const follower = this.#jobs.get(job);
    if (!follower) return;
    if (follower.hasEnded) this.#forget(job);
    else this.#orphans.add(job);
  }

  /** Called when the connection is lost. Jobs continue; their output waits on disk. */
  disconnected(): void {
    for (const follower of this.#jobs.values()) follower.disconnected();
    for (const [job, { isSettled }] of this.#refused) if (!isSettled) this.#refused.delete(job);
  }

  /** Stops following jobs, which continue to run. */
  stop(): void {
    this.#stopped = true;
    for (const follower of this.#jobs.values()) follower.stop();
  }

  /** Stops starting jobs, and resolves when none is running; calls `waiting` if one is. */
  hold(waiting: () => void): Promise<void> {
    return new Promise((resolve) => {
      this.#whenIdle = resolve;
      this.#startNext();
      if (this.#isRunning()) waiting();
    });
  }

  /** Allows jobs to start again. */
  release(): void {
    this.#whenIdle = undefined;
    this.#startNext();
  }

  /** Whether a job is running that this agent or an earlier one started. */
  #isRunning(): boolean {
    const unfinished = [...this.#jobs.values()].filter((follower) => !follower.hasEnded);
    return this.#active !== undefined || unfinished.some(({ folder }) => folder.owner());
  }

  #concludeCancelled(follower: JobFollower): void {
    follower.conclude({ outcome: 'cancelled', reason: 'Cancelled before it started.', endedAt: Date.now() });
  }

  /** Sends the end of a job that has no folder, and remembers it. */
  #refuse(end: Ended): void {
    this.#refused.set(end.job, { end, isSettled: false });
    const [oldest] = this.#refused.keys();
    if (this.#refused.size > MAX_REFUSED && oldest !== undefined) this.#refused.delete(oldest);
    this.#options.send(end);
  }

  #follow(job: string): void {
    const { spool, send } = this.#options;
    const follower = new JobFollower(job, spool.folder(job), send);
    this.#jobs.set(job, follower);
    void this.#whenEnded(follower);
  }

  async #whenEnded({ job, ended }: JobFollower): Promise<void> {
    await ended;
    this.#ready.delete(job);
    if (this.#active === job) this.#active = undefined;
    if (this.#orphans.has(job)) this.#forget(job);
    this.#startNext();
  }

  #forget(job: string): void {
    try {
      this.#options.spool.settle(job);
    } catch (error) {
      // The job remains with its end. The next `hello` lists it, and the service settles it again.
      this.#options.log(
        `Could not tidy up after a job. ${describeFault(error, this.#options.spool.folder(job).folder)}`,
      );
      return;
    }
    this.#jobs.get(job)?.stop();
    this.#jobs.delete(job);
    this.#orphans.delete(job);
  }

  /** Starts the oldest offered job, unless one is running. */
  #startNext(): void {
    if (this.#stopped || this.#isRunning()) return;
    if (this.#whenIdle) return this.#whenIdle();
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
      fault = describeFault(error, folder.folder);
    }
    // The follower itself handles a deleted folder.
    if (next.hasEnded || folder.owner() || !folder.exists()) return;
    try {
      // Nothing ran if nobody took the lock; taking it now ensures that nothing will.
      if (!folder.takeLock()) return;
    } catch (error) {
      fault ||= describeFault(error, folder.folder);
    }
    const reason = `The agent could not start the job. ${fault || 'Its supervisor ended at once.'}`;
    next.conclude({ outcome: 'not-started', reason, endedAt: Date.now() });
  }
}
