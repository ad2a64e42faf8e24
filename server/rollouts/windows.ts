// Maintenance windows: days and times of the clock on the wall in their zone, so that daylight time moves them.
import type { RolloutWindow } from '#/contract/rollouts.ts';

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** A weekly window that daylight time skips opens the week after. */
const AHEAD = 15 * DAY;
/** How far the offsets of a zone are read at once. */
const READ = AHEAD + 30 * DAY;
/** No zone changes its offset twice in such a time. */
const SAMPLE = DAY / 4;
const MOST_ZONES = 1_000;

/** A span in which a zone has the same offset: the wall shows `at + offset`, read as UTC. */
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

/** The spans of a zone that cover `at` and what is searched for the next opening. */
function segmentsOf(zone: string, at: number): Segment[] {
  const known = zones.get(zone);
  if (known && at >= known.begin && at + AHEAD <= known.end) return known.segments;
  const begin = Math.floor(at / DAY) * DAY;
  const segments = readSegments(zone, begin, begin + READ);
  if (zones.size >= MOST_ZONES) zones.clear();
  zones.set(zone, { segments, begin, end: begin + READ });
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
    // The change is in between, at a full minute.
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

function offsetsOf(zone: string): (at: number) => number {
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
/** The first day of the epoch was a Thursday. */
const isOn = ({ Days }: RolloutWindow, day: number): boolean =>
  Days.some((name) => name === DAYS[(((day + 3) % 7) + 7) % 7]);

/** When a window opens next, to the minute, or `first` itself if it is open then. */
function openingOf(window: RolloutWindow, first: number, most: number): number | undefined {
  const [from, to] = [timeOf(window.From), timeOf(window.To)];
  // Until the next day; the same time twice is a whole day.
  const length = from < to ? to - from : to - from + DAY;
  for (const { begin, end, offset } of segmentsOf(window.Zone, first)) {
    const [least, last] = [Math.max(begin, first), Math.min(end, most)];
    if (least >= last) continue;
    // The window of the day before may still be open.
    for (let day = Math.floor((least + offset) / DAY) - 1; day * DAY < last + offset; day++) {
      if (!isOn(window, day)) continue;
      const opens = day * DAY + from - offset;
      const at = Math.ceil(Math.max(opens, least) / MINUTE) * MINUTE;
      if (at < Math.min(opens + length, last)) return at;
    }
  }
  return undefined;
}

/** Whether a wave may begin; always without windows. */
export function isOpen(windows: readonly RolloutWindow[], at: number): boolean {
  const minute = Math.floor(at / MINUTE) * MINUTE;
  return windows.length === 0 || windows.some((window) => openingOf(window, minute, minute + 1) !== undefined);
}

/** When a window opens next, to the minute; undefined if none does within two weeks. */
export function nextOpening(windows: readonly RolloutWindow[], now: number): number | undefined {
  const first = Math.ceil(now / MINUTE) * MINUTE;
  if (windows.length === 0) return first;
  let next: number | undefined;
  for (const window of windows) next = openingOf(window, first, next ?? first + AHEAD) ?? next;
  return next;
}
