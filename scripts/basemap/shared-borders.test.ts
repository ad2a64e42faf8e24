import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Line } from './geometry.ts';
import { sharedBorders } from './shared-borders.ts';

const west: Line = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
  [0, 0],
];

function height(lines: Line[]): number {
  return lines
    .flatMap((line) => line.slice(1).map((p, i) => Math.abs(p[1] - (line[i]?.[1] ?? 0))))
    .reduce((a, b) => a + b, 0);
}

test('a border between two provinces is found once, the coast is not', () => {
  const east: Line = [
    [1, 0],
    [2, 0],
    [2, 1],
    [1, 1],
    [1, 0],
  ];
  const borders = sharedBorders([[west], [east]], 0.01);
  assert.equal(borders.length, 1);
  assert.ok(borders.flat().every(([x]) => Math.abs(x - 1) < 1e-9));
  assert.ok(Math.abs(height(borders) - 1) < 1e-9);
});

test('two sides that differ a little are still one border without gaps', () => {
  const east: Line = [
    [1, 0],
    [2, 0],
    [2, 1],
    [1, 1],
    [1.006, 0.7],
    [0.995, 0.4],
    [1, 0],
  ];
  const borders = sharedBorders([[west], [east]], 0.012);
  assert.equal(borders.length, 1);
  assert.ok(Math.abs(height(borders) - 1) < 0.03);
});

test('only the shared part of a long edge counts', () => {
  const east: Line = [
    [1, 0],
    [2, 0],
    [2, 0.5],
    [1, 0.5],
    [1, 0],
  ];
  assert.ok(Math.abs(height(sharedBorders([[west], [east]], 0.01)) - 0.5) < 0.11);
});

test('provinces that do not touch share nothing', () => {
  const far: Line = [
    [5, 0],
    [6, 0],
    [6, 1],
    [5, 0],
  ];
  assert.deepEqual(sharedBorders([[west], [far]], 0.01), []);
});

test('a province inside another is bordered all round', () => {
  const outer: Line = [
    [-5, -5],
    [5, -5],
    [5, 5],
    [-5, 5],
    [-5, -5],
  ];
  const borders = sharedBorders([[west], [outer, west.toReversed()]], 0.01);
  assert.equal(borders.length, 1);
  assert.deepEqual(borders[0]?.[0], borders[0]?.at(-1));
});
