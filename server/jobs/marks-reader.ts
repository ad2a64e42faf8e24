// Looks for marks in outputs on another thread, and ends it when a pattern takes too long: no pattern that a person can
// write holds the service up.
import { Worker } from 'node:worker_threads';
import type { Rule } from '#/contract/rules.ts';
import type { MarksAnswer, MarksRequest } from './marks-worker.ts';
import type { MarkedStream, Reading } from './read-marks.ts';

/** Milliseconds for one pattern on one output; a usual one takes a hundredth of it on ten megabytes. */
const LIMIT_MS = 1_000;
/** Without a question for so long, the thread ends. */
const IDLE_MS = 30_000;

export interface MarksReader {
  /**
   * One call after another. `slow`: indices of patterns that are not tried any more; those that turn out to be slow are
   * added.
   */
  read(outputs: MarkedStream[][], rules: readonly Rule[], slow?: Set<number>): Promise<Reading[]>;
  close(): Promise<void>;
}

export function openMarksReader({ limitMs = LIMIT_MS } = {}): MarksReader {
  let worker: Worker | undefined;
  let idle: ReturnType<typeof setTimeout> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const end = async () => {
    clearTimeout(idle);
    const ended = worker;
    worker = undefined;
    await ended?.terminate();
  };

  /** The readings, or the pattern that took too long. */
  const ask = (request: MarksRequest) =>
    new Promise<Reading[] | { slow: number }>((resolve, reject) => {
      const asked = (worker ??= new Worker(new URL('marks-worker.ts', import.meta.url)));
      asked.unref();
      let trying: number | undefined;
      const late = () => {
        stop();
        void end().then(() => resolve({ slow: trying ?? -1 }), reject);
      };
      let timer = setTimeout(() => {}, 0);
      const hear = (message: MarksAnswer) => {
        clearTimeout(timer);
        if ('readings' in message) {
          stop();
          resolve(message.readings);
        } else {
          trying = message.trying;
          timer = setTimeout(late, limitMs);
        }
      };
      const fail = (cause: Error) => {
        stop();
        worker = undefined;
        reject(cause);
      };
      const stop = () => {
        clearTimeout(timer);
        asked.off('message', hear).off('error', fail);
      };
      asked.on('message', hear).on('error', fail);
      asked.postMessage(request);
    });

  const read = async (outputs: MarkedStream[][], rules: readonly Rule[], slow: Set<number>): Promise<Reading[]> => {
    for (;;) {
      const answer = await ask({ outputs, rules, slow: [...slow] });
      if (Array.isArray(answer)) return answer;
      slow.add(answer.slow);
    }
  };
  return {
    read: (outputs, rules, slow = new Set()) => {
      clearTimeout(idle);
      const turn = last.then(() => read(outputs, rules, slow));
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
