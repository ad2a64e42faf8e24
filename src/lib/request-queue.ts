// Sends many requests: at most so many at a time, all of them wait when the service asks one to, nothing that may have been
// carried out is sent twice, and each item gets exactly one result.
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

type EndReason = 'cancelled' | 'signed-out' | 'unreachable';

/** Raised instead of sending a request once the queue has ended. */
export class NotSentError extends Error {
  override readonly name = 'NotSentError';
  readonly reason: EndReason;
  constructor(reason: EndReason) {
    super('Not sent');
    this.reason = reason;
  }
}

export type WriteResult =
  /** `answer` is missing where the answer was lost and reading shows that it was done. */
  | { outcome: 'done'; answer?: unknown }
  /** `checked`: reading shows that nothing was changed. */
  | { outcome: 'failed'; error: unknown; checked?: true }
  /** `trouble`: why reading could not settle it either. */
  | { outcome: 'unknown'; error: unknown; trouble?: unknown }
  | { outcome: 'stopped'; reason: EndReason };

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
  private ended: Exclude<EndReason, 'cancelled'> | undefined;
  /** The answer that ended the session. */
  private signedOut: Error | undefined;

  constructor(options: QueueOptions) {
    this.options = options;
    this.wait = options.wait ?? waitFor;
    this.free = options.atOnce;
  }

  private throwIfEnded(): void {
    if (this.ended) throw new NotSentError(this.ended);
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

  /** Sends a write; where its answer leaves it open whether it was carried out, `check` decides. Never raises an error. */
  async writeChecked(request: () => Promise<unknown>, check: CheckWrite): Promise<WriteResult> {
    try {
      return { outcome: 'done', answer: await this.write(request) };
    } catch (error) {
      if (error instanceof NotSentError) return { outcome: 'stopped', reason: error.reason };
      return meaningOf(error) === 'unknown' ? this.look(error, check) : { outcome: 'failed', error };
    }
  }

  /**
   * Sends a write for each item. When the session ends or the service cannot be reached any more, the rest is left
   * undone; for an ended session the error is raised after the last result.
   */
  async writeEach<Item>(
    items: readonly Item[],
    { send, check }: { send: (item: Item) => Promise<unknown>; check: (item: Item) => ReturnType<CheckWrite> },
    onResult: (item: Item, result: WriteResult) => void,
  ): Promise<void> {
    const one = async (item: Item) => {
      const result = await this.add(() =>
        this.writeChecked(
          () => send(item),
          () => check(item),
        ),
      ).catch((error: NotSentError): WriteResult => ({ outcome: 'stopped', reason: error.reason }));
      onResult(item, result);
    };
    await Promise.all(items.map(one));
    if (this.signedOut) throw this.signedOut;
  }

  private async send<Answer>(
    request: () => Promise<Answer>,
    kind: 'read' | 'write',
    signal?: AbortSignal,
  ): Promise<Answer> {
    for (let failures = 0; ; failures++) {
      if (this.pause || this.ended || this.options.mayGoOn) await this.untilOpen(signal);
      try {
        return await request();
      } catch (error) {
        const meaning = meaningOf(error);
        if (meaning === 'signed-out') this.endSession(error);
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

  private endSession(error: unknown): void {
    this.ended ??= 'signed-out';
    if (error instanceof Error) this.signedOut ??= error;
  }

  private async look(error: unknown, check: CheckWrite): Promise<WriteResult> {
    const { done, trouble } = await checkWrite(error, check, this.wait);
    if (done) return { outcome: 'done' };
    if (done === false) return { outcome: 'failed', error, checked: true };
    if (trouble === undefined) return { outcome: 'unknown', error };
    if (trouble instanceof RequestError && trouble.status === 404) return { outcome: 'failed', error: trouble };
    if (meaningOf(trouble) === 'signed-out') this.endSession(trouble);
    else if (isUnanswered(trouble)) this.ended ??= 'unreachable';
    return { outcome: 'unknown', error, trouble };
  }
}
