// What the service does by itself in the background, on one node at a time: the one that leads.
import { logFault } from './store/system-fault.ts';

export interface LeaderTask {
  /** Completes "could not …" in the log. */
  what: string;
  everyMs: number;
  run: () => Promise<unknown>;
}

export interface LeaderWork {
  /** Begins no task any more, and waits for those that run. */
  close(): Promise<void>;
}

/**
 * Runs each task at its interval, never twice at once. One that fails is logged and tried again at the next.
 * @param mayRun whether this node leads and can write
 */
export function openLeaderWork(mayRun: () => boolean, tasks: readonly LeaderTask[]): LeaderWork {
  const running = new Map<LeaderTask, Promise<unknown>>();
  const run = (task: LeaderTask) => {
    if (!mayRun() || running.has(task)) return;
    const done = task
      .run()
      .catch((cause: unknown) => logFault(`could not ${task.what}`, cause))
      .finally(() => running.delete(task));
    running.set(task, done);
  };
  const timers = tasks.map((task) => setInterval(run, task.everyMs, task).unref());
  return {
    close: async () => {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(running.values());
    },
  };
}
