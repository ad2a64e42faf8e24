// Maintenance windows: days and times of the clock on the wall in their zone, so that a change to summer time moves them.
import type { RolloutWindow } from '#/contract/rollouts.ts';

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
const MINUTE = 60_000;
/** Far enough to find the next opening of any window. */
const WEEK_MINUTES = 8 * 24 * 60;

const formats = new Map<string, Intl.DateTimeFormat>();
function wallClock(zone: string, at: number): { day: number; minute: number } {
  let format = formats.get(zone);
  if (!format)
    formats.set(
      zone,
      (format = new Intl.DateTimeFormat('en-GB', {
        timeZone: zone,
        weekday: 'short',
        hour: '2-digit',
        minute: '2-digit',
        hourCycle: 'h23',
      })),
    );
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  return {
    day: DAYS.findIndex((name) => name === parts['weekday']),
    minute: Number(parts['hour']) * 60 + Number(parts['minute']),
  };
}

const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

function isInside({ Days, From, To, Zone }: RolloutWindow, at: number): boolean {
  const { day, minute } = wallClock(Zone, at);
  const [from, to] = [minuteOf(From), minuteOf(To)];
  const on = (which: number) => Days.some((name) => name === DAYS[(which + 7) % 7]);
  if (from < to) return on(day) && minute >= from && minute < to;
  // Until the next day; the same time twice is a whole day.
  return (on(day) && minute >= from) || (on(day - 1) && minute < to);
}

/** Whether a wave may begin; always without windows. */
export const isOpen = (windows: readonly RolloutWindow[], at: number): boolean =>
  windows.length === 0 || windows.some((window) => isInside(window, at));

/** When a window opens next, to the minute; undefined if none ever does. */
export function nextOpening(windows: readonly RolloutWindow[], now: number): number | undefined {
  const first = Math.ceil(now / MINUTE) * MINUTE;
  for (let minutes = 0; minutes < WEEK_MINUTES; minutes += 15) {
    // Windows begin at any minute: a quarter that is open is looked through from the one before.
    if (!isOpen(windows, first + minutes * MINUTE)) continue;
    for (let at = Math.max(0, minutes - 14); at <= minutes; at++)
      if (isOpen(windows, first + at * MINUTE)) return first + at * MINUTE;
  }
  return undefined;
}
