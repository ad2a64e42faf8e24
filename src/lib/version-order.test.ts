import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareVersions } from './version-order.ts';

const sorted = (versions: string[]) => versions.toSorted(compareVersions);

test('numbers count as numbers', () => {
  assert.deepEqual(sorted(['1.10', '1.9', 'v1.2', '1.9.1']), ['v1.2', '1.9', '1.9.1', '1.10']);
  assert.deepEqual(sorted(['2026.11', '2026.2']), ['2026.2', '2026.11']);
});

test('candidates come before their release, and revisions after it', () => {
  assert.deepEqual(sorted(['2.0', '2.0-rc.10', '2.0-rc.2', '2.0-1', '2.0b1']), [
    '2.0-rc.2',
    '2.0-rc.10',
    '2.0b1',
    '2.0',
    '2.0-1',
  ]);
});

test('versions without a number have an order too', () => {
  assert.deepEqual(sorted(['nightly', 'edge']), ['edge', 'nightly']);
});
