// The history of the fleet as charts show it.
import type { HistorySeries } from '#/contract/history.ts';
import type { Span } from '#/ui/chart/chart-data.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export interface FleetSeries {
  x: number[];
  step: number;
  /** Null where nothing is known. */
  online: (number | null)[];
  offline: (number | null)[];
  unknown: Span[];
  /** Where the history begins, if it does not reach back to the beginning of the span. */
  since: number | undefined;
}

export interface FleetNow {
  online: number;
  offline: number;
}

/**
 * A new account begins with its first device, not with an empty day. `now`: the fleet at present, for a history that has
 * no step yet.
 */
export function fleetSeries({ From, Step, ...counts }: HistorySeries, now?: FleetNow): FleetSeries {
  const from = Date.parse(From);
  const step = Step * 1000;
  const { Unknown } = counts;
  let { Online, Offline } = counts;
  if (now && [...Online, ...Offline, ...Unknown].every((count) => count === 0)) {
    Online = [...Online.slice(0, -1), now.online];
    Offline = [...Offline.slice(0, -1), now.offline];
  }
  const has = Online.map((online, index) => online + (Offline[index] ?? 0) + (Unknown[index] ?? 0) > 0);
  const first = Math.max(0, has.indexOf(true));
  const isEmpty = !has.includes(true);
  const indexes = isEmpty ? [] : Array.from({ length: Online.length - first }, (_, at) => first + at);
  const isUnknown = (index: number) => (Unknown[index] ?? 0) > 0;
  const unknown: Span[] = [];
  for (const index of indexes.filter(isUnknown)) {
    const at = from + index * step;
    const last = unknown.at(-1);
    if (last?.to === at) last.to = at + step;
    else unknown.push({ from: at, to: at + step });
  }
  const known = (values: readonly number[]) => indexes.map((index) => (isUnknown(index) ? null : (values[index] ?? 0)));
  return {
    x: indexes.map((index) => from + index * step),
    step,
    online: known(Online),
    offline: known(Offline),
    unknown,
    since: first > 0 && !isEmpty ? from + first * step : undefined,
  };
}

/** The fleet a day before the last step; undefined if it is not known. */
export function dayBefore({ x, ...values }: Pick<FleetSeries, 'x' | 'online' | 'offline'>): FleetNow | undefined {
  const at = (x.at(-1) ?? 0) - DAY;
  const index = x.findLastIndex((time) => time <= at);
  const [online, offline] = [values.online[index], values.offline[index]];
  return typeof online === 'number' && typeof offline === 'number' ? { online, offline } : undefined;
}

/** "Since yesterday: 3 fewer online, 5 more offline, 2 more devices" */
export function fleetChangeText(now: FleetNow, before: FleetNow, format: (value: number) => string): string {
  const part = (change: number, what: (count: number) => string) =>
    change === 0 ? [] : [`${format(Math.abs(change))} ${change > 0 ? 'more' : 'fewer'} ${what(Math.abs(change))}`];
  const parts = [
    ...part(now.online - before.online, () => 'online'),
    ...part(now.offline - before.offline, () => 'offline'),
    ...part(now.online + now.offline - before.online - before.offline, (count) => (count === 1 ? 'device' : 'devices')),
  ];
  return parts.length === 0 ? 'Same as yesterday' : `Since yesterday: ${parts.join(', ')}`;
}

type EndedJobs = HistorySeries['Jobs'][number];

export interface JobDays {
  /** When each day began. */
  x: number[];
  succeeded: number[];
  failed: number[];
  other: number[];
}

/** Midnight in the reader's zone, so many days after that of `at`. */
function midnight(at: number, zone: 'local' | 'utc', days = 0): number {
  const day = new Date(at);
  if (zone === 'utc') day.setUTCHours(24 * days, 0, 0, 0);
  else {
    day.setHours(0, 0, 0, 0);
    day.setDate(day.getDate() + days);
  }
  return day.getTime();
}

/** The jobs that ended on each of the last days; those before the first one that the account knows are left out. */
export function jobDays(
  { Jobs }: Pick<HistorySeries, 'Jobs'>,
  { now, zone, days, since }: { now: number; zone: 'local' | 'utc'; days: number; since: number | undefined },
): JobDays {
  const all = Array.from({ length: days }, (_, back) => midnight(now, zone, back + 1 - days));
  const x = since === undefined ? all : all.filter((day) => day + DAY > since);
  const sums = { succeeded: x.map(() => 0), failed: x.map(() => 0), other: x.map(() => 0) };
  for (const { Time, Succeeded, Failed, Other } of Jobs) {
    const index = x.indexOf(midnight(Date.parse(Time), zone));
    if (index < 0) continue;
    sums.succeeded[index]! += Succeeded;
    sums.failed[index]! += Failed;
    sums.other[index]! += Other;
  }
  return { x, ...sums };
}

/** The jobs of the last 24 hours and of the 24 before, which are undefined if the account was not known then. */
export function jobsOfDays(
  { Jobs }: Pick<HistorySeries, 'Jobs'>,
  { now, since, of }: { now: number; since: number | undefined; of: (jobs: EndedJobs) => number },
): { last: number; before: number | undefined } {
  const between = (from: number, to: number) =>
    Jobs.reduce((sum, jobs) => {
      const age = now - Date.parse(jobs.Time);
      return sum + (age >= from && age < to ? of(jobs) : 0);
    }, 0);
  const isKnown = since === undefined || since <= now - 2 * DAY;
  return { last: between(0, DAY), before: isKnown ? between(DAY, 2 * DAY) : undefined };
}
