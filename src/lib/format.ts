// Numbers, sizes and spans of time in the reader's own notation.

const count = new Intl.NumberFormat();
export const formatCount = (value: number): string => count.format(value);

/** "1 job", "2,000 jobs" */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${formatCount(value)} ${value === 1 ? one : many}`;

export const devicesText = (value: number): string => counted(value, 'device');

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** Bytes with a binary prefix and at most three figures: "9.8 MB" is 9.8 × 1024 × 1024. */
export function formatBytes(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** step;
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit: UNITS[step] ?? 'byte',
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: step === 0 || value >= 100 ? 0 : 1,
  }).format(value);
}

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_557_600_000],
  ['month', 2_629_800_000],
  ['week', 604_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
];
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'narrow' });

/**
 * "3 min ago", "in 2 days" as the reader's language shortens them; under five seconds either way it is "now". What is past
 * is rounded down, what is to come to the nearest: eight hours are still "in 8h" a second later.
 */
export function formatAge(at: Date, now: Date): string {
  const span = at.getTime() - now.getTime();
  if (Math.abs(span) < 5000) return relative.format(0, 'second');
  const [unit, size] = STEPS.find(([, length], index) => {
    const [, finer = 0] = STEPS[index + 1] ?? [];
    return (span > 0 ? span + finer / 2 : -span) >= length;
  }) ?? ['second', 1000];
  return relative.format(span > 0 ? Math.round(span / size) : Math.trunc(span / size), unit);
}

const ABSOLUTE = { dateStyle: 'medium', timeStyle: 'long' } as const;
const absolute = {
  local: new Intl.DateTimeFormat(undefined, ABSOLUTE),
  utc: new Intl.DateTimeFormat(undefined, { ...ABSOLUTE, timeZone: 'UTC' }),
};
/** Date and time with the zone, in the reader's own zone or in UTC. */
export const formatTime = (at: Date, zone: keyof typeof absolute): string => absolute[zone].format(at);

const CLOCK = { hour: '2-digit', minute: '2-digit' } as const;
const DAY_CLOCK = { weekday: 'short', ...CLOCK } as const;
const zoneOf = (zone: keyof typeof absolute) => (zone === 'utc' ? { timeZone: 'UTC' } : {});
/** "22:10", or with its day where that is not today: "Fri 22:10". */
export function formatClock(at: Date, zone: keyof typeof absolute, now = new Date()): string {
  const day = (date: Date) => date.toLocaleDateString('en', zoneOf(zone));
  const isNear = Math.abs(now.getTime() - at.getTime()) < 6 * 86_400_000;
  const form =
    day(at) === day(now) ? CLOCK : isNear ? DAY_CLOCK : { month: 'short' as const, day: 'numeric' as const, ...CLOCK };
  return at.toLocaleString(undefined, { ...form, ...zoneOf(zone) });
}

/** "14:03:20", for what is of today and may already be a little old. */
export const formatClockSeconds = (at: Date, zone: keyof typeof absolute): string =>
  at.toLocaleTimeString(undefined, { ...CLOCK, second: '2-digit', ...zoneOf(zone) });

/** A length of time: "0.4 s", "12 s", "3 min 5 s", "2 h 10 min"; a rough one has no seconds beside minutes. Milliseconds in. */
export function formatDuration(ms: number, rough?: 'rough'): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (rough && minutes < 60) return `${minutes} min`;
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
