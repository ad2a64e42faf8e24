import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCount } from '#/lib/format.ts';
import { arcsOf, numberOf, keepInside } from './draw-marks.ts';

test('numbers of a ring stay short', () => {
  assert.deepEqual([1, 950, 1918, 9999, 12_345, 999_499, 999_500, 1_234_567].map(numberOf), [
    '1',
    '950',
    formatCount(1918),
    formatCount(9999),
    '12k',
    '999k',
    '1M',
    '1.2M',
  ]);
});

test('a mark is moved into sight as a  keepInside, and one that is outside stays there', () => {
  assert.deepEqual(
    [-20, 0, 5, 20, 50, 95, 100, 120].map((at) => keepInside(at, 20, 100)),
    [20, 20, 20, 20, 50, 80, 80, 80],
  );
  assert.deepEqual(
    [-21, 121].map((at) => keepInside(at, 20, 100)),
    [-21, 121],
  );
  assert.equal(keepInside(10, 20, 30), 10);
});

test('one share is the whole ring, without a gap', () => {
  assert.deepEqual(arcsOf([1], 0.1, 0.2), [[0, 2 * Math.PI]]);
});

test('a share that is next to nothing is still seen, and all of them fit', () => {
  const arcs = arcsOf([0.999, 0.001], 0.1, 0.2);
  const [most, least] = arcs.map(([from, to]) => to - from) as [number, number];
  assert.ok(least > 0.19);
  assert.ok(Math.abs(most + least + 0.2 - 2 * Math.PI) < 1e-9);
  assert.ok(arcs[0]![1] < arcs[1]![0]);
});
