import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayBefore, daysLeft, usageFigures, forecastText } from './usage-history.ts';

const DAY = 86_400_000;
const line = (days: number, perDay: number, from = 0) =>
  Array.from({ length: days + 1 }, (_, day) => ({ at: day * DAY, value: from + day * perDay }));

test('a forecast needs several points over several days', () => {
  assert.equal(daysLeft([], 100), undefined);
  assert.equal(daysLeft(line(3, 5), 100), undefined);
  assert.equal(
    daysLeft(
      line(8, 5).map(({ at, value }) => ({ at: at / 10, value })),
      100,
    ),
    undefined,
  );
  assert.equal(daysLeft(line(10, 5), 100), 10);
  assert.equal(forecastText(undefined), undefined);
});

test('without growth the limit is not reached, and at the limit nothing is left', () => {
  assert.equal(daysLeft(line(10, 0, 5), 100), Infinity);
  assert.equal(daysLeft(line(10, -3, 90), 100), Infinity);
  assert.equal(daysLeft(line(10, 0.001), 100), Infinity);
  assert.equal(daysLeft(line(10, 10), 100), 0);
  assert.equal(daysLeft(line(10, 10), 101), 1);
  assert.deepEqual([0, 1, 30].map(forecastText), [
    'Used up',
    'Enough for about a day at this pace',
    'Enough for about 30 days at this pace',
  ]);
});

test('days, newest first, become figures, oldest first', () => {
  const day = (Day: string, Devices: number) => ({ Day, Devices, ArtifactBytes: 10 * Devices, OutputBytes: 0 });
  const days = [day('2026-03-02', 3), day('2026-03-01', 2)];
  const at = Date.UTC(2026, 2, 1);
  assert.deepEqual(usageFigures(days, 'Devices'), [
    { at, value: 2 },
    { at: at + DAY, value: 3 },
  ]);
  assert.deepEqual(
    usageFigures(days, 'ArtifactBytes').map(({ value }) => value),
    [20, 30],
  );
});

test('the figure of yesterday is known only if it was measured then', () => {
  assert.equal(dayBefore(line(3, 5)), 10);
  assert.equal(dayBefore(line(0, 5)), undefined);
  assert.equal(dayBefore([...line(3, 5), { at: 5 * DAY, value: 20 }]), undefined);
});
