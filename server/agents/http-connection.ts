// The session of an agent that speaks HTTP: keeps what the service has for it until the agent asks and confirms.
import { CLOSE } from '#/contract/agent-link.ts';
import type { Run, ServiceMessage } from '#/contract/agent-link.ts';
import { hashSecret } from '../store/ids.ts';
import { AgentConnection } from './agent-connection.ts';
import { UNUSED_AFTER_MS } from './key-rotation.ts';

/** The answer to a request of an agent: plain text, whose first line says it all. */
export interface Answer {
  status: number;
  text: string;
  headers?: Record<string, string>;
}

const NOTHING: Answer = { status: 204, text: '' };

/** Why a session takes no more requests: another one began, its key counts no more, or the agent must say hello again. */
type Ending = 'replaced' | 'revoked' | 'lost';

const ENDINGS: Record<Ending, Answer> = {
  replaced: {
    status: 409,
    text: 'replaced: another agent of this device said hello since. Stop, and send nothing more.',
  },
  revoked: { status: 401, text: 'The service no longer accepts this device key. Stop.' },
  lost: { status: 409, text: 'hello: the service does not have this session any more. Say hello again.' },
};
export const endedBy = (ending: Ending): Answer => ENDINGS[ending];

/** Something that was handed out without being confirmed is handed out again after this time. */
const REPEAT_AFTER_MS = 5_000;
/** Most bytes that a request costs besides its body: inbound-throttle.ts. */
export const REQUEST_COST = 50_000;
/** RFC 6455, section 7.4.1. */
const GOING_AWAY = 1001;
const NEVER = Number.NEGATIVE_INFINITY;

/** A request for the next message that waits. */
interface Waiting {
  answer: (answer: Answer) => void;
  timer: NodeJS.Timeout | undefined;
}

/** A hash as a key of a map. */
export const nameOfKey = (keyHash: Uint8Array): string => Buffer.from(keyHash).toString('base64url');

export interface HttpConnectionOptions {
  /** Milliseconds of the monotonic clock. */
  now: () => number;
  /** Called when the session is over. */
  closed: (connection: HttpConnection) => void;
  /** Called when the agent has another key. */
  renamed: (connection: HttpConnection, before: string) => void;
}

export class HttpConnection extends AgentConnection {
  /** Requests that are being handled, besides one that waits. */
  requests = 0;
  /** The hash of its key. */
  keyName: string;
  readonly #options: HttpConnectionOptions;
  #welcomed: ((answer: Answer) => void) | undefined;
  #ending: Ending = 'lost';
  /** The unfinished job that it was assigned. */
  #run: Run | undefined;
  #isTaken = false;
  /** When the job was last handed out. */
  #runAt = NEVER;
  /** Since when it is handed its new key, and when it was handed it last. */
  #keySince = NEVER;
  #keyAt = NEVER;
  /** Jobs that it is to stop, with the time when it was last asked to. */
  readonly #stops = new Map<string, number>();
  #waiting: Waiting | undefined;

  constructor(device: { seq: number; id: string; name: string }, keyHash: Uint8Array, options: HttpConnectionOptions) {
    super(device, keyHash);
    this.keyName = nameOfKey(keyHash);
    this.#options = options;
  }

  /** The answer to its hello, when that is stored or failed. */
  welcomed(): Promise<Answer> {
    return new Promise((resolve) => (this.#welcomed = resolve));
  }

  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  /** Most bytes to store of each stream of its job. */
  get outputLimit(): number {
    return this.#run?.outputLimit ?? 0;
  }

  /** The answer to any further request. */
  get ended(): Answer {
    return endedBy(this.#ending);
  }

  override send(message: ServiceMessage): void {
    if (this.closing) return;
    if (message.type === 'welcome') this.#welcome({ status: 200, text: `session ${this.session}` });
    else if (message.type === 'run') {
      this.#run = message;
      // What it had on disk at its hello it asks about by itself.
      this.#isTaken = this.held.has(message.job);
      this.#runAt = NEVER;
      this.#wake();
    } else if (message.type === 'cancel') {
      if (!this.#stops.has(message.job)) this.#stops.set(message.job, NEVER);
      this.#wake();
    } else if (message.type === 'key') {
      this.#keySince = this.#options.now();
      this.#keyAt = NEVER;
      this.#wake();
    } else if (message.type === 'settled' && this.#run?.job === message.job) this.#run = undefined;
  }

  override useNewKey(): void {
    if (this.newKey === undefined) return;
    const before = this.keyName;
    this.keyName = nameOfKey(hashSecret(this.newKey));
    super.useNewKey();
    this.#options.renamed(this, before);
  }

  /** The agent cannot take its new key, so that it is not handed it any more. */
  keepKey(): void {
    this.#keySince = NEVER;
  }

  override sendAway(reason: string): void {
    this.sentAway = true;
    this.close(GOING_AWAY, reason);
  }

  override close(code: number, _reason: string): void {
    if (this.closing) return;
    this.closing = true;
    this.#ending = code === CLOSE.replaced ? 'replaced' : code === CLOSE.revoked ? 'revoked' : 'lost';
    this.#welcome(this.ended);
    this.#answer(this.ended);
    this.#options.closed(this);
  }

  /** The agent was silent for too long. */
  lose(): void {
    this.close(CLOSE.protocol, '');
  }

  /** Resolves with the next message, or after this time with nothing; an earlier request that waits gets nothing. */
  next(waitMs: number, running: string | undefined, whenGone: (gone: () => void) => void): Promise<Answer> {
    this.#answer(NOTHING);
    // It was deleted, or ended as far as the service knows.
    if (running !== undefined && running !== this.job?.id && !this.#stops.has(running)) this.#stops.set(running, NEVER);
    return new Promise((resolve) => {
      const waiting: Waiting = { answer: resolve, timer: undefined };
      this.#waiting = waiting;
      whenGone(() => {
        if (this.#waiting === waiting) this.#answer(NOTHING);
      });
      this.#wait(this.#options.now() + waitMs);
    });
  }

  /** The agent has it on disk: it is handed out no more. */
  taken(job: string): void {
    if (this.#run?.job === job) this.#isTaken = true;
  }

  /** Whether the agent is asked to stop this job. */
  isStopping(job: string): boolean {
    return this.#stops.has(job);
  }

  /** Called when the agent reported the end of a job. */
  stopped(job: string): void {
    this.#stops.delete(job);
  }

  #welcome(answer: Answer): void {
    this.#welcomed?.(answer);
    this.#welcomed = undefined;
  }

  #answer(answer: Answer): void {
    const waiting = this.#waiting;
    if (!waiting) return;
    this.#waiting = undefined;
    clearTimeout(waiting.timer);
    this.lastSeen = performance.now();
    waiting.answer(answer);
  }

  #wake(): void {
    const message = this.#waiting && this.#nextMessage();
    if (message !== undefined) this.#answer({ status: 200, text: message });
  }

  /** Answers now or as soon as there is something. */
  #wait(until: number): void {
    this.#wake();
    const waiting = this.#waiting;
    if (!waiting) return;
    const now = this.#options.now();
    if (now >= until) return this.#answer(NOTHING);
    waiting.timer = setTimeout(() => this.#wait(until), Math.max(1, Math.min(until, this.#repeatAt()) - now)).unref();
  }

  /** When something that was handed out is due again. */
  #repeatAt(): number {
    const handedOut = [
      ...this.#stops.values(),
      ...(this.#isToTake() ? [this.#runAt] : []),
      ...(this.#isToUseKey() ? [this.#keyAt] : []),
    ];
    return Math.min(...handedOut) + REPEAT_AFTER_MS;
  }

  #isToTake(): boolean {
    return this.#run !== undefined && !this.#isTaken && !this.#stops.has(this.#run.job);
  }

  #isToUseKey(): boolean {
    return this.newKey !== undefined && this.#options.now() - this.#keySince < UNUSED_AFTER_MS;
  }

  #nextMessage(): string | undefined {
    const now = this.#options.now();
    for (const [job, at] of this.#stops)
      if (now - at >= REPEAT_AFTER_MS) {
        this.#stops.set(job, now);
        return `stop ${job}\n`;
      }
    if (this.#isToUseKey() && now - this.#keyAt >= REPEAT_AFTER_MS) {
      this.#keyAt = now;
      return `key ${this.newKey}\n`;
    }
    const run = this.#run;
    if (!run || !this.#isToTake() || now - this.#runAt < REPEAT_AFTER_MS) return undefined;
    this.#runAt = now;
    return `job ${run.job} ${run.timeLimitSeconds}\n\n${run.command}`;
  }
}
