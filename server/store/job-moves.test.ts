// The status of a parent job, computed from its children.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rollUp, summaryOf } from './job-moves.ts';
import type { Counts } from './job-moves.ts';

const counts = (some: Partial<Counts>): Counts => ({
  Waiting: 0,
  Running: 0,
  Succeeded: 0,
  Failed: 0,
  Cancelled: 0,
  Interrupted: 0,
  ...some,
});

test('a parent waits with its children, runs until the last has ended, then is as good as the worst', () => {
  assert.equal(rollUp(counts({ Waiting: 3 })), 'Waiting');
  // A child that was cancelled before its start does not count as started.
  assert.equal(rollUp(counts({ Waiting: 2, Cancelled: 1 })), 'Waiting');
  assert.equal(rollUp(counts({ Waiting: 2, Running: 1 })), 'Running');
  assert.equal(rollUp(counts({ Waiting: 2, Succeeded: 1 })), 'Running');
  assert.equal(rollUp(counts({ Succeeded: 3 })), 'Succeeded');
  assert.equal(rollUp(counts({ Succeeded: 3, Cancelled: 1 })), 'Cancelled');
  assert.equal(rollUp(counts({ Succeeded: 3, Cancelled: 1, Interrupted: 1 })), 'Interrupted');
  assert.equal(rollUp(counts({ Succeeded: 3, Interrupted: 1, Failed: 1 })), 'Failed');
});

test('its summary is one line', () => {
  assert.equal(summaryOf(counts({ Succeeded: 200 })), '200 of 200 succeeded');
  assert.equal(
    summaryOf(counts({ Succeeded: 197, Failed: 1, Interrupted: 2 })),
    '197 of 200 succeeded, 1 failed, 2 interrupted',
  );
});
