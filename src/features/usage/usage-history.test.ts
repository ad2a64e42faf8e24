// What is stored of usage, and that a forecast claims no more than it knows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daysLeft, forecastText, printUsage, readUsage, withPoint, type UsagePoint } from './usage-history.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const line = (days: number, perDay: number, from = 0) =>
  Array.from({ length: days + 1 }, (_, day) => ({ at: day * DAY, value: from + day * perDay }));

test('a forecast needs some points over some days', () => {
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
  assert.equal(forecastText(undefined), undefined, 'nothing is said of what is not known');
});

test('no growth, slow growth, none left', () => {
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

test('points no more than six hours apart, the latest one always; a clock set back', () => {
  let points: UsagePoint[] = [];
  for (let hour = 0; hour <= 24; hour++)
    points = withPoint(points, { at: hour * HOUR, devices: hour, bytes: undefined });
  assert.deepEqual(
    points.map(({ at }) => at / HOUR),
    [0, 5, 10, 15, 20, 24],
  );
  assert.deepEqual(
    withPoint(points, { at: 7 * HOUR, devices: 1, bytes: 2 }).map(({ at }) => at / HOUR),
    [0, 5, 7],
  );
});

test('what is stored is read again; anything else is left out', () => {
  const points = [
    { at: 1, devices: 2, bytes: 3 },
    { at: 2, devices: 2, bytes: undefined },
  ];
  assert.deepEqual(readUsage(printUsage(points)), points);
  assert.deepEqual(readUsage('[[1,2,3],["x"],null,[1],{}]'), points.slice(0, 1));
  for (const text of ['null', '{}', '7']) assert.deepEqual(readUsage(text), []);
});
