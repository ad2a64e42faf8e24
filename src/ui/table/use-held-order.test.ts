import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heldOrder } from './use-held-order.ts';

test('rows keep their place whatever the new order', () => {
  const shown = ['a', 'b', 'c'];
  assert.equal(heldOrder(shown, ['c', 'a', 'b']), shown);
});

test('new rows go to the end, and removed rows disappear', () => {
  assert.deepEqual(heldOrder(['a', 'b', 'c'], ['new', 'c', 'a']), ['a', 'c', 'new']);
});

test('a row that no longer matches the filter stays while it exists', () => {
  const shown = ['a', 'b', 'c'];
  assert.equal(heldOrder(shown, ['c', 'a'], { exists: (id) => id === 'b' }), shown);
});

test("a row's children are below it, not at the end", () => {
  const parentOf = (id: string) => (id.includes('.') ? id.split('.')[0] : undefined);
  assert.deepEqual(heldOrder(['a', 'b', 'c'], ['a', 'a.2', 'a.1', 'b', 'c'], { parentOf }), [
    'a',
    'a.2',
    'a.1',
    'b',
    'c',
  ]);
  // Another one comes later: those that are there do not move.
  assert.deepEqual(heldOrder(['a', 'a.2', 'a.1', 'b'], ['new', 'b', 'a', 'a.3', 'a.2', 'a.1'], { parentOf }), [
    'a',
    'a.2',
    'a.1',
    'a.3',
    'b',
    'new',
  ]);
});

test('a row that becomes the child of a new one moves below it', () => {
  const parentOf = (id: string) => (id.startsWith('version') ? 'group' : undefined);
  assert.deepEqual(heldOrder(['version 1', 'b'], ['group', 'version 2', 'version 1', 'b'], { parentOf }), [
    'b',
    'group',
    'version 1',
    'version 2',
  ]);
});
