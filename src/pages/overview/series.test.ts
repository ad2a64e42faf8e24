import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayBefore, fleetChangeText, fleetSeries, jobDays, jobsOfDays } from './series.ts';

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

test('the fleet of a day before is the one that was then', () => {
  const x = Array.from({ length: 31 }, (_, hour) => NOW - (30 - hour) * HOUR);
  const online = x.map((_, index) => index);
  const offline = x.map(() => 3);
  assert.deepEqual(dayBefore({ x, online, offline }), { online: 6, offline: 3 });
  const short = { x: x.slice(10), online: online.slice(10), offline: offline.slice(10) };
  assert.equal(dayBefore(short), undefined);
  assert.equal(dayBefore({ x, online: online.map(() => null), offline }), undefined, 'the service was down');
});

test('what is different from yesterday, and nothing else, is in words', () => {
  const text = (online: number, offline: number) =>
    fleetChangeText({ online, offline }, { online: 5, offline: 2 }, String);
  assert.equal(text(2, 5), 'Since yesterday: 3 fewer online, 3 more offline');
  assert.equal(text(6, 2), 'Since yesterday: 1 more online, 1 more device');
  assert.equal(text(5, 0), 'Since yesterday: 2 fewer offline, 2 fewer devices');
  assert.equal(text(5, 2), 'Same as yesterday');
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
});

test('the jobs of yesterday are compared only if the account was there', () => {
  const Jobs = [
    { Time: '2026-03-18T23:00:00Z', Succeeded: 1, Failed: 2, Other: 0 },
    { Time: '2026-03-20T00:00:00Z', Succeeded: 4, Failed: 0, Other: 1 },
  ];
  const failed = (since: number | undefined) => jobsOfDays({ Jobs }, { now: NOW, since, of: ({ Failed }) => Failed });
  assert.deepEqual(failed(undefined), { last: 0, before: 2 });
  assert.deepEqual(failed(NOW - 48 * HOUR), { last: 0, before: 2 });
  assert.deepEqual(failed(NOW - 47 * HOUR), { last: 0, before: undefined });
});
