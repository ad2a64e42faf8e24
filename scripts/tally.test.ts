import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sum, tallyOfNode, tallyOfPlaywright } from './tally.ts';

test('counts add up, also none', () => {
  assert.deepEqual(sum([]), { passed: 0, failed: 0 });
  assert.deepEqual(
    sum([
      { passed: 2, failed: 0 },
      { passed: 3, failed: 1 },
    ]),
    { passed: 5, failed: 1 },
  );
});

test('of node:test, whatever did not pass counts as failed: skipped, cancelled and todo too', () => {
  assert.deepEqual(tallyOfNode({ tests: 10, passed: 5 }), { passed: 5, failed: 5 });
});

test('of Playwright, flaky and skipped tests and errors outside of tests count as failed', () => {
  const stats = { expected: 7, unexpected: 1, flaky: 1, skipped: 2 };
  assert.deepEqual(tallyOfPlaywright({ stats, errors: [] }), { passed: 7, failed: 4 });
  assert.deepEqual(tallyOfPlaywright({ stats, errors: [{ message: 'x' }] }), { passed: 7, failed: 5 });
});
