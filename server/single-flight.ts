// Background work that may be asked for at any time, but never runs twice at once.
import { logFault } from './store/system-fault.ts';

export interface SingleFlight {
  /** Runs it, or joins the run that is under way. Resolves when that has ended; a failure is logged. */
  run: () => Promise<void>;
  /** Resolves when nothing is under way. */
  settled: () => Promise<void>;
}

/** `failure`: how the log calls a run that failed. */
export function singleFlight(failure: string, work: () => Promise<unknown>): SingleFlight {
  let running: Promise<void> | undefined;
  const start = async () => {
    await Promise.resolve()
      .then(work)
      .catch((cause: unknown) => logFault(failure, cause));
    running = undefined;
  };
  return {
    run: () => (running ??= start()),
    settled: async () => running,
  };
}
