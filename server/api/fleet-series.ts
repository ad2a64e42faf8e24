// How many devices were in each state over the last hours or days, and how the jobs ended. For large accounts the spans that
// the overview shows are computed in advance.
import type { HistorySeries } from '#/contract/history.ts';
import { MAX_SERIES_STEPS } from '#/contract/history.ts';
import { printIsoTime } from '#/contract/timestamps.ts';
import { stopping } from '../http/traffic.ts';
import { KeptResults, turns } from '../kept-results.ts';
import type { Database } from '../store/database.ts';
import { InvalidInput } from '../store/errors.ts';
import { endedJobs } from '../store/ended-jobs.ts';
import { scopeKey, wholeAccount, type Scope } from '../store/scope.ts';
import { gapsIn } from '../store/state-history.ts';
import { stateSeries } from '../store/state-series.ts';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
/** Steps in a series for which none is asked. */
const STEPS = 300;
/** The jobs of longer spans are counted by day: whoever draws days of their own time zone needs hours. */
const HOURLY_HOURS = 14 * 24;
const LARGE_DEVICES = 5_000;
/** A series takes a few kilobytes. */
const MAX_KEPT = 200;
/** The spans of the overview. */
const READY_HOURS = [24, 7 * 24, 14 * 24, 30 * 24] as const;

/** An unclear end, like Interrupted or NoAnswer, is neither. */
const OUTCOMES = new Map(
  Object.entries<'Succeeded' | 'Failed'>({
    Succeeded: 'Succeeded',
    Failed: 'Failed',
    RolledBack: 'Failed',
  }),
);

interface Kept {
  series: HistorySeries;
  devices: number;
}

export class FleetSeries {
  readonly #db: Database;
  readonly #now: () => number;
  readonly #kept = new KeptResults<Kept>(MAX_KEPT, ({ devices }) => devices >= LARGE_DEVICES);
  #isClosed = false;

  constructor(db: Database, now: () => number) {
    this.#db = db;
    this.#now = now;
  }

  /** `step`: in seconds. */
  async of(scope: Scope, hours: number, step = defaultStep(hours)): Promise<HistorySeries> {
    const count = Math.ceil((hours * 3600) / step);
    if (count > MAX_SERIES_STEPS)
      throw new InvalidInput(
        'Too many steps',
        `That is ${count} steps. Ask for longer ones: at most ${MAX_SERIES_STEPS} are possible.`,
      );
    const compute = () => this.#compute(scope, hours, { step: step * 1000, count });
    // Nothing new can be seen of a large fleet before a good part of a step is over.
    const { series } = await this.#kept.of(`${scopeKey(scope)} ${hours} ${step}`, compute, { freshMs: step * 250 });
    return series;
  }

  async prepare(accountId: number): Promise<void> {
    for (const hours of READY_HOURS) if (!this.#isClosed) await this.of(wholeAccount(accountId), hours);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#kept.settle();
  }

  async #compute(scope: Scope, hours: number, { step, count }: { step: number; count: number }): Promise<Kept> {
    const now = this.#now();
    // Aligned, so that the same moment has the same value in each answer.
    const from = Math.floor(now / step) * step - step * (count - 1);
    const otherWork = turns(() => this.#isClosed, stopping);
    const { online, devices } = await stateSeries(this.#db, scope, { from, step, count }, otherWork);
    const gaps = await gapsIn(this.#db, { from, to: now });
    const isUnknown = (index: number) =>
      gaps.some((gap) => gap.from <= from + index * step && from + index * step < gap.to);
    const unknown = devices.map((existing, index) => (isUnknown(index) ? existing : 0));
    const known = online.map((value, index) => (unknown[index] ? 0 : value));
    const part = hours <= HOURLY_HOURS ? HOUR_MS : DAY_MS;
    const jobs = new Map<number, { Succeeded: number; Failed: number; Other: number }>();
    for (const { at, outcome, jobs: ended } of await endedJobs(
      this.#db,
      scope,
      { from: Math.floor((now - hours * HOUR_MS) / part) * part, to: now + 1 },
      part,
    )) {
      const counts = jobs.get(at) ?? { Succeeded: 0, Failed: 0, Other: 0 };
      counts[OUTCOMES.get(outcome) ?? 'Other'] += ended;
      jobs.set(at, counts);
    }
    const time = (at: number) => printIsoTime(new Date(at));
    const series = {
      From: time(from),
      Step: step / 1000,
      Online: known,
      Offline: devices.map((existing, index) => existing - (known[index] ?? 0) - (unknown[index] ?? 0)),
      Unknown: unknown,
      Jobs: Array.from(jobs, ([at, counts]) => ({ Time: time(at), ...counts })),
    };
    return { series, devices: devices.at(-1) ?? 0 };
  }
}

/** In seconds, a number of minutes. */
const defaultStep = (hours: number): number => Math.max(60, Math.ceil((hours * 60) / STEPS) * 60);
