// Does one thing to many devices: a few at a time, with a result for each. Nothing that may have been
// carried out is ever sent a second time; where an answer was lost, reading decides.
import { ApiError, isLost, isSignedOut } from '#/api/api-error.ts';
import { Skipped } from '#/api/skipped.ts';

/**
 * - `failed`: it is certain that nothing was changed, as far as the service tells.
 * - `skipped`: there was nothing to do.
 * - `unknown`: no answer came and reading could not tell either.
 * - `stopped`: never sent, because the run was cancelled or had to end.
 */
export type BulkOutcome = 'done' | 'failed' | 'skipped' | 'unknown' | 'stopped';

export interface ItemResult {
  outcome: BulkOutcome;
  /** Why, in words; empty for what is done. */
  reason: string;
}

export interface BulkRun<Item> {
  items: readonly Item[];
  /** Sends the one write for an item; where it finds nothing to do any more, it answers so (`Skipped`). */
  send: (item: Item) => Promise<unknown>;
  /** Looks whether it was carried out; undefined where the service does not tell. */
  check: (item: Item) => Promise<boolean | undefined>;
  /** Ends the run: what is under way is awaited, nothing new begins. */
  signal: AbortSignal;
  onResult: (item: Item, result: ItemResult) => void;
  /** The service asked for a pause of so many milliseconds; 0 when it is over. */
  onPause?: (length: number) => void;
  /** Resolves after some milliseconds, or at once when the signal says so. */
  wait?: (length: number, signal?: AbortSignal) => Promise<void>;
}

/** Requests under way at a time. */
const AT_ONCE = 4;
/** How often the same write is sent at most, when each time the service says "later". */
const MOST_SENDS = 6;
/** The longest pause a service can ask for, in seconds. */
const LONGEST_PAUSE = 60;
/** Before each look for what became of a lost answer: the service may still be at it. */
const LOOKS = [500, 2_000, 4_000];

/** The service said in so many words that it did nothing, and when to come back. */
const pauseOf = (error: unknown): number | undefined =>
  error instanceof ApiError && (error.status === 429 || error.status === 503) && error.retryAfter !== undefined
    ? Math.min(LONGEST_PAUSE, Math.max(0, error.retryAfter)) * 1000
    : undefined;

/** What went wrong, with what the service said about it. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const detail = error instanceof ApiError ? error.detail : '';
  const fields = error instanceof ApiError ? error.fields.map(({ field, message }) => `${field} ${message}`) : [];
  return [error.message, detail, ...fields].filter(Boolean).map(sentence).join(' ');
}

const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);

/** Until then, or until the run is cancelled. */
export function waitFor(length: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, length);
    signal?.addEventListener('abort', end);
  });
}

/**
 * Runs it. Every item gets exactly one result. When the session ends, or the service cannot be reached any more, the rest
 * is left undone; for an ended session the error is raised, after the last result.
 */
export async function runBulk<Item>(run: BulkRun<Item>): Promise<void> {
  const { items, send, check, signal, onResult, onPause, wait = waitFor } = run;
  /** Why nothing new is begun; undefined while the run goes on. */
  let ended: string | undefined;
  let signedOut: Error | undefined;
  const pause: { over: Promise<void> | undefined } = { over: undefined };
  const isOver = () => signal.aborted || ended !== undefined;
  const stopped = (): ItemResult => ({ outcome: 'stopped', reason: ended ?? 'Cancelled before it was sent' });

  /** All workers wait: what one of them was told holds for the others. */
  const hold = (length: number) => {
    onPause?.(length);
    pause.over ??= wait(length, signal).finally(() => {
      pause.over = undefined;
      onPause?.(0);
    });
  };

  const look = async (item: Item, lost: unknown): Promise<ItemResult> => {
    let seen: boolean | undefined;
    let trouble: unknown;
    for (const length of LOOKS) {
      await wait(length);
      try {
        seen = await check(item);
        trouble = undefined;
        if (seen !== false) break;
      } catch (error) {
        trouble = error;
        if (error instanceof ApiError && error.kind === 'refused' && error.status < 500 && error.status !== 429) break;
      }
    }
    if (seen === true && trouble === undefined) return { outcome: 'done', reason: '' };
    const what = reasonOf(lost);
    if (trouble === undefined)
      return seen === false
        ? { outcome: 'failed', reason: `${what} Reading it again shows that nothing was changed.` }
        : { outcome: 'unknown', reason: `${what} The service does not tell whether it was done.` };
    if (trouble instanceof ApiError && trouble.status === 404) return { outcome: 'failed', reason: reasonOf(trouble) };
    if (isSignedOut(trouble)) leave(trouble);
    else if (isLost(trouble)) ended ??= 'Not sent: the service could not be reached';
    return { outcome: 'unknown', reason: `${what} Reading it again failed, too: ${reasonOf(trouble)}` };
  };

  const leave = (error: unknown) => {
    ended ??= 'Not sent: you were signed out';
    signedOut ??= error instanceof Error ? error : new Error(String(error));
  };

  const carryOut = async (item: Item): Promise<ItemResult> => {
    for (let sends = 1; ; sends++) {
      while (pause.over) await pause.over;
      if (isOver()) return stopped();
      try {
        const answer = await send(item);
        return answer instanceof Skipped
          ? { outcome: 'skipped', reason: answer.reason }
          : { outcome: 'done', reason: '' };
      } catch (error) {
        const length = pauseOf(error);
        if (length !== undefined && sends < MOST_SENDS) {
          hold(length);
          continue;
        }
        if (isSignedOut(error)) leave(error);
        return isLost(error) ? look(item, error) : { outcome: 'failed', reason: reasonOf(error) };
      }
    }
  };

  const queue = items.values();
  const work = async () => {
    for (const item of queue) onResult(item, isOver() ? stopped() : await carryOut(item));
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, work));
  if (signedOut) throw signedOut;
}
