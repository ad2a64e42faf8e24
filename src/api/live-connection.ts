// One event stream for all tabs of a browser. The visible tabs compete for a lock; its holder, the leader, streams and
// forwards everything. Without the Web Locks API (plain http on a LAN) each tab streams for itself. A hidden tab gives up
// its stream, and resumes from its last version when it is shown again. Uses fetch because EventSource exposes neither
// the status of a refusal nor the comments that show a stream is alive.
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { changeEvent, type ChangeEvent } from '#/contract/changes.ts';
import type { LiveState } from './live.ts';

/** A report: named changes, or after a gap that anything may have changed. */
export type Report = ChangeEvent | 'everything';

/** A response whose body is still arriving. */
export interface OpenedStream {
  status: number;
  /** Whether the content type is an event stream. */
  isEvents: boolean;
  chunks: () => AsyncIterable<string>;
}

/** A message from one tab to the others. */
export interface LiveMessage {
  kind: 'hello' | 'state' | 'change';
  state?: LiveState;
  version?: string;
  change?: Report;
  isHeldBack?: boolean;
}

/** What the connection needs from the page. */
export interface LiveEnvironment {
  /** Rejects if there is no response. */
  open: (since: string, signal: AbortSignal) => Promise<OpenedStream>;
  /** Calls `lead` once no other tab leads, until its promise settles. Undefined without the Web Locks API. */
  compete: ((lead: () => Promise<void>, signal: AbortSignal) => void) | undefined;
  post: (message: LiveMessage) => void;
  isVisible: () => boolean;
  /** When the last response to any other request came, in milliseconds since the epoch. */
  lastResponseTime: () => number;
  setState: (state: LiveState) => void;
  /** Told whether a proxy buffers the events. */
  setHeldBack: (isHeldBack: boolean) => void;
  report: (change: Report) => void;
  /** Called with all that arrives on a stream that is ready, in this tab or another: the service is reachable. */
  answered: () => void;
  /** Called when a stream could not be opened. */
  unanswered: () => void;
  /** Resolves when the service is reachable: no stream is opened before. */
  whenReachable: (signal: AbortSignal) => Promise<void>;
  signedOut: () => void;
}

type End = 'cut' | 'failed' | 'held back' | 'absent' | 'signed out';

/** Milliseconds to wait for the first event, which never comes through a proxy that buffers the response. */
const READY_TIMEOUT = 6_000;
/** Milliseconds without data after which a stream is dead; the service sends a comment every 15 seconds. */
const SILENCE_TIMEOUT = 40_000;
/** Milliseconds that a broken stream has to reconnect before everything is polled. */
const GRACE_PERIOD = 2_000;
/** Streams that last fewer milliseconds count as failures. */
const STABLE_AFTER = 10_000;
/** The first and the longest delay before reconnecting, in milliseconds. */
const FIRST_DELAY = 1_000;
const MAX_DELAY = 30_000;
/** Behind a proxy that buffers events, back off as after this many failures. */
const HELD_BACK_FAILURES = 10;
/** Milliseconds between two heartbeats to the other tabs. */
const HEARTBEAT_INTERVAL = 10_000;

/** Random, so that pages that lost the service together do not all reconnect together. */
export const reconnectDelay = (failures: number, random = Math.random()): number =>
  failures === 0 ? 500 * random : Math.min(MAX_DELAY, FIRST_DELAY * 2 ** (failures - 1)) * (0.5 + random);

export class LiveConnection {
  private readonly environment: LiveEnvironment;
  private state: LiveState = 'off';
  /** The latest version that this tab knows; '' before the first. */
  private version = '';
  private failures = 0;
  private lastHeartbeat = 0;
  private isLeading = false;
  /** Whether the service has no events. */
  private hasNoEvents = false;
  /** Whether a proxy buffers the events. */
  private isHeldBack = false;
  /** Aborted when this tab is hidden or the session ends. */
  private controller: AbortController | undefined;
  private wakeUp = () => {};
  private graceTimer: Timer;
  /** Fires when the leading tab's heartbeat is overdue. */
  private heartbeatTimer: Timer;

  constructor(environment: LiveEnvironment) {
    this.environment = environment;
  }

  /** Connects a visible tab and disconnects a hidden one. Called at the start and whenever visibility changes. */
  syncVisibility(): void {
    if (!this.environment.isVisible()) return this.leave();
    if (this.controller || this.hasNoEvents) return;
    const { signal } = (this.controller = new AbortController());
    this.failures = 0;
    // Keep the state until the stream resumes or another tab answers.
    if (this.state === 'live') this.startGrace();
    if (!this.environment.compete) return void this.lead(signal);
    this.environment.compete(() => this.lead(signal), signal);
    this.environment.post({ kind: 'hello' });
  }

  /** The service is reachable again: reconnects without further delay. */
  wake(): void {
    this.wakeUp();
  }

  /** The session has ended: resets everything for the next one. */
  end(): void {
    this.leave();
    this.version = '';
    this.hasNoEvents = false;
    this.setState('off');
  }

  /** Handles a message from another tab. */
  receive({ kind, state, version = '', change, isHeldBack }: LiveMessage): void {
    if (!this.controller) return;
    if (kind === 'hello') {
      if (this.isLeading && (this.state !== 'off' || this.isHeldBack)) this.sendHeartbeat();
      return;
    }
    if (this.isLeading || state === undefined) return;
    clearTimeout(this.heartbeatTimer);
    if (isHeldBack !== undefined) this.environment.setHeldBack(isHeldBack);
    if (state === 'live') {
      this.environment.answered();
      clearTimeout(this.graceTimer);
      this.heartbeatTimer = setTimeout(() => this.setState('lost'), SILENCE_TIMEOUT);
      const isGap = kind === 'state' && version !== this.version;
      this.version = version;
      this.setState('live');
      if (change || isGap) this.environment.report(change ?? 'everything');
    } else this.setState(state);
  }

  private leave(): void {
    this.controller?.abort();
    this.controller = undefined;
    clearTimeout(this.graceTimer);
    clearTimeout(this.heartbeatTimer);
  }

  private async lead(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    clearTimeout(this.heartbeatTimer);
    this.isLeading = true;
    while (!signal.aborted) {
      await this.environment.whenReachable(signal);
      if (signal.aborted) break;
      const begun = Date.now();
      const end = await this.stream(signal);
      if (signal.aborted) break;
      if (end === 'signed out') this.environment.signedOut();
      if (end === 'absent') {
        this.hasNoEvents = true;
        this.markLost();
        this.setState('off');
      }
      // Stay the leader without a stream, so that no other tab has to find out the same.
      if (end === 'signed out' || end === 'absent') await aborted(signal);
      else {
        this.failures = end === 'cut' && Date.now() - begun >= STABLE_AFTER ? 0 : this.failures + 1;
        if (end === 'cut') this.startGrace();
        else this.markLost();
        await this.pause(reconnectDelay(end === 'held back' ? HELD_BACK_FAILURES : this.failures), signal);
      }
    }
    this.isLeading = false;
  }

  /** Reads one stream until it ends. */
  private async stream(signal: AbortSignal): Promise<End> {
    const stop = new AbortController();
    const begun = Date.now();
    let isReady = false;
    let isOpened = false;
    let silenceTimer = setTimeout(() => stop.abort(), READY_TIMEOUT);
    try {
      const answer = await this.environment.open(this.version, AbortSignal.any([signal, stop.signal]));
      isOpened = true;
      if (answer.status === 401) return 'signed out';
      if (answer.status === 429 || answer.status >= 500) return 'failed';
      if (answer.status !== 200 || !answer.isEvents) return 'absent';
      const events: EventSourceMessage[] = [];
      const parser = createParser({ onEvent: (event) => events.push(event) });
      for await (const chunk of answer.chunks()) {
        parser.feed(chunk);
        for (const event of events.splice(0)) {
          if (signal.aborted) return 'cut';
          isReady ||= event.event === 'ready';
          this.handleEvent(event);
        }
        if (!isReady) continue;
        this.environment.answered();
        clearTimeout(silenceTimer);
        silenceTimer = setTimeout(() => stop.abort(), SILENCE_TIMEOUT);
        if (Date.now() - this.lastHeartbeat > HEARTBEAT_INTERVAL) this.sendHeartbeat();
      }
    } catch {
      // The stream broke, or never opened.
      if (!isOpened && !signal.aborted) this.environment.unanswered();
    } finally {
      clearTimeout(silenceTimer);
    }
    // Other requests were answered meanwhile, so a proxy holds the stream back and not a slow service.
    const isHeldBack = !isReady && stop.signal.aborted && this.environment.lastResponseTime() > begun;
    stop.abort();
    if (isHeldBack) this.holdBack(true);
    return isReady ? 'cut' : isHeldBack ? 'held back' : 'failed';
  }

  private handleEvent({ event, id = '', data }: EventSourceMessage): void {
    if (event === 'ready') {
      clearTimeout(this.graceTimer);
      this.holdBack(false);
      const isFirst = this.version === '';
      // A resumed stream still has to deliver what was missed, so it keeps its earlier version until then.
      if (isFirst) this.version = id;
      this.setState('live');
      if (isFirst) this.publish('everything');
      else this.sendHeartbeat();
    } else if (event === 'reset' || event === 'change') {
      this.version = id || this.version;
      this.publish(event === 'reset' ? 'everything' : changeOf(data));
    }
  }

  private publish(change: Report): void {
    this.environment.report(change);
    const { state, version, isHeldBack } = this;
    this.environment.post({ kind: 'change', state, version, isHeldBack, change });
  }

  private sendHeartbeat(): void {
    this.lastHeartbeat = Date.now();
    this.environment.post({ kind: 'state', state: this.state, version: this.version, isHeldBack: this.isHeldBack });
  }

  private holdBack(now: boolean): void {
    if (now === this.isHeldBack) return;
    this.isHeldBack = now;
    this.environment.setHeldBack(now);
    if (now) this.sendHeartbeat();
  }

  private setState(state: LiveState): void {
    if (state === this.state) return;
    this.state = state;
    this.environment.setState(state);
    if (this.isLeading && state !== 'live') this.sendHeartbeat();
  }

  private markLost(): void {
    clearTimeout(this.graceTimer);
    if (this.state === 'live') this.setState('lost');
  }

  private startGrace(): void {
    clearTimeout(this.graceTimer);
    this.graceTimer = setTimeout(() => this.markLost(), GRACE_PERIOD);
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

/** An unreadable event may have reported anything. */
function changeOf(data: string): Report {
  try {
    const read = changeEvent.safeParse(JSON.parse(data));
    return read.success ? read.data : 'everything';
  } catch {
    return 'everything';
  }
}
