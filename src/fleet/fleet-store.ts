// The whole fleet in memory, kept up to date. It is read when it is first needed. After that only reported changes are
// read, where the service reports them; otherwise all of it is read again, periodically while it is in use and soon after
// a write. A failure leaves the index as it is, with its age.
import { isSignedOut } from '#/api/api-error.ts';
import type { DeviceChanges } from '#/api/device-feed.ts';
import type { Device, DeviceLocation } from '#/contract/devices.ts';
import { runChunked, nextTask } from '#/lib/pace.ts';
import { RequestQueue } from '#/lib/request-queue.ts';
import { FleetIndex, tableOf } from './fleet-index.ts';
import { placeSteps } from './places.ts';
import { readFleet } from './read-fleet.ts';
import { AT_ONCE } from './read-pages.ts';
import type { FleetSource } from './source.ts';
import { Draft, emptyTable, type Table } from './table.ts';
import { applyWrites, changeSteps, markOnlineSeen, type DeviceWrite } from './table-changes.ts';

/** The current state of the fleet; a new object at each change. */
export interface Fleet {
  /** `absent`: not needed yet. `ready`: there is an index, however old. */
  state: 'absent' | 'loading' | 'ready' | 'failed';
  /** Progress of the first reading. */
  progress: { read: number; total: number | undefined } | undefined;
  index: FleetIndex | undefined;
  /** The devices of an unfinished first reading, with locations: the map draws them until all are read. */
  partial: FleetIndex | undefined;
  /** Start of the reading of this index, in milliseconds since the epoch. */
  at: number | undefined;
  /** Why the latest reading of the listing failed; an older index remains. */
  error: Error | null;
  /** Why the latest reading of the locations failed; older ones remain. */
  placesError: Error | null;
  isReading: boolean;
  /** The service reports changes, so the whole fleet is never read again. */
  isFollowed: boolean;
}

/** What the store needs from the page. */
interface Environment {
  isVisible: () => boolean;
  onVisibility: (listener: () => void) => void;
  /** An answer was 401. */
  signedOut: () => void;
  /** Milliseconds until the whole fleet is read again, instead of `usual`. */
  pace?: (fleet: Fleet, usual: number) => number;
  /** Whether changes are reported as they happen, and a callback when that starts or ends. */
  isLive?: () => boolean;
  onLive?: (listener: () => void) => void;
}

const NO_FLEET: Fleet = {
  state: 'absent',
  progress: undefined,
  index: undefined,
  partial: undefined,
  at: undefined,
  error: null,
  placesError: null,
  isReading: false,
  isFollowed: false,
};

/** Milliseconds between two readings of up to 5,000 devices; larger fleets are read less often, but every 5 minutes. */
const INTERVAL = 30_000;
const SMALL = 5_000;
const LONGEST = 300_000;
/** Between two requests for what changed, where changes are not reported as they happen. */
const POLL = 5_000;
/** Between two updates of when Online devices were last seen, which is not reported as a change. */
const BEAT = 60_000;
/** Milliseconds between a write and the next reading, because writes come in bursts. */
const AFTER_WRITE = 400;
/** Rows to request in a page. */
const ROWS = 1000;

export class FleetStore {
  private fleet = NO_FLEET;
  private readonly listeners = new Set<() => void>();
  private readonly source: FleetSource;
  private readonly environment: Environment;
  private reading: ReadingRun | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private rows = ROWS;
  /** When the latest reading ended, and its duration; not finite if there is none that counts. */
  private ended = Number.NEGATIVE_INFINITY;
  private took = 0;
  /** When Online devices were last marked as seen. */
  private seen = 0;
  private hasEnded = false;
  private publishing: Promise<void> = Promise.resolve();
  /** Resumes readings that wait until the fleet is in use again. */
  private readonly paused: (() => void)[] = [];

  constructor(source: FleetSource, environment: Environment) {
    this.source = source;
    this.environment = environment;
    environment.onVisibility(() => this.resume());
    source.feed?.subscribe((changes) => this.follow(changes));
    environment.onLive?.(() => this.changeLive());
  }

  readonly get = (): Fleet => this.fleet;

  /** Marks the fleet as in use until the returned function is called; only then is it kept up to date. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    if (this.listeners.size === 1) this.resume();
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

  /** Whether any part of a visible page shows the fleet. */
  isWatched(): boolean {
    return this.listeners.size > 0 && this.environment.isVisible();
  }

  /** Called when a write has ended or failed: the index may be stale. An unused fleet is not read. */
  changed(): void {
    if (this.reading) this.reading.isStale = true;
    else if (this.fleet.index) this.readSoon();
  }

  /** Takes over devices that the service has just listed. */
  readonly take = (devices: readonly Device[]): void =>
    this.write(...devices.map((device) => ({ id: device.DeviceId, is: 'read' as const, device })));

  /** Shows successful writes before the next reading. */
  write(...writes: DeviceWrite[]): void {
    this.reading?.writes.push(...writes);
    void this.publish(({ index: now }) => now && { index: now.with(applyWrites(tableOf(now), writes)) });
  }

  /** The session has ended: nothing more is read. `forget`: the next user may be another one. */
  end({ forget }: { forget: boolean }): void {
    clearTimeout(this.timer);
    this.hasEnded = true;
    this.reading?.stop.abort();
    this.reading = undefined;
    this.ended = Number.NEGATIVE_INFINITY;
    for (const resume of this.paused.splice(0)) resume();
    if (forget) {
      this.rows = ROWS;
      this.set(NO_FLEET);
    } else this.set({ isReading: false, progress: undefined, partial: undefined, isFollowed: false });
  }

  /** There is a session again. */
  begin(): void {
    this.hasEnded = false;
    this.ended = Number.NEGATIVE_INFINITY;
    this.resume();
  }

  private canFollow(): boolean {
    return this.fleet.isFollowed && this.fleet.index !== undefined && Number.isFinite(this.ended);
  }

  private isLive(): boolean {
    return this.fleet.isFollowed && this.environment.isLive?.() === true;
  }

  private interval(): number {
    if (this.fleet.isFollowed) return this.isLive() ? BEAT : POLL;
    const usual = Math.min(LONGEST, INTERVAL * Math.max(1, (this.fleet.index?.size ?? 0) / SMALL));
    return this.environment.pace?.(this.fleet, usual) ?? usual;
  }

  private isWanted(): boolean {
    return this.fleet.index !== undefined || this.fleet.error !== null;
  }

  /** Called when the fleet comes into use: paused readings continue, and an old index is read again. */
  private resume(): void {
    if (!this.isWatched()) return;
    for (const resume of this.paused.splice(0)) resume();
    if (this.reading || this.hasEnded || !this.isWanted()) return;
    const age = Date.now() - this.ended;
    const isOld = this.isLive()
      ? this.source.feed?.hasMissed === true || !this.canFollow()
      : age >= this.interval() / 3;
    if (isOld) this.retry();
    else this.readIn(this.interval() - age);
  }

  private changeLive(): void {
    if (!this.fleet.isFollowed) return;
    // The index was current until now.
    if (!this.isLive()) this.set({ at: Date.now() });
    clearTimeout(this.timer);
    this.resume();
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

  /** Resolves once the fleet is in use. */
  private readonly mayGoOn = async (): Promise<void> => {
    while (!this.isWatched() && this.reading) await new Promise<void>((resume) => this.paused.push(resume));
  };

  private async read(): Promise<void> {
    clearTimeout(this.timer);
    const reading: ReadingRun = { stop: new AbortController(), writes: [], changes: [], isStale: false };
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
    if (failure && isSignedOut(failure)) return this.environment.signedOut();
    if (reading.isStale) this.readSoon();
    else if (this.listeners.size > 0) this.readIn(this.interval());
  }

  /** Reads what changed since the last time. */
  private async catchUp(): Promise<void> {
    clearTimeout(this.timer);
    let failure: Error | null = null;
    try {
      if (!this.isLive() || this.source.feed?.hasMissed || this.fleet.error) await this.source.feed?.catchUp();
    } catch (error) {
      failure = asError(error);
    }
    if (this.hasEnded || this.reading) return;
    if (failure && isSignedOut(failure)) return this.environment.signedOut();
    if (!failure) {
      const now = (this.ended = Date.now());
      if (now - this.seen >= BEAT) {
        this.seen = now;
        void this.publish(({ index }) => index && { index: index.with(markOnlineSeen(tableOf(index), now)) });
      }
    }
    this.set({ error: failure, ...(!failure && !this.isLive() && { at: this.ended }) });
    if (this.listeners.size > 0) this.readIn(this.interval());
  }

  private follow(changes: DeviceChanges): void {
    if (this.hasEnded) return;
    if (changes.reset) {
      if (this.reading) this.reading.isStale = true;
      this.ended = Number.NEGATIVE_INFINITY;
      return this.resume();
    }
    this.reading?.changes.push(changes);
    void this.publish(async ({ index }) => {
      if (!index) return undefined;
      const table = await runChunked(changeSteps(tableOf(index), changes));
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
    this.publishing = this.publishing.then(async () => {
      const before = this.fleet;
      const change = await make(before);
      if (!change) return;
      if (change.index?.isPrepared('DeviceName') === false) {
        await change.index.prepare('DeviceName', before.index);
        // Rendering it is enough work for a task.
        await nextTask();
      }
      // The session may have ended during the sort.
      if (this.fleet.index === before.index) this.set(change);
    });
    return this.publishing;
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

interface ReadingRun {
  stop: AbortController;
  /** Writes since it started, which its pages may not show. */
  writes: DeviceWrite[];
  /** Changes reported since it started, which its pages may not show either. */
  changes: DeviceChanges[];
  /** Something was written meanwhile: another reading follows. */
  isStale: boolean;
}

interface ReadingSteps {
  source: FleetSource;
  /** The current index. */
  before: FleetIndex | undefined;
  /** Rows to request in a page. */
  rows: number;
  mayGoOn: () => Promise<void>;
  onProgress: (read: number, total: number | undefined) => void;
  /** Shows the devices read so far, with their locations. */
  showPart: (part: FleetIndex) => void;
  /** Shows the next index, made of the one that is shown by then. */
  show: (make: (index: FleetIndex | undefined) => Promise<FleetIndex>, change: Partial<Fleet>) => Promise<void>;
}

/** Devices in the first part that is shown; each following part has four times as many. */
const FIRST_PART = 5_000;
const GROWTH = 4;

/**
 * One reading of the whole fleet, shown in two steps: the listing, and the locations if they take longer. `rows` of the
 * result: the largest page of this service.
 */
async function readIndex(
  reading: ReadingRun,
  steps: ReadingSteps,
): Promise<{ rows: number; placesError: Error | null }> {
  const { source, before, show } = steps;
  const { signal } = reading.stop;
  const started = Date.now();
  const queue = new RequestQueue({ signal, atOnce: AT_ONCE, mayGoOn: steps.mayGoOn });
  const ask = <Answer>(request: () => Promise<Answer>) => queue.add(() => queue.read(request));
  const draft = new Draft(before ? tableOf(before) : emptyTable());
  let locations: DeviceLocation[] | undefined;
  let nextPart = FIRST_PART;
  const listing = readFleet({
    readPage: (page, rows) => ask(() => source.readPage(page, rows, signal)),
    rows: steps.rows,
    draft,
    had: before?.size ?? 0,
    onProgress: (read, total, order) => {
      steps.onProgress(read, total);
      if (before || !locations || read < nextPart || read === total) return;
      nextPart = read * GROWTH;
      void runChunked(placeSteps(draft.part(order()), locations)).then((table) =>
        steps.showPart(new FleetIndex(table)),
      );
    },
  });
  const locating = ask(() => source.readLocations(signal)).then((rows) => {
    locations = rows;
    return null;
  }, asError);

  const { order, rows, complete } = await listing;
  const place = async (table: Table) => (locations ? runChunked(placeSteps(table, locations)) : table);
  const showTable = (table: Table, change: Partial<Fleet>) =>
    show(async (index) => {
      let next = applyWrites(table, reading.writes);
      for (const changes of reading.changes) next = await runChunked(changeSteps(next, changes));
      const isSame = index && tableOf(index) === next && index.complete === complete;
      return isSame ? index : new FleetIndex(next, complete);
    }, change);
  const already = locations !== undefined;
  const listed = await place(draft.finish(order));
  await showTable(listed, { at: started, error: null, ...(already && { placesError: null }) });
  const placesError = await locating;
  if (placesError && isSignedOut(placesError)) throw placesError;
  if (!already && !placesError) await showTable(await place(listed), { placesError: null });
  return { rows, placesError };
}

const asError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)));
