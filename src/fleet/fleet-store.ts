// Keeps a fleet index up to date: reads it when it is first needed, periodically while it is used, and soon after a
// write. A failure leaves the index as it is, with its age.
import type { DeviceLocation } from '#/contract/devices.ts';
import { isSignedOut } from '#/api/api-error.ts';
import { FleetIndex, tableOf } from './fleet-index.ts';
import { inTurns, nextTask } from '#/lib/pace.ts';
import { RequestQueue } from '#/lib/request-queue.ts';
import { placeSteps } from './places.ts';
import { readFleet } from './read-fleet.ts';
import { AT_ONCE } from './read-pages.ts';
import type { FleetSource } from './source.ts';
import { Draft, emptyTable, type Table } from './table.ts';
import { written, type DeviceWrite } from './writes.ts';

/** The current state of the fleet; a new object at each change. */
export interface Fleet {
  /** `absent`: not needed yet. `ready`: there is an index, however old. */
  state: 'absent' | 'loading' | 'ready' | 'failed';
  /** Progress of the first reading. */
  progress: { read: number; total: number | undefined } | undefined;
  index: FleetIndex | undefined;
  /** Start of the reading of this index, in milliseconds since the epoch. */
  at: number | undefined;
  /** Why the latest reading of the listing failed; an older index remains. */
  error: Error | null;
  /** Why the latest reading of the locations failed; older ones remain. */
  placesError: Error | null;
  isReading: boolean;
}

/** What the store needs from the page. */
export interface Surroundings {
  isVisible: () => boolean;
  onVisibility: (listener: () => void) => void;
  /** An answer was 401. */
  signedOut: () => void;
  /** The fleet was read; `before`: the previous index, `every`: milliseconds between readings. */
  onRead?: (index: FleetIndex, before: FleetIndex | undefined, every: number) => void;
}

/** Milliseconds between two readings of up to 5,000 devices; larger fleets are read less often, but every 5 minutes. */
const INTERVAL = 30_000;
const SMALL = 5_000;
const LONGEST = 300_000;
/** Milliseconds between a write and the next reading, because writes come in bursts. */
const AFTER_WRITE = 400;
/** Rows to request in a page. */
const ROWS = 1000;

const NOTHING = { progress: undefined, index: undefined, at: undefined, error: null, placesError: null };
const ABSENT: Fleet = { state: 'absent', isReading: false, ...NOTHING };

interface Reading {
  stop: AbortController;
  /** Writes since it began, which its pages may not show. */
  writes: DeviceWrite[];
  /** Something changed meanwhile: another reading follows. */
  again: boolean;
}

export class FleetStore {
  private fleet = ABSENT;
  private readonly listeners = new Set<() => void>();
  private readonly source: FleetSource;
  private readonly around: Surroundings;
  private reading: Reading | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private rows = ROWS;
  /** When the latest reading ended, and its duration; not finite if there was none, or it no longer counts. */
  private ended = Number.NEGATIVE_INFINITY;
  private took = 0;
  private isOver = false;
  private publishing: Promise<void> = Promise.resolve();
  private readonly held: (() => void)[] = [];

  constructor(source: FleetSource, around: Surroundings) {
    this.source = source;
    this.around = around;
    around.onVisibility(() => this.attend());
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

  /** Reads the fleet now. */
  readonly retry = (): void => {
    if (!this.reading) void this.read();
  };

  /** Called when a write has ended or failed: the index may be stale. An unused fleet is not read. */
  changed(): void {
    if (this.reading) this.reading.again = true;
    else if (this.fleet.index) this.readSoon();
  }

  /** Shows successful writes before the next reading. */
  write(...writes: DeviceWrite[]): void {
    this.reading?.writes.push(...writes);
    void this.publish(({ index: now }) => now && { index: withTable(now, written(tableOf(now), writes)) });
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
      this.set(ABSENT);
    } else this.set({ isReading: false, progress: undefined });
  }

  /** There is a session again. */
  begin(): void {
    this.isOver = false;
    this.ended = Number.NEGATIVE_INFINITY;
    this.attend();
  }

  // ---- When to read ------------------------------------------------------------------------------------------------

  private isWatched(): boolean {
    return this.listeners.size > 0 && this.around.isVisible();
  }

  private interval(): number {
    return Math.min(LONGEST, INTERVAL * Math.max(1, (this.fleet.index?.size ?? 0) / SMALL));
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
    if (age >= this.interval() / 3) void this.read();
    else this.readIn(this.interval() - age);
  }

  private readSoon(): void {
    this.ended = Number.NEGATIVE_INFINITY;
    // A series of writes must not cause endless readings.
    if (this.listeners.size > 0) this.readIn(Math.max(AFTER_WRITE, 2 * this.took));
  }

  private readIn(milliseconds: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (this.isWatched()) this.retry();
    }, milliseconds);
  }

  /** Resolves while the fleet is in use. */
  private readonly mayGoOn = async (): Promise<void> => {
    while (!this.isWatched() && this.reading) await new Promise<void>((go) => this.held.push(go));
  };

  // ---- Reading -----------------------------------------------------------------------------------------------------

  private async read(): Promise<void> {
    clearTimeout(this.timer);
    const reading: Reading = { stop: new AbortController(), writes: [], again: false };
    this.reading = reading;
    const begun = Date.now();
    const before = this.fleet.index;
    this.set({ isReading: true, progress: this.fleet.index ? undefined : { read: 0, total: undefined } });
    let failure: Error | null = null;
    try {
      await this.readAll(reading, begun);
    } catch (error) {
      failure = asError(error);
      reading.stop.abort();
    }
    if (this.reading !== reading) return;
    this.reading = undefined;
    this.ended = Date.now();
    this.took = this.ended - begun;
    this.set({ isReading: false, progress: undefined, error: failure });
    if (failure && isSignedOut(failure)) return this.around.signedOut();
    const { index } = this.fleet;
    if (index && !failure) this.around.onRead?.(index, before, this.interval());
    if (reading.again) this.readSoon();
    else if (this.listeners.size > 0) this.readIn(this.interval());
  }

  private async readAll(reading: Reading, begun: number): Promise<void> {
    const { signal } = reading.stop;
    const queue = new RequestQueue({ signal, atOnce: AT_ONCE, mayGoOn: this.mayGoOn });
    const ask = <Answer>(request: () => Promise<Answer>) => queue.add(() => queue.read(request));
    const before = this.fleet.index;
    const base = before ? tableOf(before) : emptyTable();
    const draft = new Draft(base);
    const listing = readFleet({
      readPage: (page, rows) => ask(() => this.source.readPage(page, rows, signal)),
      rows: this.rows,
      draft,
      had: before?.size ?? 0,
      onProgress: (read, total) => {
        if (!before && this.reading === reading) this.set({ progress: { read, total } });
      },
    });
    let locations: DeviceLocation[] | undefined;
    const locating = ask(() => this.source.readLocations(signal)).then((rows) => {
      locations = rows;
      return null;
    }, asError);

    const { order, rows, complete } = await listing;
    this.rows = rows;
    const place = async (table: Table) => (locations ? inTurns(placeSteps(table, locations)) : table);
    const show = (table: Table, change: Partial<Fleet>) =>
      this.publish(({ index }) => {
        if (this.reading !== reading) return undefined;
        const next = written(table, reading.writes);
        const isSame = index && tableOf(index) === next && index.complete === complete;
        return { ...change, index: isSame ? index : new FleetIndex(next, complete) };
      });
    const already = locations !== undefined;
    const listed = await place(draft.finish(order));
    await show(listed, { at: begun, error: null, ...(already && { placesError: null }) });
    const placesError = await locating;
    if (this.reading !== reading || already) return;
    if (placesError && isSignedOut(placesError)) throw placesError;
    if (placesError) this.set({ placesError });
    else await show(await place(listed), { placesError: null });
  }

  /**
   * Replaces the present index by one that is already sorted by name, its most common order. Replacements run one
   * after the other, each based on the result of the one before.
   */
  private publish(make: (now: Fleet) => Partial<Fleet> | undefined): Promise<void> {
    const turn = this.publishing.then(async () => {
      const before = this.fleet;
      const change = make(before);
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

const asError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)));

const withTable = (index: FleetIndex, table: Table) =>
  table === tableOf(index) ? index : new FleetIndex(table, index.complete);
