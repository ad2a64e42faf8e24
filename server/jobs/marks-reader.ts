// Searches outputs for marks in a worker thread, and terminates it when a pattern takes too long: no user's pattern can
// block the service, and a problem with one output does not affect the others.
import { Worker } from 'node:worker_threads';
import type { MarksAnswer, MarksRequest } from './marks-worker.ts';
import { TOO_SLOW, TOO_SLOW_BEFORE, unread, type JudgingRule, type MarkedStream, type Reading } from './read-marks.ts';

/** The processor time for all patterns on one output, plus more for each megabyte of it. */
const BUDGET_MS = 1_000;
const BUDGET_MS_A_MB = 200;
/** A thread that is silent for this much longer than the budget is terminated: a pattern takes too long on one line. */
const GRACE_MS = 2_000;
/** A pattern that exceeded the budget on this many outputs is not tried on further ones. */
const STRIKES = 3;
/**
 * A thread that has not started on an output after this time is terminated; it is long because a busy machine starts
 * threads slowly.
 */
const START_MS = 60_000;
/** An idle thread is terminated after this time. */
const IDLE_MS = 30_000;

/** On how many outputs a rule exceeded the budget, by the rule's index. */
export type Strikes = Map<number, number>;

export interface MarksReader {
  /**
   * Calls run one after another. The result has a reading for each output, whatever happens to it. `strikes` carries
   * over from earlier calls with the same rules.
   */
  read(
    outputs: MarkedStream[][],
    rules: readonly JudgingRule[],
    options?: { strikes?: Strikes; all?: boolean },
  ): Promise<Reading[]>;
  close(): Promise<void>;
}

interface Question {
  onMessage: (message: MarksAnswer) => void;
  onFault: (cause: Error) => void;
}

/** Starts a thread whose faults never end this process, because its listeners stay until it has exited. */
function startThread() {
  const worker = new Worker(new URL('marks-worker.ts', import.meta.url));
  let question: Question | undefined;
  const thread = {
    hasEnded: false,
    ask: (request: MarksRequest, asked: Question) => {
      question = asked;
      worker.postMessage(request);
    },
    answered: () => (question = undefined),
    end: () => worker.terminate(),
  };
  worker.on('message', (message: MarksAnswer) => question?.onMessage(message));
  worker.on('error', (cause: Error) => {
    thread.hasEnded = true;
    question?.onFault(cause);
  });
  worker.on('exit', () => {
    thread.hasEnded = true;
    question?.onFault(new Error('its thread ended'));
  });
  worker.unref();
  return thread;
}

export function openMarksReader({ budgetMs = BUDGET_MS } = {}): MarksReader {
  let thread: ReturnType<typeof startThread> | undefined;
  let idle: ReturnType<typeof setTimeout> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const end = async () => {
    clearTimeout(idle);
    const ended = thread;
    thread = undefined;
    await ended?.end();
  };

  const ask = (request: MarksRequest): Promise<Reading> =>
    new Promise((resolve) => {
      if (thread?.hasEnded) thread = undefined;
      const asked = (thread ??= startThread());
      const { rules, skip = new Map<number, string>(), budgetMs: limit = 0 } = request;
      /** Indexes of patterns in the order tried; the last one is in progress. */
      const tried: number[] = [];
      const done = (reading: Reading) => {
        clearTimeout(timer);
        asked.answered();
        resolve(reading);
      };
      const onTimeout = () => {
        asked.answered();
        void end().then(() => {
          // Skips this pattern and those that have not been tried yet, because all share the used-up budget.
          const quick = new Set(tried.slice(0, -1));
          const left = new Map(skip);
          for (const [index, rule] of rules.entries()) if (rule.Pattern && !quick.has(index)) left.set(index, TOO_SLOW);
          if (tried.length === 0) resolve(unread(rules, TOO_SLOW));
          else resolve(ask({ ...request, skip: left }));
        });
      };
      let timer = setTimeout(onTimeout, START_MS);
      asked.ask(request, {
        onMessage: (message) => {
          if ('reading' in message) return done(message.reading);
          if ('failed' in message) return done(unread(rules, `its output could not be read (${message.failed})`));
          clearTimeout(timer);
          tried.push(message.trying);
          timer = setTimeout(onTimeout, limit + GRACE_MS);
        },
        onFault: (cause) => {
          thread = undefined;
          done(unread(rules, `its output could not be read (${cause.message})`));
        },
      });
    });

  const read = async (
    outputs: MarkedStream[][],
    rules: readonly JudgingRule[],
    strikes: Strikes,
    all: boolean,
  ): Promise<Reading[]> => {
    const readings: Reading[] = [];
    for (const streams of outputs) {
      const skip = new Map<number, string>();
      for (const [index, count] of strikes) if (count >= STRIKES) skip.set(index, TOO_SLOW_BEFORE);
      const length = streams.reduce((sum, { text }) => sum + text.length, 0);
      const limit = budgetMs * (1 + (length / 1e6) * (BUDGET_MS_A_MB / BUDGET_MS));
      const reading = await ask({ streams, rules, skip, all, budgetMs: limit });
      for (const [index, result] of reading.each.entries())
        if (result && 'why' in result && result.why === TOO_SLOW) strikes.set(index, (strikes.get(index) ?? 0) + 1);
      readings.push(reading);
    }
    return readings;
  };
  return {
    read: (outputs, rules, { strikes = new Map(), all = false } = {}) => {
      clearTimeout(idle);
      const readings = last.then(() => read(outputs, rules, strikes, all));
      last = readings.catch(() => {});
      void last.then(() => {
        clearTimeout(idle);
        idle = setTimeout(() => void end(), IDLE_MS).unref();
      });
      return readings;
    },
    close: async () => {
      await last;
      await end();
    },
  };
}
