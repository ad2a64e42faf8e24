// One stream of events for all tabs of a browser: the visible ones compete for a lock, its holder streams and passes
// everything on. Where there are no locks (plain http on a LAN) each streams itself. A hidden tab holds nothing; seen
// again it goes on from the last version that it had. Fetch and not EventSource, which shows neither the status of a
// refusal nor the comments by which a stream shows that it still works.
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { changeEvent, type ChangeEvent } from '#/contract/changes.ts';
import type { LiveState } from './live.ts';

/** What is reported: named changes, or after a gap that anything may have changed. */
export type Report = ChangeEvent | 'everything';

/** An answer as it begins. */
export interface OpenedStream {
  status: number;
  /** Whether it is a stream of events at all. */
  isEvents: boolean;
  chunks: () => AsyncIterable<string>;
}

/** What one tab passes to the others. */
export interface LiveMessage {
  kind: 'hello' | 'state' | 'change';
  state?: LiveState;
  version?: string;
  change?: Report;
  isHeldBack?: boolean;
}

/** What the connection needs of the page. */
export interface LiveEnvironment {
  /** Raises where there is no answer. */
  open: (since: string, signal: AbortSignal) => Promise<OpenedStream>;
  /** Calls `lead` as soon as no other tab leads; the lead ends with the promise. Undefined where there are no locks. */
  compete: ((lead: () => Promise<void>, signal: AbortSignal) => void) | undefined;
  post: (message: LiveMessage) => void;
  isVisible: () => boolean;
  /** When any other request was answered last, in milliseconds since the epoch. */
  lastAnswer: () => number;
  setState: (state: LiveState) => void;
  /** Whether a proxy holds the events back. */
  setHeldBack: (isHeldBack: boolean) => void;
  report: (change: Report) => void;
  /** The stream has begun, and the service with it. */
  answered: () => void;
  signedOut: () => void;
}

type End = 'cut' | 'failed' | 'held back' | 'absent' | 'signed out';

/** Milliseconds until the first event; a proxy that collects the answer never shows it. */
const READY_WITHIN = 6_000;
/** Without any sign of life; there is a comment every 15 seconds. */
const SILENCE = 40_000;
/** A stream that is cut has so long to come back before everything is polled. */
const GRACE = 2_000;
/** Streams that last less count as failures. */
const LASTING = 10_000;
/** The first pause, and the longest. */
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 30_000;
/** As if so many attempts had failed: behind a proxy that holds events back. */
const RARELY = 10;
/** Between two signs of life to the other tabs. */
const BEAT = 10_000;

/** Random, so that pages which lost the service together do not all come back together. */
export const pauseAfter = (failures: number, random = Math.random()): number =>
  failures === 0 ? 500 * random : Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (failures - 1)) * (0.5 + random);

export class LiveConnection {
  private readonly environment: LiveEnvironment;
  private state: LiveState = 'off';
  /** The latest that this tab knows of; '' before the first. */
  private version = '';
  private failures = 0;
  private beaten = 0;
  private isLeading = false;
  /** The service has no events. */
  private isAbsent = false;
  /** By a proxy. */
  private isHeldBack = false;
  /** Aborted when this tab is hidden or the session ends. */
  private leaving: AbortController | undefined;
  private wakeUp = () => {};
  private grace: Timer;
  /** Of another tab that leads. */
  private sign: Timer;

  constructor(environment: LiveEnvironment) {
    this.environment = environment;
  }

  /** Called at the beginning, and when the tab was shown or hidden. */
  attend(): void {
    if (!this.environment.isVisible()) return this.leave();
    if (this.leaving || this.isAbsent) return;
    const { signal } = (this.leaving = new AbortController());
    this.failures = 0;
    // Until the stream goes on or another tab answers.
    if (this.state === 'live') this.startGrace();
    if (!this.environment.compete) return void this.lead(signal);
    this.environment.compete(() => this.lead(signal), signal);
    this.environment.post({ kind: 'hello' });
  }

  /** The service answers again: no further pause. */
  wake(): void {
    this.wakeUp();
  }

  /** The session has ended: the next one begins anew. */
  end(): void {
    this.leave();
    this.version = '';
    this.isAbsent = false;
    this.setState('off');
  }

  /** A message of another tab. */
  hear({ kind, state, version = '', change, isHeldBack }: LiveMessage): void {
    if (!this.leaving) return;
    if (kind === 'hello') {
      if (this.isLeading && (this.state !== 'off' || this.isHeldBack)) this.beat();
      return;
    }
    if (this.isLeading || state === undefined) return;
    clearTimeout(this.sign);
    if (isHeldBack !== undefined) this.environment.setHeldBack(isHeldBack);
    if (state === 'live') {
      clearTimeout(this.grace);
      this.sign = setTimeout(() => this.setState('lost'), SILENCE);
      const isGap = kind === 'state' && version !== this.version;
      this.version = version;
      this.setState('live');
      if (change || isGap) this.environment.report(change ?? 'everything');
    } else this.setState(state);
  }

  private leave(): void {
    this.leaving?.abort();
    this.leaving = undefined;
    clearTimeout(this.grace);
    clearTimeout(this.sign);
  }

  private async lead(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    clearTimeout(this.sign);
    this.isLeading = true;
    while (!signal.aborted) {
      const begun = Date.now();
      const end = await this.stream(signal);
      if (signal.aborted) break;
      if (end === 'signed out') this.environment.signedOut();
      if (end === 'absent') {
        this.isAbsent = true;
        this.lose();
        this.setState('off');
      }
      // The lead goes on without a stream: no other tab has to find out the same.
      if (end === 'signed out' || end === 'absent') await aborted(signal);
      else {
        this.failures = end === 'cut' && Date.now() - begun >= LASTING ? 0 : this.failures + 1;
        if (end === 'cut') this.startGrace();
        else this.lose();
        await this.pause(pauseAfter(end === 'held back' ? RARELY : this.failures), signal);
      }
    }
    this.isLeading = false;
  }

  /** One stream from its beginning to its end. */
  private async stream(leaving: AbortSignal): Promise<End> {
    const stop = new AbortController();
    const begun = Date.now();
    let isReady = false;
    let sign = setTimeout(() => stop.abort(), READY_WITHIN);
    try {
      const answer = await this.environment.open(this.version, AbortSignal.any([leaving, stop.signal]));
      if (answer.status === 401) return 'signed out';
      if (answer.status === 429 || answer.status >= 500) return 'failed';
      if (answer.status !== 200 || !answer.isEvents) return 'absent';
      const events: EventSourceMessage[] = [];
      const parser = createParser({ onEvent: (event) => events.push(event) });
      for await (const chunk of answer.chunks()) {
        parser.feed(chunk);
        for (const event of events.splice(0)) {
          if (leaving.aborted) return 'cut';
          isReady ||= event.event === 'ready';
          this.take(event);
        }
        if (!isReady) continue;
        clearTimeout(sign);
        sign = setTimeout(() => stop.abort(), SILENCE);
        if (Date.now() - this.beaten > BEAT) this.beat();
      }
    } catch {
      // Cut, or never begun.
    } finally {
      clearTimeout(sign);
    }
    // Others were answered meanwhile: it is not the service that is slow.
    const isHeldBack = !isReady && stop.signal.aborted && this.environment.lastAnswer() > begun;
    stop.abort();
    if (isHeldBack) this.holdBack(true);
    return isReady ? 'cut' : isHeldBack ? 'held back' : 'failed';
  }

  private take({ event, id = '', data }: EventSourceMessage): void {
    if (event === 'ready') {
      clearTimeout(this.grace);
      this.environment.answered();
      this.holdBack(false);
      const isFirst = this.version === '';
      // What a stream that goes on has missed is still to come: until then the version is the one before.
      if (isFirst) this.version = id;
      this.setState('live');
      if (isFirst) this.tell('everything');
      else this.beat();
    } else if (event === 'reset' || event === 'change') {
      this.version = id || this.version;
      this.tell(event === 'reset' ? 'everything' : changeOf(data));
    }
  }

  private tell(change: Report): void {
    this.environment.report(change);
    const { state, version, isHeldBack } = this;
    this.environment.post({ kind: 'change', state, version, isHeldBack, change });
  }

  private beat(): void {
    this.beaten = Date.now();
    this.environment.post({ kind: 'state', state: this.state, version: this.version, isHeldBack: this.isHeldBack });
  }

  private holdBack(now: boolean): void {
    if (now === this.isHeldBack) return;
    this.isHeldBack = now;
    this.environment.setHeldBack(now);
    if (now) this.beat();
  }

  private setState(state: LiveState): void {
    if (state === this.state) return;
    this.state = state;
    this.environment.setState(state);
    if (this.isLeading && state !== 'live') this.beat();
  }

  private lose(): void {
    clearTimeout(this.grace);
    if (this.state === 'live') this.setState('lost');
  }

  private startGrace(): void {
    clearTimeout(this.grace);
    this.grace = setTimeout(() => this.lose(), GRACE);
  }

  private pause(length: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.wakeUp(), length);
      this.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
      signal.addEventListener('abort', this.wakeUp, { once: true });
    });
  }
}

type Timer = ReturnType<typeof setTimeout> | undefined;

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** What is unreadable may have been anything. */
function changeOf(data: string): Report {
  try {
    const read = changeEvent.safeParse(JSON.parse(data));
    return read.success ? read.data : 'everything';
  } catch {
    return 'everything';
  }
}
