import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indexAt, spanOf, stacked } from './chart-data.ts';

test('series are stacked in their order, and what is unknown stays unknown', () => {
  const series = [
    { label: 'a', color: 'ok' as const, values: [1, 2, null] },
    { label: 'b', color: 'failed' as const, values: [3, 0, null] },
  ];
  assert.deepEqual(stacked(series), [
    [1, 2, null],
    [4, 2, null],
  ]);
});

test('a place on the axis belongs to the bucket that has begun', () => {
  const xs = [0, 10, 20];
  assert.deepEqual(
    [-5, 0, 9, 10, 25].map((x) => indexAt(xs, x)),
    [0, 0, 0, 1, 2],
  );
  assert.equal(indexAt([], 5), 0);
});

test('a selection covers both of its buckets, in whichever direction it was made', () => {
  assert.deepEqual(spanOf([0, 10, 20], 10, 2, 1), { from: 10, to: 30 });
  assert.equal(spanOf([], 10, 0, 0), undefined);
});
