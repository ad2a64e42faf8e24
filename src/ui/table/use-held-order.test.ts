import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heldOrder } from './use-held-order.ts';

test('rows stay where they are, in whatever order they would be', () => {
  const shown = ['a', 'b', 'c'];
  assert.equal(heldOrder(shown, ['c', 'a', 'b']), shown);
});

test('new rows are at the end, and those that are gone are gone', () => {
  assert.deepEqual(heldOrder(['a', 'b', 'c'], ['new', 'c', 'a']), ['a', 'c', 'new']);
});

test('a row that no filter matches any more stays as long as it exists', () => {
  const shown = ['a', 'b', 'c'];
  assert.equal(heldOrder(shown, ['c', 'a'], { exists: (id) => id === 'b' }), shown);
});

test('what a row opens is below it, and not below the last row', () => {
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

test('a row that becomes part of a new one moves below that', () => {
  const parentOf = (id: string) => (id.startsWith('version') ? 'group' : undefined);
  assert.deepEqual(heldOrder(['version 1', 'b'], ['group', 'version 2', 'version 1', 'b'], { parentOf }), [
    'b',
    'group',
    'version 1',
    'version 2',
  ]);
});
