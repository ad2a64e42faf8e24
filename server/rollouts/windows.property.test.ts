// The next opening is computed; the reference looks at the clock on the wall minute by minute.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { RolloutWindow } from '#/contract/rollouts.ts';
import { holds } from '../../scripts/test-property.ts';
import { isOpen, nextOpening } from './windows.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

const formats = new Map<string, Intl.DateTimeFormat>();
function wallClock(zone: string, at: number): { day: number; minute: number } {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
  formats.set(zone, format);
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
  return (on(day) && minute >= from) || (on(day - 1) && minute < to);
}

/** The first minute at which one is open, up to `until`. */
function scan(windows: readonly RolloutWindow[], now: number, until: number): number | undefined {
  for (let at = Math.ceil(now / MINUTE) * MINUTE; at < until; at += MINUTE)
    if (windows.some((window) => isInside(window, at))) return at;
  return undefined;
}

/** When clocks change in these zones, within a minute, in 2026. */
const CHANGES: [zone: string, at: string][] = [
  ['Europe/Berlin', '2026-03-29T01:00Z'],
  ['Europe/Berlin', '2026-10-25T01:00Z'],
  ['America/New_York', '2026-03-08T07:00Z'],
  ['America/New_York', '2026-11-01T06:00Z'],
  ['America/Santiago', '2026-04-05T03:00Z'],
  ['America/Santiago', '2026-09-06T04:00Z'],
  ['Australia/Lord_Howe', '2026-04-04T15:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T15:30Z'],
  ['Pacific/Chatham', '2026-04-04T14:00Z'],
  ['Pacific/Chatham', '2026-09-26T14:00Z'],
  ['Africa/Casablanca', '2026-02-15T02:00Z'],
  ['Africa/Casablanca', '2026-03-22T02:00Z'],
  ['Antarctica/Troll', '2026-03-29T01:00Z'],
  ['Pacific/Apia', '2011-12-30T10:00Z'],
  ['Asia/Kathmandu', '2026-07-01T00:00Z'],
  ['UTC', '2026-12-31T23:59Z'],
];
const minuteOfDay = fc.oneof(fc.nat(1439), fc.constantFrom(0, 30, 60, 90, 120, 150, 180, 1439));
const clockTime = minuteOfDay.map(
  (minute) => `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`,
);
const days = fc.subarray([...DAYS], { minLength: 1 });

const cases = fc.constantFrom(...CHANGES).chain(([zone, change]) =>
  fc.record({
    zone: fc.constant(zone),
    now: fc
      .oneof(fc.integer({ min: -2 * DAY, max: 2 * DAY }), fc.integer({ min: -3 * 60 * MINUTE, max: 3 * 60 * MINUTE }))
      .map((by) => Date.parse(change) + by),
    windows: fc.array(
      fc.record({
        Days: days,
        From: clockTime,
        To: clockTime,
        Zone: fc.oneof(
          { weight: 3, arbitrary: fc.constant(zone) },
          fc.constantFrom(...CHANGES).map(([other]) => other),
        ),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  }),
);

test('the next opening is the first open minute, also where clocks change', async () => {
  await holds(
    300,
    fc.property(cases, ({ windows, now }) => {
      const next = nextOpening(windows, now);
      assert.equal(
        isOpen(windows, now),
        windows.some((window) => isInside(window, now)),
      );
      assert.equal(next, scan(windows, now, (next ?? now + 8 * DAY) + MINUTE));
      if (next !== undefined) assert.ok(isOpen(windows, next));
    }),
  );
});

const at = Date.parse;
const berlin = (Days: RolloutWindow['Days'], From: string, To: string): RolloutWindow[] => [
  { Days, From, To, Zone: 'Europe/Berlin' },
];

test('a window that begins in a skipped hour opens when that hour is over', () => {
  // Clocks go from 2:00 to 3:00 on the 29th of March.
  assert.equal(nextOpening(berlin(['Sun'], '02:30', '04:00'), at('2026-03-28T12:00Z')), at('2026-03-29T01:00Z'));
});

test('a window that is skipped whole opens the week after', () => {
  assert.equal(nextOpening(berlin(['Sun'], '02:10', '02:50'), at('2026-03-28T12:00Z')), at('2026-04-05T00:10Z'));
});

test('a window in a repeated hour opens twice', () => {
  // Clocks go from 3:00 back to 2:00 on the 25th of October.
  const windows = berlin(['Sun'], '02:10', '02:50');
  assert.equal(nextOpening(windows, at('2026-10-24T12:00Z')), at('2026-10-25T00:10Z'));
  assert.equal(nextOpening(windows, at('2026-10-25T00:50Z')), at('2026-10-25T01:10Z'));
  assert.equal(nextOpening(windows, at('2026-10-25T01:50Z')), at('2026-11-01T01:10Z'));
});
