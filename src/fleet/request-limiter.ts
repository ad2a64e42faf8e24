// The limits of a long reading: a few requests at a time, none while nobody looks, a failed one again as for any read.
import { retryDelay, shouldRetry } from '#/api/retry.ts';

interface RequestLimits {
  signal: AbortSignal;
  /** Requests under way at a time. */
  atOnce: number;
  /** Resolves when reading may go on. */
  mayGoOn: () => Promise<void>;
}

type Ask = <Answer>(request: (signal: AbortSignal) => Promise<Answer>) => Promise<Answer>;

const pause = (milliseconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const give = () => reject(signal.reason as Error);
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', give);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', give, { once: true });
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });

/** A way to ask that keeps the limits; who comes first is asked first. */
export function limitRequests({ signal, atOnce, mayGoOn }: RequestLimits): Ask {
  let free = atOnce;
  const waiting: (() => void)[] = [];
  const attempt: Ask = async (request) => {
    for (let failures = 0; ; failures++) {
      await mayGoOn();
      signal.throwIfAborted();
      try {
        return await request(signal);
      } catch (error) {
        if (signal.aborted || !(error instanceof Error) || !shouldRetry(failures, error)) throw error;
        await pause(retryDelay(failures, error), signal);
      }
    }
  };
  return async (request) => {
    if (free > 0) free--;
    else await new Promise<void>((go) => waiting.push(go));
    try {
      return await attempt(request);
    } finally {
      const go = waiting.shift();
      if (go) go();
      else free++;
    }
  };
}
