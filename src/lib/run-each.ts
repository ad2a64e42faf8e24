// Sends a request for each of many items, one after the other. Our own service carries out such work by itself; this is
// for services that take one item at a time.
import PQueue from 'p-queue';
import { waitFor } from './pace.ts';
import { isUnanswered, meaningOf, retryDelay, shouldRetry } from './retry.ts';

/**
 * Why an item was not sent: the run was stopped, the session ended, or the answer for an item before it never arrived.
 */
export type NotSent = 'stopped' | 'signed-out' | 'unanswered';

export type EachResult<Answer> =
  | { outcome: 'done'; answer: Answer }
  | { outcome: 'failed'; error: unknown }
  /** The request was sent and may have been carried out. */
  | { outcome: 'unknown'; error: unknown }
  | { outcome: 'not-sent'; why: NotSent };

interface EachOptions<Item, Answer> {
  send: (item: Item) => Promise<Answer>;
  onResult: (item: Item, result: EachResult<Answer>) => void;
  /** Stops the run: the request under way is awaited, and no other is sent. */
  signal: AbortSignal;
  /** Sending an item again does no harm, so that a failure of the service is not as bad as a lost answer. */
  repeatable?: boolean;
  /** The service asked for a pause of so many milliseconds; 0 when it is over. */
  onPause?: (milliseconds: number) => void;
  wait?: typeof waitFor;
}

/** The run was stopped while it waited to send an item again. */
class Stopped extends Error {}

/** Each item gets a result. Rejects after the last one if the session has ended. */
export async function runEach<Item, Answer>(
  items: readonly Item[],
  { send, onResult, signal, repeatable = false, onPause, wait = waitFor }: EachOptions<Item, Answer>,
): Promise<void> {
  const isUnknown = (error: unknown) => (repeatable ? isUnanswered(error) : meaningOf(error) === 'unknown');
  const sendPatiently = async (item: Item): Promise<Answer> => {
    for (let failures = 0; ; failures++) {
      try {
        return await send(item);
      } catch (error) {
        if (!shouldRetry(failures, error, 'write')) throw error;
        const pause = retryDelay(failures, error);
        onPause?.(pause);
        await wait(pause, signal);
        onPause?.(0);
        if (signal.aborted) throw new Stopped();
      }
    }
  };

  let ended: NotSent | undefined;
  let signedOut: unknown;
  const one = async (item: Item): Promise<EachResult<Answer>> => {
    if (signal.aborted) ended ??= 'stopped';
    if (ended) return { outcome: 'not-sent', why: ended };
    try {
      return { outcome: 'done', answer: await sendPatiently(item) };
    } catch (error) {
      if (error instanceof Stopped) return { outcome: 'not-sent', why: 'stopped' };
      if (meaningOf(error) === 'signed-out') {
        ended = 'signed-out';
        signedOut = error;
        return { outcome: 'not-sent', why: ended };
      }
      if (!isUnknown(error)) return { outcome: 'failed', error };
      ended = 'unanswered';
      return { outcome: 'unknown', error };
    }
  };

  const queue = new PQueue({ concurrency: 1 });
  await queue.addAll(items.map((item) => async () => onResult(item, await one(item))));
  if (signedOut instanceof Error) throw signedOut;
}
