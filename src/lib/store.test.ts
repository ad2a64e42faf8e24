import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStore } from './store.ts';

test('listeners are called for another value only, and not after they left', () => {
  const store = createStore('a');
  const heard: string[] = [];
  const leave = store.subscribe(() => heard.push(store.get()));
  for (const value of ['a', 'b', 'b', 'c']) store.set(value);
  leave();
  store.set('d');
  assert.deepEqual(heard, ['b', 'c']);
  assert.equal(store.get(), 'd');
});
