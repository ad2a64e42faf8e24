// Maintenance windows: days and local times in a time zone, which follow daylight saving time.
import type { RolloutWindow } from '#/contract/rollouts.ts';

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** How far to search: a weekly window that daylight saving time skips opens the week after. */
const SEARCH_AHEAD = 15 * DAY;
/** The span for which the offsets of a zone are computed at a time. */
const COMPUTED_AHEAD = SEARCH_AHEAD + 30 * DAY;
/** No zone changes its offset twice within this time. */
const SAMPLE = DAY / 4;
const MAX_ZONES = 1_000;

/** A span in which the offset of a zone is constant: local time is `at + offset`, read as UTC. */
interface Segment {
  begin: number;
  end: number;
  offset: number;
}
interface ZoneRule {
  segments: Segment[];
  begin: number;
  end: number;
}

const zones = new Map<string, ZoneRule>();

/** The segments of a zone that cover `at` and the search for the next opening. */
function segmentsOf(zone: string, at: number): Segment[] {
  const known = zones.get(zone);
  if (known && at >= known.begin && at + SEARCH_AHEAD <= known.end) return known.segments;
  const begin = Math.floor(at / DAY) * DAY;
  const segments = readSegments(zone, begin, begin + COMPUTED_AHEAD);
  if (zones.size >= MAX_ZONES) zones.clear();
  zones.set(zone, { segments, begin, end: begin + COMPUTED_AHEAD });
  return segments;
}

function readSegments(zone: string, begin: number, end: number): Segment[] {
  const offsetAt = offsetsOf(zone);
  const segments: Segment[] = [];
  let open = { begin, end, offset: offsetAt(begin) };
  for (let from = begin; from < end; from += SAMPLE) {
    const to = from + SAMPLE;
    const offset = offsetAt(to);
    if (offset === open.offset) continue;
    // Finds the full minute of the change by bisection.
    let [before, after] = [from, to];
    while (after - before > MINUTE) {
      const middle = before + Math.floor((after - before) / MINUTE / 2) * MINUTE;
      if (offsetAt(middle) === open.offset) before = middle;
      else after = middle;
    }
    segments.push({ ...open, end: after });
    open = { begin: after, end, offset };
  }
  segments.push(open);
  return segments;
}

/** Milliseconds that local time is ahead of UTC, by the zone data of Node.js. */
export function offsetsOf(zone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (at) => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
    return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second')) - at;
  };
}

const timeOf = (text: string): number => (Number(text.slice(0, 2)) * 60 + Number(text.slice(3))) * MINUTE;
/** Whether a window opens on this day since the epoch, whose first day was a Thursday. */
const isOn = ({ Days }: RolloutWindow, day: number): boolean =>
  Days.some((name) => name === DAYS[(((day + 3) % 7) + 7) % 7]);

/** When a window next opens, to the minute, or `first` itself if it is open then. */
function openingOf(window: RolloutWindow, first: number, most: number): number | undefined {
  const [from, to] = [timeOf(window.From), timeOf(window.To)];
  // A window may extend to the next day; equal times mean a full day.
  const length = from < to ? to - from : to - from + DAY;
  for (const { begin, end, offset } of segmentsOf(window.Zone, first)) {
    const [least, last] = [Math.max(begin, first), Math.min(end, most)];
    if (least >= last) continue;
    // The previous day's window may still be open.
    for (let day = Math.floor((least + offset) / DAY) - 1; day * DAY < last + offset; day++) {
      if (!isOn(window, day)) continue;
      const opens = day * DAY + from - offset;
      const at = Math.ceil(Math.max(opens, least) / MINUTE) * MINUTE;
      if (at < Math.min(opens + length, last)) return at;
    }
  }
  return undefined;
}

/** Whether a wave may start, which is always the case without windows. */
export function isOpen(windows: readonly RolloutWindow[], at: number): boolean {
  const minute = Math.floor(at / MINUTE) * MINUTE;
  return windows.length === 0 || windows.some((window) => openingOf(window, minute, minute + 1) !== undefined);
}

/** When a window next opens, to the minute; undefined if none does within two weeks. */
export function nextOpening(windows: readonly RolloutWindow[], now: number): number | undefined {
  const first = Math.ceil(now / MINUTE) * MINUTE;
  if (windows.length === 0) return first;
  let next: number | undefined;
  for (const window of windows) next = openingOf(window, first, next ?? first + SEARCH_AHEAD) ?? next;
  return next;
}
