// The usage of an account over time, and a forecast of how long its licences and storage will last.
import type { UsageDay } from '#/contract/usage.ts';
import { formatCount } from '#/lib/format.ts';

const DAY = 86_400_000;

export interface Figure {
  at: number;
  value: number;
}

/** A forecast from fewer points, or a shorter time, would be worse than none. */
const FEWEST = 5;
const SHORTEST = 3 * DAY;
/** Further ahead than this a straight line means nothing. */
const FURTHEST = 730;

/**
 * The days until the limit is reached, by a straight line through all points. Undefined: there are too few points.
 * `Infinity`: not within two years.
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

/** The result of `daysLeft` as text. */
export function forecastText(days: number | undefined): string | undefined {
  if (days === undefined) return undefined;
  if (days === 0) return 'Used up';
  if (!Number.isFinite(days)) return 'Enough for more than two years at this pace';
  return `Enough for about ${days === 1 ? 'a day' : `${formatCount(days)} days`} at this pace`;
}

/** What was used at the end of the day before the last one, if that was measured. */
export function dayBefore(figures: readonly Figure[]): number | undefined {
  const [before, last] = figures.slice(-2);
  return last && before?.at === last.at - DAY ? before.value : undefined;
}

/** What was used on these days, oldest first. */
export const usageFigures = (days: readonly UsageDay[], used: 'Devices' | 'ArtifactBytes' | 'OutputBytes'): Figure[] =>
  days.map((day) => ({ at: Date.parse(day.Day), value: day[used] })).toReversed();
