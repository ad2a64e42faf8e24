// Maintenance windows: days and times of the clock on the wall in their zone, so that a change to summer time moves them.
import type { RolloutWindow } from '#/contract/rollouts.ts';

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
const MINUTE = 60_000;
/** Zones change their clocks between two of these. */
const STEP = 30;
/** Far enough to find the next opening of any window. */
const STEPS = (8 * 24 * 60) / STEP;

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

function isInside({ Days, From, To }: RolloutWindow, day: number, minute: number): boolean {
  const [from, to] = [minuteOf(From), minuteOf(To)];
  const on = (which: number) => Days.some((name) => name === DAYS[(which + 7) % 7]);
  if (from < to) return on(day) && minute >= from && minute < to;
  // Until the next day; the same time twice is a whole day.
  return (on(day) && minute >= from) || (on(day - 1) && minute < to);
}

function isInsideAt(window: RolloutWindow, at: number): boolean {
  const { day, minute } = wallClock(window.Zone, at);
  return isInside(window, day, minute);
}

/** Whether a wave may begin; always without windows. */
export const isOpen = (windows: readonly RolloutWindow[], at: number): boolean =>
  windows.length === 0 || windows.some((window) => isInsideAt(window, at));

/** When a window opens next, to the minute; undefined if none does within a week. */
export function nextOpening(windows: readonly RolloutWindow[], now: number): number | undefined {
  const first = Math.ceil(now / (STEP * MINUTE)) * STEP * MINUTE;
  for (let at = Math.ceil(now / MINUTE) * MINUTE; at < first; at += MINUTE) if (isOpen(windows, at)) return at;
  for (let step = 0; step < STEPS; step++) {
    const begin = first + step * STEP * MINUTE;
    const clocks = windows.map((window) => ({ window, ...wallClock(window.Zone, begin) }));
    for (let more = 0; more < STEP; more++)
      if (
        clocks.some(({ window, day, minute }) =>
          isInside(window, day + Math.floor((minute + more) / 1440), (minute + more) % 1440),
        )
      )
        return begin + more * MINUTE;
  }
  return undefined;
}
