import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeText, dayBefore, failuresOfDays, fleetSeries, jobDays } from './series.ts';

const HOUR = 3_600_000;
const NOW = Date.parse('2026-03-20T12:00:00Z');
const From = '2026-03-20T08:00:00Z';
const counts = { From, Step: 3600, Jobs: [] };

test('a new account begins with its first device', () => {
  const series = fleetSeries({ ...counts, Online: [0, 0, 1, 2], Offline: [0, 0, 1, 0], Unknown: [0, 0, 0, 0] });
  assert.deepEqual(series.online, [1, 2]);
  assert.deepEqual(series.offline, [1, 0]);
  assert.equal(series.since, Date.parse(From) + 2 * HOUR);
  const none = fleetSeries({ ...counts, Online: [0, 0], Offline: [0, 0], Unknown: [0, 0] });
  assert.deepEqual([none.x, none.since], [[], undefined]);
  const first = fleetSeries({ ...counts, Online: [0, 0], Offline: [0, 0], Unknown: [0, 0] }, { online: 2, offline: 1 });
  assert.deepEqual([first.online, first.offline, first.since], [[2], [1], Date.parse(From) + HOUR]);
});

test('what is unknown has no value, and neighbours are one span', () => {
  const series = fleetSeries({ ...counts, Online: [2, 0, 0, 2], Offline: [0, 0, 0, 0], Unknown: [0, 2, 2, 0] });
  assert.deepEqual(series.online, [2, null, null, 2]);
  const from = Date.parse(From) + HOUR;
  assert.deepEqual(series.unknown, [{ from, to: from + 2 * HOUR }]);
});

test('the value of a day before is the one that held then', () => {
  const x = Array.from({ length: 31 }, (_, hour) => NOW - (30 - hour) * HOUR);
  const online = x.map((_, index) => index);
  assert.equal(dayBefore({ x, online }), 6);
  assert.equal(dayBefore({ x: x.slice(10), online: online.slice(10) }), undefined);
});

test('jobs are summed up by day, from the first day that the account knows', () => {
  const Jobs = [
    { Time: '2026-03-18T23:00:00Z', Succeeded: 1, Failed: 2, Other: 0 },
    { Time: '2026-03-20T00:00:00Z', Succeeded: 4, Failed: 0, Other: 1 },
    { Time: '2026-03-20T11:00:00Z', Succeeded: 1, Failed: 0, Other: 0 },
  ];
  const of = (since: number | undefined) => jobDays({ Jobs }, { now: NOW, zone: 'utc', days: 14, since });
  const all = of(undefined);
  assert.equal(all.x.length, 14);
  assert.deepEqual(all.succeeded.slice(-3), [1, 0, 5]);
  assert.deepEqual(all.failed.slice(-3), [2, 0, 0]);
  assert.equal(of(Date.parse('2026-03-19T05:00:00Z')).x.length, 2);
  assert.deepEqual(failuresOfDays({ Jobs }, NOW), { last: 0, before: 2 });
});

test('a change is a difference in words', () => {
  assert.equal(changeText(5, 2, String), '3 more than yesterday');
  assert.equal(changeText(1, 2, String), '1 fewer than yesterday');
  assert.equal(changeText(2, 2, String), 'same as yesterday');
});
