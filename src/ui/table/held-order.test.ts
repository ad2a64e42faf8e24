import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heldOrder } from './held-order.ts';

test('rows stay where they are, in whatever order they would be', () => {
  const shown = ['a', 'b', 'c'];
  assert.equal(heldOrder(shown, ['c', 'a', 'b']), shown);
});

test('new rows are at the end, and those that are gone are gone', () => {
  assert.deepEqual(heldOrder(['a', 'b', 'c'], ['new', 'c', 'a']), ['a', 'c', 'new']);
});

test('a row that no filter matches any more stays as long as it exists', () => {
  const shown = ['a', 'b', 'c'];
  assert.equal(
    heldOrder(shown, ['c', 'a'], (id) => id === 'b'),
    shown,
  );
});
