// Keeps a fleet index and keeps it fresh: reads it when it is first needed, again from time to time while somebody looks,
// and at once after a write. What goes wrong leaves the index as it is, with its age.
import type { DeviceLocation } from '#/contract/devices.ts';
import { isSignedOut } from '#/api/api-error.ts';
import { FleetIndex, tableOf } from './fleet-index.ts';
import { inTurns, nextTask } from '#/lib/pace.ts';
import { RequestQueue } from '#/lib/request-queue.ts';
import { placeSteps } from './places.ts';
import { readFleet } from './read-fleet.ts';
import { AT_ONCE } from './read-pages.ts';
import type { FleetSource } from './source.ts';
import { Draft, emptyTable } from './table.ts';
import type { Table } from './table.ts';
import { written } from './writes.ts';
import type { DeviceWrite } from './writes.ts';

/** What is known of the fleet at this moment. A new object whenever something of it changes. */
export interface Fleet {
  /** `absent`: nobody needed it yet. `ready`: there is an index, however old. */
  state: 'absent' | 'loading' | 'ready' | 'failed';
  /** How far the first reading is; undefined when there is none. */
  progress: { read: number; total: number | undefined } | undefined;
  index: FleetIndex | undefined;
  /** When the reading of this index began, in milliseconds since the epoch. */
  at: number | undefined;
  /** Why the latest reading of the listing failed; an older index stays. */
  error: Error | null;
  /** Why the latest reading of the locations failed; older ones stay. */
  placesError: Error | null;
  isReading: boolean;
}

/** What the store has to know of the page around it. */
export interface Surroundings {
  isVisible: () => boolean;
  onVisibility: (listener: () => void) => void;
  /** An answer was 401. */
  signedOut: () => void;
  /** The fleet was read; `before`: what was known until then, `every`: milliseconds from one reading to the next. */
  onRead?: (index: FleetIndex, before: FleetIndex | undefined, every: number) => void;
}

/** Milliseconds between two readings of up to 5,000 devices; more are read less often, but at least every 5 minutes. */
const INTERVAL = 30_000;
const SMALL = 5_000;
const LONGEST = 300_000;
/** Milliseconds after a write before the fleet is read again: writes come in bursts. */
const AFTER_WRITE = 400;
/** Rows to ask for in a page. */
const ROWS = 1000;

const NOTHING = { progress: undefined, index: undefined, at: undefined, error: null, placesError: null };
const ABSENT: Fleet = { state: 'absent', isReading: false, ...NOTHING };

interface Reading {
  stop: AbortController;
  /** What was written since it began, and what its pages may not show. */
  writes: DeviceWrite[];
  /** Something changed meanwhile: read once more. */
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
  /** When the latest reading ended, and how long it took; not finite: there was none, or it does not count any more. */
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

  /** Somebody looks at the fleet until the returned function is called; only then is it kept fresh. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    if (this.listeners.size === 1) this.attend();
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) clearTimeout(this.timer);
    };
  };

  /** Reads the fleet unless it is there or under way. */
  readonly ensure = (): void => {
    if (!this.fleet.index && !this.reading) void this.read();
  };

  /** Reads the fleet now. */
  readonly retry = (): void => {
    if (!this.reading) void this.read();
  };

  /** A write ended, well or not: what is in memory may be wrong. Nothing is read of a fleet that nobody needed yet. */
  changed(): void {
    if (this.reading) this.reading.again = true;
    else if (this.fleet.index) this.readSoon();
  }

  /** Shows writes that were carried out, before the fleet is read again. */
  write(...writes: DeviceWrite[]): void {
    this.reading?.writes.push(...writes);
    void this.publish(({ index: now }) => now && { index: withTable(now, written(tableOf(now), writes)) });
  }

  /** The session is over: nothing more is read by itself. `forget`: who signs in next may be somebody else. */
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

  /** Somebody came to look, or stopped: what was held goes on, and what has grown old is read again. */
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
    // A long row of writes must not become an endless reading.
    if (this.listeners.size > 0) this.readIn(Math.max(AFTER_WRITE, 2 * this.took));
  }

  private readIn(milliseconds: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (this.isWatched()) this.retry();
    }, milliseconds);
  }

  /** Resolves while somebody looks. */
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
   * Puts an index in the place of the present one, sorted by name already, as it is most often shown. One after the
   * other: each is made of what was there when its turn came.
   */
  private publish(make: (now: Fleet) => Partial<Fleet> | undefined): Promise<void> {
    const turn = this.publishing.then(async () => {
      const before = this.fleet;
      const change = make(before);
      if (!change) return;
      if (change.index?.isPrepared('DeviceName') === false) {
        await change.index.prepare('DeviceName', before.index);
        // What the page draws of it is work enough for a task.
        await nextTask();
      }
      // Signed out while it was sorted.
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
