// Sends many requests: at most so many at a time, all of them wait when the service asks one to, and nothing that may have
// been carried out is sent twice.
import { waitFor } from './pace.ts';
import { RequestError, isUnanswered, meaningOf, retryDelay, shouldRetry } from './retry.ts';

/** Before each read that looks for what became of a write, in milliseconds: the service may still be working on it. */
const LOOKS = [300, 1_500, 4_000];
/** After an answer of the service itself nothing is still on its way. */
const ONE_LOOK = [0];

/** Whether a write whose answer is unclear was carried out; undefined where the service doesn't report that. */
export type CheckWrite = () => Promise<boolean | undefined>;

/** Reads whether a failed write was carried out. `trouble`: the last read failed. */
export async function checkWrite(
  failure: unknown,
  check: CheckWrite,
  wait = waitFor,
): Promise<{ done: boolean | undefined; trouble?: unknown }> {
  let result: Awaited<ReturnType<typeof checkWrite>> = { done: undefined };
  const isAnswered = failure instanceof RequestError && !isUnanswered(failure);
  for (const length of isAnswered ? ONE_LOOK : LOOKS) {
    await wait(length);
    try {
      result = { done: await check() };
      if (result.done !== false) break;
    } catch (trouble) {
      result = { done: undefined, trouble };
      if (['refused', 'signed-out'].includes(meaningOf(trouble))) break;
    }
  }
  return result;
}

type EndReason = 'cancelled' | 'signed-out';

/** Thrown instead of sending a request once the queue has ended. */
class NotSentError extends Error {
  override readonly name = 'NotSentError';
  readonly reason: EndReason;
  constructor(reason: EndReason) {
    super('Not sent');
    this.reason = reason;
  }
}

interface QueueOptions {
  /** Tasks under way at a time. */
  atOnce: number;
  /** Ends the queue: what is under way is awaited, nothing new begins. */
  signal: AbortSignal;
  /** Resolves when the next request may be sent. */
  mayGoOn?: () => Promise<void>;
  /** The service asked for a pause of so many milliseconds; 0 when it is over. */
  onPause?: (length: number) => void;
  wait?: typeof waitFor;
}

export class RequestQueue {
  private readonly options: QueueOptions;
  private readonly wait: typeof waitFor;
  private free: number;
  private readonly waiting: (() => void)[] = [];
  private pause: Promise<void> | undefined;
  private signedOut = false;

  constructor(options: QueueOptions) {
    this.options = options;
    this.wait = options.wait ?? waitFor;
    this.free = options.atOnce;
  }

  private throwIfEnded(): void {
    if (this.signedOut) throw new NotSentError('signed-out');
    if (this.options.signal.aborted) throw new NotSentError('cancelled');
  }

  /** Does a task of one or more requests when its turn is reached; first come, first served. */
  async add<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((go) => this.waiting.push(go));
    try {
      this.throwIfEnded();
      return await task();
    } finally {
      const go = this.waiting.shift();
      if (go) go();
      else this.free++;
    }
  }

  /** Sends a read, again as long as it may help. */
  read<Answer>(request: () => Promise<Answer>): Promise<Answer> {
    return this.send(request, 'read');
  }

  /** Sends a write, again only when the service stated that it did nothing. `signal`: of this one, to end its pause. */
  write<Answer>(request: () => Promise<Answer>, signal?: AbortSignal): Promise<Answer> {
    return this.send(request, 'write', signal);
  }

  private async send<Answer>(
    request: () => Promise<Answer>,
    kind: 'read' | 'write',
    signal?: AbortSignal,
  ): Promise<Answer> {
    for (let failures = 0; ; failures++) {
      if (this.pause || this.signedOut || this.options.mayGoOn) await this.untilOpen(signal);
      try {
        return await request();
      } catch (error) {
        const meaning = meaningOf(error);
        if (meaning === 'signed-out') this.signedOut = true;
        if (!shouldRetry(failures, error, kind)) throw error;
        const length = retryDelay(failures, error);
        if (meaning === 'later') this.hold(length);
        else {
          await this.wait(length, this.options.signal);
          this.throwIfEnded();
        }
      }
    }
  }

  /** What a task has begun goes on when the queue ends, but no longer than the next wait or the end of the session. */
  private async untilOpen(signal: AbortSignal | undefined): Promise<void> {
    const aborted = signal && new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    while (this.pause) {
      await Promise.race([this.pause, ...(aborted ? [aborted] : [])]);
      signal?.throwIfAborted();
    }
    await this.options.mayGoOn?.();
    this.throwIfEnded();
  }

  /** All requests wait: an answer to one of them applies to the others. */
  private hold(length: number): void {
    if (this.pause) return;
    this.pause = this.wait(length, this.options.signal).finally(() => {
      this.pause = undefined;
      this.options.onPause?.(0);
    });
    this.options.onPause?.(length);
  }
}
