// What an account used over time: the API has no such history, so this browser stores one for each account, and
// forecasts from it how long licences and storage will last. A forecast from too little is worse than none.
import { formatCount } from '#/lib/format.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A reading so soon after the last but one replaces the last. */
const EVERY = 6 * HOUR;
/** A hundred days and more. */
const MOST = 400;

export interface UsagePoint {
  at: number;
  devices: number;
  /** Undefined where the service does not report it. */
  bytes: number | undefined;
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

export function readUsage(text: string): UsagePoint[] {
  const rows: unknown = JSON.parse(text);
  return (Array.isArray(rows) ? rows : []).flatMap((row: unknown) => {
    const [at, devices, bytes] = Array.isArray(row) ? (row as unknown[]) : [];
    return isNumber(at) && isNumber(devices) ? [{ at, devices, bytes: isNumber(bytes) ? bytes : undefined }] : [];
  });
}

export const printUsage = (points: readonly UsagePoint[]): string =>
  JSON.stringify(points.map(({ at, devices, bytes }) => [at, devices, bytes ?? null]));

/** With one point more; after the clock was set back, points of the future are dropped. */
export function withPoint(points: readonly UsagePoint[], point: UsagePoint): UsagePoint[] {
  const earlier = points.filter(({ at }) => at < point.at);
  const [before] = earlier.slice(-2);
  const isNear = earlier.length > 1 && before !== undefined && point.at - before.at < EVERY;
  return [...(isNear ? earlier.slice(0, -1) : earlier), point].slice(-MOST);
}

export interface Figure {
  at: number;
  value: number;
}

/** Fewer points, or a shorter time, allow no forecast. */
const FEWEST = 5;
const SHORTEST = 3 * DAY;
/** Further ahead than this a straight line means nothing. */
const FURTHEST = 730;

/**
 * In how many days the limit is reached if it goes on as it did: a straight line through all points. Undefined: too
 * little is known. `Infinity`: not within two years.
 */
export function daysLeft(figures: readonly Figure[], limit: number): number | undefined {
  const [first] = figures;
  const last = figures.at(-1);
  if (!first || !last || figures.length < FEWEST || last.at - first.at < SHORTEST) return undefined;
  if (last.value >= limit) return 0;
  const mean = (pick: (figure: Figure) => number) =>
    figures.reduce((sum, each) => sum + pick(each), 0) / figures.length;
  const [time, value] = [mean(({ at }) => at), mean((each) => each.value)];
  const spread = mean(({ at }) => (at - time) ** 2);
  const slope = (mean((each) => (each.at - time) * (each.value - value)) / spread) * DAY;
  const days = (limit - last.value) / slope;
  return slope > 0 && days <= FURTHEST ? Math.max(1, Math.floor(days)) : Number.POSITIVE_INFINITY;
}

/** The result of `daysLeft`, in words; undefined while it is not known. */
export function forecastText(days: number | undefined): string | undefined {
  if (days === undefined) return undefined;
  if (days === 0) return 'Used up';
  if (!Number.isFinite(days)) return 'Enough for more than two years at this pace';
  return `Enough for about ${days === 1 ? 'a day' : `${formatCount(days)} days`} at this pace`;
}

export const deviceFigures = (points: readonly UsagePoint[]): Figure[] =>
  points.map(({ at, devices }) => ({ at, value: devices }));
export const byteFigures = (points: readonly UsagePoint[]): Figure[] =>
  points.flatMap(({ at, bytes }) => (bytes === undefined ? [] : [{ at, value: bytes }]));
