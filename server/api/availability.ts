// How long the devices of an account were Online within a span. It is computed from the history of states, a few
// devices at a time so that other requests get their turn, and cached for a while. For large accounts the last 24
// hours, which the overview shows, are computed in advance.
import { setImmediate as otherRequests } from 'node:timers/promises';
import type { AVAILABILITY_BY, AVAILABILITY_SORTS, Availability } from '#/contract/history.ts';
import { logFault } from '../store/system-fault.ts';
import { KeptResults, turns } from '../kept-results.ts';
import { stopping } from '../http/traffic.ts';
import type { Database, Reader } from '../store/database.ts';
import { groupsKey, isInScope, type Scope } from '../store/scope.ts';
import { gapsIn, type Span } from '../store/state-history.ts';
import type { StateSums } from '../store/state-sums.ts';
import { stateStrips } from '../store/state-strips.ts';
import { nextSums, type DeviceSums } from '../store/state-totals.ts';

type By = (typeof AVAILABILITY_BY)[number];
type Sort = (typeof AVAILABILITY_SORTS)[number];

/** How long other requests may wait for one batch of devices. */
const TURN_MS = 10;
const FIRST_BATCH = 20;
const MAX_BATCH = 500;
/** A result for 100,000 devices takes about 30 MB. */
const MAX_RESULTS = 4;
/** The lists whose strips are prepared again, and the rows of each. */
const MAX_LISTS = 8;
const MAX_LISTED = 500;

/** A list of rows with strips of so many steps. */
interface StripList {
  by: By;
  steps: number;
  scope: Scope;
}

/** The availability in one span. */
class Result {
  readonly span: Span;
  readonly gaps: Span[];
  /** Of the account, those that never connected included. */
  readonly devices: number;
  readonly #rows: DeviceSums[];
  readonly #lists = new Map<string, Availability[]>();
  readonly #strips = new Map<string, number[]>();
  /** The lists that were asked for, with their rows. */
  readonly #asked = new Map<string, { list: StripList; keys: Set<string> }>();

  constructor(span: Span, gaps: Span[], rows: DeviceSums[]) {
    this.span = span;
    this.gaps = gaps;
    this.devices = rows.length;
    this.#rows = rows.filter(({ isNew }) => !isNew);
  }

  /** The strips of these rows of a list, in steps: see state-strips.ts. Kept as long as this result. */
  strips(db: Reader, list: StripList, keys: readonly string[]): Promise<number[][]> {
    const asked = this.#asked.get(listKey(list)) ?? { list, keys: new Set<string>() };
    // Those of single devices are quick to compute, and may be very many.
    if (list.by !== 'device' && this.#asked.size < MAX_LISTS) this.#asked.set(listKey(list), asked);
    for (const key of keys) if (asked.keys.size < MAX_LISTED) asked.keys.add(key);
    return this.#stripsOf(db, list, { keys, otherWork: otherRequests });
  }

  /** Prepares the strips that were asked of the result before: whoever looked at them looks again. */
  async prepareStrips(db: Reader, before: Result, otherWork: () => Promise<unknown>): Promise<void> {
    for (const { list, keys } of before.#asked.values()) await this.#stripsOf(db, list, { keys: [...keys], otherWork });
  }

  async #stripsOf(
    db: Reader,
    list: StripList,
    { keys, otherWork }: { keys: readonly string[]; otherWork: () => Promise<unknown> },
  ): Promise<number[][]> {
    const { by, steps, scope } = list;
    const column = by === 'group' ? 'grp' : by === 'device' ? 'id' : by;
    const kept = (key: string) => `${listKey(list)} ${key}`;
    const devices = new Map<string, DeviceSums[]>();
    for (const key of keys) if (!this.#strips.has(kept(key))) devices.set(key, []);
    const made = new Map<string, number[]>();
    if (devices.size > 0) {
      for (const row of this.#rows) if (isInScope(scope, row.grp)) devices.get(row[column])?.push(row);
      const { span, gaps } = this;
      const strips = await stateStrips(db, [...devices.values()], { span, gaps, steps }, otherWork);
      for (const [at, key] of [...devices.keys()].entries()) made.set(key, strips[at] ?? []);
      if (by !== 'device') for (const [key, strip] of made) this.#strips.set(kept(key), strip);
    }
    return keys.map((key) => made.get(key) ?? this.#strips.get(kept(key)) ?? []);
  }

  /** Those in the scope, with the least share of time Online, the most changes, or the longest time Offline, first. */
  sorted(by: By, sort: Sort, scope: Scope): Availability[] {
    const column = by === 'group' ? 'grp' : by;
    // Limited roles are few and see less, so theirs are not kept.
    if (scope.groups)
      return sortedBy(
        sort,
        totals(
          this.#rows.filter(({ grp }) => isInScope(scope, grp)),
          column,
        ),
      );
    const key = `${by} ${sort}`;
    let list = this.#lists.get(key);
    if (!list) this.#lists.set(key, (list = sortedBy(sort, totals(this.#rows, column))));
    return list;
  }
}

const listKey = ({ by, steps, scope }: StripList): string => `${by} ${steps} ${groupsKey(scope)}`;

function totals(rows: readonly DeviceSums[], by: 'device' | 'site' | 'grp'): Availability[] {
  const sums = new Map<string, StateSums & { name: string; devices: number }>();
  for (const row of rows) {
    const key = by === 'device' ? row.id : row[by];
    const sum = sums.get(key) ?? {
      name: by === 'device' ? row.name : key,
      devices: 0,
      online: 0,
      offline: 0,
      unknown: 0,
      changes: 0,
    };
    sum.devices++;
    sum.online += row.online;
    sum.offline += row.offline;
    sum.unknown += row.unknown;
    sum.changes += row.changes;
    sums.set(key, sum);
  }
  return Array.from(sums, ([Key, { name, devices, changes, online, offline, unknown }]) => {
    // Rounded so that the three still add up to the whole.
    const OnlineSeconds = Math.floor(online / 1000);
    const UnknownSeconds = Math.floor(unknown / 1000);
    const all = Math.round((online + offline + unknown) / 1000);
    return {
      Key,
      Name: name,
      Devices: devices,
      Changes: changes,
      OnlineSeconds,
      OfflineSeconds: all - OnlineSeconds - UnknownSeconds,
      UnknownSeconds,
    };
  });
}

/** Of the time that is known; a row without any comes last. */
const shareOnline = ({ OnlineSeconds, OfflineSeconds }: Availability): number =>
  OnlineSeconds + OfflineSeconds > 0 ? OnlineSeconds / (OnlineSeconds + OfflineSeconds) : 2;

const sortedBy = (sort: Sort, list: Availability[]): Availability[] =>
  list.sort((one, two) => {
    const offlineFirst = two.OfflineSeconds - one.OfflineSeconds || two.Changes - one.Changes;
    if (sort === 'worst') return shareOnline(one) - shareOnline(two) || offlineFirst;
    return sort === 'changes' ? two.Changes - one.Changes || offlineFirst : offlineFirst;
  });

/** With fewer devices a result is computed so quickly that an outdated one is never shown. */
const LARGE_DEVICES = 5_000;
/** For how many large accounts a result is kept ready; the rest of the cache is for requests. */
const MAX_READY = 2;
const OVERVIEW_MS = 24 * 60 * 60_000;
const READY_EVERY_MS = 2 * 60_000;

export class Availabilities {
  readonly #db: Database;
  readonly #now: () => number;
  readonly #results = new KeptResults<Result>(MAX_RESULTS, ({ devices }) => devices >= LARGE_DEVICES);
  #timer: NodeJS.Timeout | undefined;
  #preparing: Promise<void> | undefined;
  #isClosed = false;

  constructor(db: Database, now: () => number) {
    this.#db = db;
    this.#now = now;
  }

  /** The availability in a span of this many milliseconds that ended now or a moment ago. */
  of(accountId: number, length: number): Promise<Result> {
    return this.#results.of(`${accountId} ${length}`, (before) => this.#compute(accountId, length, before));
  }

  /** Keeps the last 24 hours of large accounts ready from now on, and what else `prepare` computes of them. */
  keepReady(alsoPrepare: (accountId: number) => Promise<void> = async () => {}): void {
    const prepare = async () => {
      const large = await this.#db.all<{ id: number }>(
        'SELECT id FROM accounts WHERE num_devices >= ? ORDER BY num_devices DESC LIMIT ?',
        LARGE_DEVICES,
        MAX_READY,
      );
      for (const { id } of large) {
        if (this.#isClosed) return;
        await this.of(id, OVERVIEW_MS);
        await alsoPrepare(id);
      }
    };
    const run = () => {
      this.#preparing ??= prepare()
        .catch((cause: unknown) => {
          if (!this.#isClosed) logFault('could not sum up the states of devices', cause);
        })
        .finally(() => (this.#preparing = undefined));
    };
    this.#timer = setInterval(run, READY_EVERY_MS).unref();
    run();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#preparing;
    await this.#results.settle();
  }

  async #compute(accountId: number, length: number, before: Result | undefined): Promise<Result> {
    const to = Math.floor(this.#now() / 1000) * 1000;
    const span = { from: to - length, to };
    const asked = { accountId, span, gaps: await gapsIn(this.#db, span) };
    const rows: DeviceSums[] = [];
    let batchSize = FIRST_BATCH;
    for (let after = 0; ;) {
      if (this.#isClosed) throw stopping();
      const began = performance.now();
      const devices = await nextSums(this.#db, asked, after, batchSize);
      rows.push(...devices);
      const last = devices.at(-1);
      if (!last || devices.length < batchSize) {
        const result = new Result(span, asked.gaps, rows);
        if (before)
          await result.prepareStrips(
            this.#db,
            before,
            turns(() => this.#isClosed, stopping),
          );
        return result;
      }
      after = last.seq;
      const share = TURN_MS / Math.max(1, performance.now() - began);
      batchSize = Math.min(MAX_BATCH, Math.max(1, Math.round(batchSize * Math.min(2, share))));
      await otherRequests();
    }
  }
}
