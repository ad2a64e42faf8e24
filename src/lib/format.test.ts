import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAge, formatDuration } from './format.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const now = new Date('2026-11-23T12:00:00Z');
const after = (ms: number) => formatAge(new Date(now.getTime() + ms), now);

test('the future is rounded to the nearest unit, so that eight hours are still eight a moment later', () => {
  assert.equal(after(8 * HOUR), 'in 8h');
  assert.equal(after(8 * HOUR - 10_000), 'in 8h');
  assert.equal(after(7 * HOUR + 20 * MINUTE), 'in 7h');
  assert.equal(after(HOUR - 10_000), 'in 1h');
  assert.equal(after(50 * MINUTE), 'in 50m');
  assert.equal(after(59_000), 'in 59s');
});

test('the past is rounded down', () => {
  assert.equal(after(-(8 * HOUR - 10_000)), '7h ago');
  assert.equal(after(-(HOUR - 10_000)), '59m ago');
  assert.equal(after(-4000), 'now');
});

test('a rough duration has no parts of seconds, and none that is there is nothing', () => {
  assert.deepEqual(
    [0, 80, 1_900, 59_900, 61_000].map((ms) => formatDuration(ms, 'rough')),
    ['0 s', '1 s', '1 s', '59 s', '1 min'],
  );
  assert.equal(formatDuration(80), '0.1 s');
});
