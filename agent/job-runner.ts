// The device's side of the queue: stores each offered job before it starts, runs one at a time in the order of arrival,
// and removes a job only when the service has its end. docs/agent-link.md has the rules as a table.
import type { AgentMessage, Ended, Run } from '#/contract/agent-link.ts';
import { describeFault } from './durable.ts';
import type { JobFolder } from './job-folder.ts';
import { JobFollower } from './job-follower.ts';
import { endProcesses } from './processes.ts';
import type { Spool } from './spool.ts';

export interface RunnerOptions {
  spool: Spool;
  /** Runs the job of this folder; resolves when its supervisor has ended, with the error if it failed. */
  launch: (folder: JobFolder) => Promise<string | undefined>;
  send: (message: AgentMessage) => void;
  log: (line: string) => void;
}

/** Most jobs without a folder that are remembered; one comes up again at once or never. */
const MAX_REFUSED = 1_000;

export class JobRunner {
  readonly #options: RunnerOptions;
  /** Jobs on disk that are not settled, in the order of arrival. */
  readonly #jobs = new Map<string, JobFollower>();
  /** Jobs that the service offered and that have not started. */
  readonly #ready = new Set<string>();
  /** Jobs that the service does not know: they are removed when they end. */
  readonly #orphans = new Set<string>();
  /**
   * Jobs that this agent ended without a folder for them, because it could not store them or does not have them: the
   * same message again gets the same answer, and `cancel` none. Until the service has such an end, a new connection
   * offers the job anew.
   */
  readonly #refused = new Map<string, { end: Ended; isSettled: boolean }>();
  /** The job that this agent started and that has not ended. */
  #active: string | undefined;
  #stopped = false;
  /** Set while no further job may start; called when none runs. */
  #whenIdle: (() => void) | undefined;

  constructor(options: RunnerOptions) {
    this.#options = options;
    for (const job of options.spool.unsettled()) this.#follow(job);
  }

  /** The jobs to name in `hello`. */
  unsettled(): string[] {
    return [...this.#jobs.keys()];
  }

  /** The service offers a new job, or one whose remaining output and end it needs. */
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
      // The owner of the lock decides: taken here, no other process can start the job; else its supervisor sees the
      // request.
      if (!folder.owner() && folder.takeLock()) this.#concludeCancelled(follower);
    } catch (error) {
      this.#options.log(`Could not store that a job is to stop. ${describeFault(error, folder.folder)}`);
      // Neither needs the record: running processes are ended, and what was not launched never is.
      if (folder.owner() || this.#active === job) void endProcesses(undefined, { id: job, folder: folder.folder });
      else this.#concludeCancelled(follower);
    }
  }

  /** The service has the job's end, or does not know the job. */
  settled(job: string): void {
    const refused = this.#refused.get(job);
    if (refused) refused.isSettled = true;
    const follower = this.#jobs.get(job);
    if (!follower) return;
    if (follower.hasEnded) this.#forget(job);
    else this.#orphans.add(job);
  }

  /** The connection is lost. Jobs continue; their output waits on disk. */
  disconnected(): void {
    for (const follower of this.#jobs.values()) follower.disconnected();
    for (const [job, { isSettled }] of this.#refused) if (!isSettled) this.#refused.delete(job);
  }

  /** Stops following; the jobs continue. */
  stop(): void {
    this.#stopped = true;
    for (const follower of this.#jobs.values()) follower.stop();
  }

  /** Starts no further job and resolves when none runs; calls `waiting` if one does. */
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

  /** Whether a job runs that this agent, or one before it, started. */
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
      // The job remains with its end. The next `hello` names it, and the service settles it again.
      this.#options.log(
        `Could not tidy up after a job. ${describeFault(error, this.#options.spool.folder(job).folder)}`,
      );
      return;
    }
    this.#jobs.get(job)?.stop();
    this.#jobs.delete(job);
    this.#orphans.delete(job);
  }

  /** Starts the oldest offered job, unless one runs. */
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
    // The follower detects a deleted folder itself.
    if (next.hasEnded || folder.owner() || !folder.exists()) return;
    try {
      // Without a lock nothing ran; taking it ensures that nothing will.
      if (!folder.takeLock()) return;
    } catch (error) {
      fault ||= describeFault(error, folder.folder);
    }
    const reason = `The agent could not start the job. ${fault || 'Its supervisor ended at once.'}`;
    next.conclude({ outcome: 'not-started', reason, endedAt: Date.now() });
  }
}
