import assert from 'node:assert/strict';
import { test } from 'node:test';
import { job } from '#/contract/jobs.ts';
import { atOnce } from '#/lib/pace.ts';
import { leftText, timeLeft } from './time-left.ts';

const start = Date.parse('2026-11-02T10:00:00Z');
const at = (seconds: number) => new Date(start + seconds * 1000).toISOString();
const ended = (from: number, to: number) => job.parse({ Status: 'Succeeded', StartTime: at(from), EndTime: at(to) });
const running = (from: number) => job.parse({ Status: 'Running', StartTime: at(from), EndTime: '' });
const waiting = (DeviceId: string) => job.parse({ Status: 'Waiting', DeviceId, StartTime: '', EndTime: '' });
const left = (seconds: number, ...children: ReturnType<typeof ended>[]) =>
  atOnce(
    timeLeft(children, new Date(start + seconds * 1000), children.filter(({ DeviceId }) => DeviceId === 'away').length),
  );

test('the pace of finished devices predicts the remaining ones, except Offline devices', () => {
  const done = Array.from({ length: 10 }, (_, n) => ended(n * 6, n * 6 + 6));
  assert.equal(left(60, ...done, waiting('a'), waiting('b'), running(58), waiting('away')), 3 * 5400);
  assert.equal(left(60, ...done, waiting('away')), undefined);
  assert.equal(left(60, ...done), undefined);
});

test('devices that finished before a pause belong to another run: before a retry, or a day ago', () => {
  const day = 86_400;
  const yesterday = Array.from({ length: 700 }, (_, n) => ended(n, n + 5));
  const today = Array.from({ length: 10 }, (_, n) => ended(day + n * 6, day + n * 6 + 6));
  const rest = [running(day + 58), ...Array.from({ length: 289 }, (_, n) => waiting(`back-${n}`))];
  assert.equal(left(day + 60, ...yesterday, ...today.slice(0, 4), ...rest), undefined);
  assert.equal(left(day + 60, ...yesterday, ...today, ...rest), 290 * 5400);
});

test('there is no estimate while nothing runs', () => {
  const done = Array.from({ length: 8 }, (_, n) => ended(n, n + 1));
  assert.equal(left(9, ...done, waiting('a'), waiting('b')), undefined);
  const many = Array.from({ length: 700 }, (_, n) => ended(n, n + 1));
  assert.equal(left(702, ...many, ...Array.from({ length: 300 }, (_, n) => waiting(`${n}`))), undefined);
});

test('too few devices, a burst, or a stalled job give no estimate', () => {
  const done = Array.from({ length: 10 }, (_, n) => ended(n * 6, n * 6 + 6));
  assert.equal(left(60, ...done.slice(0, 4), waiting('a'), running(57)), undefined);
  assert.equal(left(1, ...Array.from({ length: 9 }, () => ended(0, 1)), waiting('a'), running(0)), undefined);
  assert.equal(left(600, ...done, waiting('a'), running(59)), undefined);
});

test('the last running devices are judged by the usual duration', () => {
  const done = Array.from({ length: 6 }, () => ended(0, 100));
  assert.equal(left(130, ...done, running(100), running(90)), 70_000);
  assert.equal(left(300, ...done, running(100)), undefined);
  assert.deepEqual([30_000, 61_000, 100 * 60_000, 3 * 86_400_000].map(leftText), [
    'less than a minute',
    'about 2 minutes',
    'about 2 hours',
    'about 3 days',
  ]);
});
