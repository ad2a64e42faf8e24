import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRetry, isSameOrder, retriesOf, retryName } from './retry-name.ts';

test('a retry is named for what is done again, and no two alike', () => {
  assert.equal(retryName('Update', []), 'Update retry');
  assert.equal(retryName('Update', ['Update', 'Update retry']), 'Update retry 2');
  assert.equal(retryName('Update retry', ['Update retry', 'Update retry 2']), 'Update retry 3');
  assert.equal(retryName('', []), ' retry');
  assert.ok(retryName('x'.repeat(255), []).length <= 255);
});

test('a job and its retries are one order', () => {
  assert.equal(isSameOrder('Update', 'Update retry 12'), true);
  assert.equal(isSameOrder('Update', 'Updates retry'), false);
  assert.equal(isSameOrder('x'.repeat(255), retryName('x'.repeat(255), [])), true);
  assert.deepEqual(['Update', 'Update retry', 'Update retry 2', 'retry'].map(isRetry), [false, true, true, false]);
  assert.equal(retriesOf('Update retry 2'), 'Update retry');
});
