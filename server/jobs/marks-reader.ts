// Looks for marks in outputs on another thread, and ends that when a pattern takes too long: no pattern that a user writes
// can hold up the service, and trouble with one output does not affect the others.
import { Worker } from 'node:worker_threads';
import type { Rule } from '#/contract/rules.ts';
import type { MarksAnswer, MarksRequest } from './marks-worker.ts';
import { TOO_SLOW, TOO_SLOW_BEFORE, unread, type MarkedStream, type Reading } from './read-marks.ts';

/** Milliseconds of processor time for all patterns on one output, and more for each megabyte of it. */
const BUDGET_MS = 1_000;
const BUDGET_MS_A_MB = 200;
/** A thread that is silent for so much longer than the budget is ended: a pattern takes too long on one line. */
const GRACE_MS = 2_000;
/** A pattern for which the budget was too small on so many outputs is not tried on further ones. */
const STRIKES = 3;
/** A thread that has not started on an output after this time is ended; a busy machine starts one slowly. */
const START_MS = 60_000;
/** An idle thread ends after this time. */
const IDLE_MS = 30_000;

/** On how many outputs the budget was too small for a rule, by its index. */
export type Strikes = Map<number, number>;

export interface MarksReader {
  /**
   * One call after another; one reading for each output, whatever happens to it. `strikes` is what earlier calls with
   * these rules wrote into it.
   */
  read(
    outputs: MarkedStream[][],
    rules: readonly Rule[],
    options?: { strikes?: Strikes; all?: boolean },
  ): Promise<Reading[]>;
  close(): Promise<void>;
}

interface Question {
  hear: (message: MarksAnswer) => void;
  fail: (cause: Error) => void;
}

/** A thread whose faults never end this process: its listeners stay until it has ended. */
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
  worker.on('message', (message: MarksAnswer) => question?.hear(message));
  worker.on('error', (cause: Error) => {
    thread.hasEnded = true;
    question?.fail(cause);
  });
  worker.on('exit', () => {
    thread.hasEnded = true;
    question?.fail(new Error('its thread ended'));
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
      /** Indices of patterns, the last one is being tried. */
      const tried: number[] = [];
      const done = (reading: Reading) => {
        clearTimeout(timer);
        asked.answered();
        resolve(reading);
      };
      const late = () => {
        asked.answered();
        void end().then(() => {
          // Without it, and without those after it: they share the budget that is used up.
          const quick = new Set(tried.slice(0, -1));
          const left = new Map(skip);
          for (const [index, rule] of rules.entries()) if (rule.Pattern && !quick.has(index)) left.set(index, TOO_SLOW);
          if (tried.length === 0) resolve(unread(rules, TOO_SLOW));
          else resolve(ask({ ...request, skip: left }));
        });
      };
      let timer = setTimeout(late, START_MS);
      asked.ask(request, {
        hear: (message) => {
          if ('reading' in message) return done(message.reading);
          if ('failed' in message) return done(unread(rules, `its output could not be read (${message.failed})`));
          clearTimeout(timer);
          tried.push(message.trying);
          timer = setTimeout(late, limit + GRACE_MS);
        },
        fail: (cause) => {
          thread = undefined;
          done(unread(rules, `its output could not be read (${cause.message})`));
        },
      });
    });

  const read = async (
    outputs: MarkedStream[][],
    rules: readonly Rule[],
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
      const turn = last.then(() => read(outputs, rules, strikes, all));
      last = turn.catch(() => {});
      void last.then(() => {
        clearTimeout(idle);
        idle = setTimeout(() => void end(), IDLE_MS).unref();
      });
      return turn;
    },
    close: async () => {
      await last;
      await end();
    },
  };
}
