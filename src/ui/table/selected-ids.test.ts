import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SelectedIds, rangeBetween } from './selected-ids.ts';

test('each change calls back once', () => {
  const selected = new SelectedIds();
  let calls = 0;
  const stop = selected.subscribe(() => calls++);
  selected.toggle('a');
  selected.add(['b', 'c']);
  selected.toggle('b');
  assert.deepEqual([...selected.get()], ['a', 'c']);
  assert.equal(calls, 3);
  selected.set(['c', 'a']);
  selected.add(['a']);
  selected.remove(['not there']);
  assert.equal(calls, 3, 'the same ids are no change');
  const before = selected.get();
  assert.equal(selected.get(), before, 'the same set while nothing changes');
  selected.clear();
  assert.equal(selected.get().size, 0);
  assert.equal(before.size, 2, 'a set that was handed out stays as it was');
  stop();
  selected.add(['d']);
  assert.equal(calls, 4);
});

test('a range goes both ways and starts over if its first row is not shown', () => {
  const ids = ['a', 'b', 'c', 'd'];
  assert.deepEqual(rangeBetween(ids, 'b', 'd'), ['b', 'c', 'd']);
  assert.deepEqual(rangeBetween(ids, 'd', 'b'), ['b', 'c', 'd']);
  assert.deepEqual(rangeBetween(ids, 'on another page', 'c'), ['c']);
  assert.deepEqual(rangeBetween(ids, undefined, 'c'), ['c']);
  assert.deepEqual(rangeBetween(ids, 'a', 'gone'), []);
});
