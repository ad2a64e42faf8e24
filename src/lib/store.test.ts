import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStore } from './store.ts';

test('listeners are called only for a different value, and not after they have unsubscribed', () => {
  const store = createStore('a');
  const received: string[] = [];
  const leave = store.subscribe(() => received.push(store.get()));
  for (const value of ['a', 'b', 'b', 'c']) store.set(value);
  leave();
  store.set('d');
  assert.deepEqual(received, ['b', 'c']);
  assert.equal(store.get(), 'd');
});
