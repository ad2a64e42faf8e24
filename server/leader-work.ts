// What the service does by itself in the background, on one node at a time: the one that leads.
import { singleFlight } from './single-flight.ts';

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
  const runs = tasks.map(({ what, everyMs, run }) => ({ everyMs, ...singleFlight(`could not ${what}`, run) }));
  const timers = runs.map(({ everyMs, run }) => setInterval(() => void (mayRun() && run()), everyMs).unref());
  return {
    close: async () => {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(runs.map(({ settled }) => settled()));
    },
  };
}
