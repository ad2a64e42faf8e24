// Keeps a fleet index up to date: reads it when it is first needed. From then on it reads what changed, where the service
// reports that; else all of it again, periodically while it is used and soon after a write. A failure leaves the index as
// it is, with its age.
import type { DeviceChanges } from '#/api/device-feed.ts';
import type { Device } from '#/contract/devices.ts';
import { isSignedOut } from '#/api/api-error.ts';
import { inTurns, nextTask } from '#/lib/pace.ts';
import { NO_FLEET, type Fleet, type Surroundings } from './fleet.ts';
import { tableOf } from './fleet-index.ts';
import { asError, readIndex, type FleetReadingRun } from './fleet-reading.ts';
import { followSteps, seenNow } from './follow.ts';
import type { FleetSource } from './source.ts';
import { written, type DeviceWrite } from './writes.ts';

/** Milliseconds between two readings of up to 5,000 devices; larger fleets are read less often, but every 5 minutes. */
const INTERVAL = 30_000;
const SMALL = 5_000;
const LONGEST = 300_000;
/** Between two questions for what changed, where it is not reported as it happens. */
const POLL = 5_000;
/** Between two notes that nothing else has happened, where it is. */
const BEAT = 60_000;
/** Milliseconds between a write and the next reading, because writes come in bursts. */
const AFTER_WRITE = 400;
/** Rows to request in a page. */
const ROWS = 1000;

export class FleetStore {
  private fleet = NO_FLEET;
  private readonly listeners = new Set<() => void>();
  private readonly source: FleetSource;
  private readonly around: Surroundings;
  private reading: FleetReadingRun | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private rows = ROWS;
  /** When the latest reading ended, and its duration; not finite if there is none that counts. */
  private ended = Number.NEGATIVE_INFINITY;
  private took = 0;
  /** When connected devices were noted as seen. */
  private seen = 0;
  private isOver = false;
  private publishing: Promise<void> = Promise.resolve();
  private readonly held: (() => void)[] = [];

  constructor(source: FleetSource, around: Surroundings) {
    this.source = source;
    this.around = around;
    around.onVisibility(() => this.attend());
    source.feed?.subscribe((changes) => this.follow(changes));
    around.onLive?.(() => this.changeLive());
  }

  readonly get = (): Fleet => this.fleet;

  /** Marks the fleet as in use until the returned function is called; only then is it kept up to date. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    if (this.listeners.size === 1) this.attend();
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) clearTimeout(this.timer);
    };
  };

  /** Reads the fleet unless it is loaded or loading. */
  readonly ensure = (): void => {
    if (!this.fleet.index && !this.reading) void this.read();
  };

  /** Reads the fleet, or what changed, now. */
  readonly retry = (): void => {
    if (this.reading) return;
    if (this.canFollow()) void this.catchUp();
    else void this.read();
  };

  /** Whether any part of the page shows it. */
  isWatched(): boolean {
    return this.listeners.size > 0 && this.around.isVisible();
  }

  /** Called when a write has ended or failed: the index may be stale. An unused fleet is not read. */
  changed(): void {
    if (this.reading) this.reading.again = true;
    else if (this.fleet.index) this.readSoon();
  }

  /** Takes over devices that the service has just listed. */
  readonly take = (devices: readonly Device[]): void =>
    this.write(...devices.map((device) => ({ id: device.DeviceId, is: 'read' as const, device })));

  /** Shows successful writes before the next reading. */
  write(...writes: DeviceWrite[]): void {
    this.reading?.writes.push(...writes);
    void this.publish(({ index: now }) => now && { index: now.with(written(tableOf(now), writes)) });
  }

  /** The session has ended: nothing more is read. `forget`: the next user may be another one. */
  end({ forget }: { forget: boolean }): void {
    clearTimeout(this.timer);
    this.isOver = true;
    this.reading?.stop.abort();
    this.reading = undefined;
    this.ended = Number.NEGATIVE_INFINITY;
    for (const go of this.held.splice(0)) go();
    if (forget) {
      this.rows = ROWS;
      this.set(NO_FLEET);
    } else this.set({ isReading: false, progress: undefined, partial: undefined, isFollowed: false });
  }

  /** There is a session again. */
  begin(): void {
    this.isOver = false;
    this.ended = Number.NEGATIVE_INFINITY;
    this.attend();
  }

  // ---- When to read ------------------------------------------------------------------------------------------------

  private canFollow(): boolean {
    return this.fleet.isFollowed && this.fleet.index !== undefined && Number.isFinite(this.ended);
  }

  private isLive(): boolean {
    return this.fleet.isFollowed && this.around.isLive?.() === true;
  }

  private interval(): number {
    if (this.fleet.isFollowed) return this.isLive() ? BEAT : POLL;
    const usual = Math.min(LONGEST, INTERVAL * Math.max(1, (this.fleet.index?.size ?? 0) / SMALL));
    return this.around.pace?.(this.fleet, usual) ?? usual;
  }

  private isWanted(): boolean {
    return this.fleet.index !== undefined || this.fleet.error !== null;
  }

  /** Called when use starts or stops: paused readings continue, and an old index is read again. */
  private attend(): void {
    if (!this.isWatched()) return;
    for (const go of this.held.splice(0)) go();
    if (this.reading || this.isOver || !this.isWanted()) return;
    const age = Date.now() - this.ended;
    const isOld = this.isLive()
      ? this.source.feed?.hasMissed === true || !this.canFollow()
      : age >= this.interval() / 3;
    if (isOld) this.retry();
    else this.readIn(this.interval() - age);
  }

  private changeLive(): void {
    if (!this.fleet.isFollowed) return;
    // Until now it was current.
    if (!this.isLive()) this.set({ at: Date.now() });
    clearTimeout(this.timer);
    this.attend();
  }

  private readSoon(): void {
    if (this.canFollow()) return this.readIn(AFTER_WRITE);
    this.ended = Number.NEGATIVE_INFINITY;
    if (this.listeners.size > 0) this.readIn(Math.max(AFTER_WRITE, 2 * this.took));
  }

  private readIn(milliseconds: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(
      () => {
        if (this.isWatched()) this.retry();
      },
      Math.max(0, milliseconds),
    );
  }

  /** Resolves while the fleet is in use. */
  private readonly mayGoOn = async (): Promise<void> => {
    while (!this.isWatched() && this.reading) await new Promise<void>((go) => this.held.push(go));
  };

  // ---- Reading -----------------------------------------------------------------------------------------------------

  private async read(): Promise<void> {
    clearTimeout(this.timer);
    const reading: FleetReadingRun = { stop: new AbortController(), writes: [], changes: [], again: false };
    this.reading = reading;
    const begun = Date.now();
    const before = this.fleet.index;
    this.set({ isReading: true, progress: this.fleet.index ? undefined : { read: 0, total: undefined } });
    let failure: Error | null = null;
    try {
      // Before the first page, so that no change is missed.
      const isFollowed = (await this.source.feed?.begin()) ?? false;
      if (this.reading === reading) this.set({ isFollowed });
      const { rows, placesError } = await readIndex(reading, {
        source: this.source,
        before,
        rows: this.rows,
        mayGoOn: this.mayGoOn,
        onProgress: (read, total) => {
          if (!before && this.reading === reading) this.set({ progress: { read, total } });
        },
        showPart: (partial) => {
          const isNext = !this.fleet.index && partial.size > (this.fleet.partial?.size ?? 0);
          if (isNext && this.reading === reading) this.set({ partial });
        },
        show: (make, change) =>
          this.publish(async ({ index }) => {
            const next = await make(index);
            return this.reading === reading ? { ...change, index: next, partial: undefined } : undefined;
          }),
      });
      if (this.reading === reading) {
        this.rows = rows;
        if (placesError) this.set({ placesError });
      }
    } catch (error) {
      failure = asError(error);
      reading.stop.abort();
    }
    if (this.reading !== reading) return;
    this.reading = undefined;
    this.ended = Date.now();
    this.took = this.ended - begun;
    this.seen = begun;
    this.set({ isReading: false, progress: undefined, partial: undefined, error: failure });
    if (failure && isSignedOut(failure)) return this.around.signedOut();
    if (reading.again) this.readSoon();
    else if (this.listeners.size > 0) this.readIn(this.interval());
  }

  // ---- Following ---------------------------------------------------------------------------------------------------

  /** Asks for what changed since the last time. */
  private async catchUp(): Promise<void> {
    clearTimeout(this.timer);
    let failure: Error | null = null;
    try {
      if (!this.isLive() || this.source.feed?.hasMissed || this.fleet.error) await this.source.feed?.catchUp();
    } catch (error) {
      failure = asError(error);
    }
    if (this.isOver || this.reading) return;
    if (failure && isSignedOut(failure)) return this.around.signedOut();
    if (!failure) {
      const now = (this.ended = Date.now());
      if (now - this.seen >= BEAT) {
        this.seen = now;
        void this.publish(({ index }) => index && { index: index.with(seenNow(tableOf(index), now)) });
      }
    }
    this.set({ error: failure, ...(!failure && !this.isLive() && { at: this.ended }) });
    if (this.listeners.size > 0) this.readIn(this.interval());
  }

  private follow(changes: DeviceChanges): void {
    if (this.isOver) return;
    if (changes.reset) {
      if (this.reading) this.reading.again = true;
      this.ended = Number.NEGATIVE_INFINITY;
      return this.attend();
    }
    this.reading?.changes.push(changes);
    void this.publish(async ({ index }) => {
      if (!index) return undefined;
      const table = await inTurns(followSteps(tableOf(index), changes));
      return { at: Date.now(), index: index.with(table) };
    });
  }

  /**
   * Replaces the present index by one that is already sorted by name, its most common order. Replacements run one
   * after the other, each based on the result of the one before.
   */
  private publish(
    make: (now: Fleet) => Partial<Fleet> | Promise<Partial<Fleet> | undefined> | undefined,
  ): Promise<void> {
    const turn = this.publishing.then(async () => {
      const before = this.fleet;
      const change = await make(before);
      if (!change) return;
      if (change.index?.isPrepared('DeviceName') === false) {
        await change.index.prepare('DeviceName', before.index);
        // Rendering it is enough work for a task.
        await nextTask();
      }
      // Signed out during the sort.
      if (this.fleet.index === before.index) this.set(change);
    });
    this.publishing = turn;
    return turn;
  }

  private set(change: Partial<Fleet>): void {
    const next = { ...this.fleet, ...change };
    next.state = next.index ? 'ready' : next.error ? 'failed' : next.isReading ? 'loading' : 'absent';
    const same = (Object.keys(next) as (keyof Fleet)[]).every((key) => next[key] === this.fleet[key]);
    if (same) return;
    this.fleet = next;
    for (const listener of this.listeners) listener();
  }
}
