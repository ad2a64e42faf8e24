// Sends many requests, a limited number at a time. When the service asks one to wait, all wait; a write that may have been
// carried out is never sent twice; each item gets exactly one result.
import { waitFor } from './pace.ts';
import { RequestError, isUnanswered, meaningOf, retryDelay, shouldRetry } from './retry.ts';

/** Milliseconds before each read that checks on a write: the service may still be working on it. */
const CHECK_DELAYS = [300, 1_500, 4_000];
/** After an error from the service itself, nothing is still in progress. */
const ONE_CHECK = [0];

/** Whether a write with an unclear answer was carried out; undefined if the service cannot tell. */
export type CheckWrite = () => Promise<boolean | undefined>;

/** Checks whether a failed write was carried out. `trouble`: why the last check failed. */
export async function checkWrite(
  failure: unknown,
  check: CheckWrite,
  wait = waitFor,
): Promise<{ done: boolean | undefined; trouble?: unknown }> {
  let result: Awaited<ReturnType<typeof checkWrite>> = { done: undefined };
  const isAnswered = failure instanceof RequestError && !isUnanswered(failure);
  for (const length of isAnswered ? ONE_CHECK : CHECK_DELAYS) {
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

/** Thrown instead of sending a request once the queue has ended. */
export class NotSentError extends Error {
  override readonly name = 'NotSentError';
  readonly reason: EndReason;
  constructor(reason: EndReason) {
    super('Not sent');
    this.reason = reason;
  }
}

export type WriteResult =
  /** `answer` is missing if it was lost and a check shows that the write was done. */
  | { outcome: 'done'; answer?: unknown }
  /** `checked`: a check shows that nothing was changed. */
  | { outcome: 'failed'; error: unknown; checked?: true }
  /** `trouble`: why checking could not settle it either. */
  | { outcome: 'unknown'; error: unknown; trouble?: unknown }
  | { outcome: 'stopped'; reason: EndReason };

interface QueueOptions {
  /** How many tasks run at a time. */
  atOnce: number;
  /** Ends the queue: running tasks finish, no new one starts. */
  signal: AbortSignal;
  /** Resolves when the next request may be sent. */
  mayGoOn?: () => Promise<void>;
  /** The service asked for a pause of this many milliseconds; 0 when it is over. */
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
  /** The error that ended the session. */
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

  /** Runs a task of one or more requests as soon as a slot is free; first come, first served. */
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

  /** Sends a read, and repeats it while that may help. */
  read<Answer>(request: () => Promise<Answer>): Promise<Answer> {
    return this.send(request, 'read');
  }

  /** Sends a write, and repeats it only if the service said that it did nothing. `signal` cuts this one's pause short. */
  write<Answer>(request: () => Promise<Answer>, signal?: AbortSignal): Promise<Answer> {
    return this.send(request, 'write', signal);
  }

  /** Sends a write; if the answer leaves open whether it was carried out, `check` decides. Never throws. */
  async writeChecked(request: () => Promise<unknown>, check: CheckWrite): Promise<WriteResult> {
    try {
      return { outcome: 'done', answer: await this.write(request) };
    } catch (error) {
      if (error instanceof NotSentError) return { outcome: 'stopped', reason: error.reason };
      return meaningOf(error) === 'unknown' ? this.look(error, check) : { outcome: 'failed', error };
    }
  }

  /**
   * Sends a write for each item. Once the session ends or the service is unreachable, the rest is not sent; if the
   * session ended, its error is thrown after the last result.
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

  /** A running task continues after the queue has ended, but only until its next wait or the end of the session. */
  private async untilOpen(signal: AbortSignal | undefined): Promise<void> {
    const aborted = signal && new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    while (this.pause) {
      await Promise.race([this.pause, ...(aborted ? [aborted] : [])]);
      signal?.throwIfAborted();
    }
    await this.options.mayGoOn?.();
    this.throwIfEnded();
  }

  /** Makes all requests wait: what the service asks of one applies to all. */
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
