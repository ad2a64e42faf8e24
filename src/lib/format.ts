// Numbers, sizes, shares and times: English words, in the notation of the reader's locale.
import { LOCALE, dateWriter, numberWriter } from './locale.ts';

export const formatCount = numberWriter(LOCALE);

/** "1 job", "2,000 jobs" */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${formatCount(value)} ${value === 1 ? one : many}`;

export const devicesText = (value: number): string => counted(value, 'device');

const UNITS = ['kB', 'MB', 'GB', 'TB'] as const;
const units = numberWriter(LOCALE, { maximumFractionDigits: 0 });
const tenths = numberWriter(LOCALE, { maximumFractionDigits: 1 });

/** Bytes with a binary prefix and at most three figures: "9.8 MB" is 9.8 × 1024 × 1024. */
export function formatBytes(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(UNITS.length, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** step;
  if (step === 0) return `${units(value)} ${Math.round(value) === 1 ? 'byte' : 'bytes'}`;
  return `${(value >= 100 ? units : tenths)(value)} ${UNITS[step - 1]}`;
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
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });

/**
 * "3m ago", "in 2d", or "now" within five seconds. The past is rounded down and the future to the nearest unit, so that
 * eight hours are still "in 8h" a second later.
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

const CLOCK = { hour: '2-digit', minute: '2-digit' } as const;
const DAY = { month: 'short', day: 'numeric' } as const;

/** One formatter for the reader's own zone and one for UTC. */
const zoned = (options: Intl.DateTimeFormatOptions) => ({
  local: dateWriter(LOCALE, options),
  utc: dateWriter(LOCALE, { ...options, timeZone: 'UTC' }),
});
type Zone = keyof ReturnType<typeof zoned>;

const absolute = zoned({
  year: 'numeric',
  ...DAY,
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});
const clock = zoned(CLOCK);
const clockSeconds = zoned({ ...CLOCK, second: '2-digit' });
const dayClock = zoned({ weekday: 'short', ...CLOCK });
const dateClock = zoned({ ...DAY, ...CLOCK });
const day = zoned(DAY);
const date = zoned({ year: 'numeric', ...DAY });

/** "Nov 3, 2026, 10:10:05 PM UTC" */
export const formatTime = (at: Date, zone: Zone): string => absolute[zone](at);

/** "Nov 3" */
export const formatDay = (at: Date, zone: Zone): string => day[zone](at);

/** "22:10" today, "Fri 22:10" within six days, else "Nov 3, 22:10". */
export function formatClock(at: Date, zone: Zone, now = new Date()): string {
  if (date[zone](at) === date[zone](now)) return clock[zone](at);
  const isNear = Math.abs(now.getTime() - at.getTime()) < 6 * 86_400_000;
  return (isNear ? dayClock : dateClock)[zone](at);
}

/** "14:03:20" */
export const formatClockSeconds = (at: Date, zone: Zone): string => clockSeconds[zone](at);

const toTenth = numberWriter(LOCALE, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** "0.4 s", "12 s", "3 min 5 s", "2 h 10 min"; `rough` leaves out parts of seconds, and the seconds after minutes. */
export function formatDuration(ms: number, rough?: 'rough'): string {
  const seconds = Math.max(0, ms) / 1000;
  if (rough && seconds < 10) return `${seconds > 0 ? Math.max(1, Math.floor(seconds)) : 0} s`;
  if (seconds < 10) return `${toTenth(seconds)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (rough && minutes < 60) return `${minutes} min`;
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const roundPercent = numberWriter(LOCALE, { style: 'percent' });
const exactPercent = numberWriter(LOCALE, { style: 'percent', minimumFractionDigits: 2 });

/** "0%", "58.2%", "33.3%" */
export const formatRoughShare = numberWriter(LOCALE, { style: 'percent', maximumFractionDigits: 1 });

/** "0%", "58.20%", "100%": rounded down, so that only the whole is 100%. */
export const formatShare = (part: number): string =>
  part === 0 || part === 1 ? roundPercent(part) : exactPercent(Math.floor(part * 10_000) / 10_000);

/** A text of the service or an agent as a sentence among others. */
export const withFullStop = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
