import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indexAt, labelsAt, spanOf, stacked, wholeLabels } from './chart-data.ts';

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

test('a label that the right edge would cut off is left out, in 12 hours sooner than in 24', () => {
  const plot = { from: 0, to: 100, width: 400 };
  const within = (pixels: number) => wholeLabels([0, 50, 95, 100], plot, () => pixels);
  assert.deepEqual(within(16), [0, 50, 95, 100]);
  assert.deepEqual(within(30), [0, 50, 95]);
  assert.deepEqual(within(58), [0, 50]);
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

test('the labels of a time axis are at round times of the zone', () => {
  const HOUR = 3_600_000;
  const begin = Date.parse('2026-03-20T07:15:00Z');
  const xs = Array.from({ length: 24 * 12 }, (_, index) => begin + index * 300_000);
  const at = (labels: number[]) => labels.map((time) => new Date(time).toISOString().slice(11, 16));
  assert.deepEqual(at(labelsAt(xs, 300_000, { most: 4 })), ['12:00', '18:00', '00:00', '06:00']);
  assert.deepEqual(at(labelsAt(xs, 300_000, { most: 4, offset: -2 * HOUR })), ['10:00', '16:00', '22:00', '04:00']);
  assert.deepEqual(at(labelsAt(xs.slice(0, 1), 300_000, { most: 4 })), ['07:15']);
});

test('other axes are labelled at every so many buckets', () => {
  assert.deepEqual(labelsAt([0, 10, 20, 30, 40], 10, { most: 3 }), [0, 20, 40]);
});
