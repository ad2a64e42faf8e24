import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type Line, coastOf, inside, largest, ringArea, smooth, unwrapRing } from './geometry.ts';

test('a ring across the antimeridian stays in one piece', () => {
  const ring: Line = [
    [179, 0],
    [-179, 0],
    [-179, 1],
    [179, 1],
    [179, 0],
  ];
  assert.deepEqual(unwrapRing(ring), [
    [179, 0],
    [181, 0],
    [181, 1],
    [179, 1],
    [179, 0],
  ]);
});

test('a ring round the pole is closed along the pole', () => {
  const ring: Line = [
    [-180, -70],
    [-90, -75],
    [0, -70],
    [90, -75],
    [180, -70],
  ];
  assert.deepEqual(unwrapRing(ring).slice(-3), [
    [180, -90],
    [-180, -90],
    [-180, -70],
  ]);
});

test('an ordinary ring is all coast', () => {
  assert.equal(
    coastOf([
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 0],
    ]),
    undefined,
  );
});

test('the cut at the antimeridian is no coast, wherever the ring begins', () => {
  const land: Line = [
    [178, 0],
    [180, 0],
    [180, 2],
    [178, 2],
    [178, 0],
  ];
  assert.deepEqual(coastOf(land), [
    [
      [178, 0],
      [180, 0],
    ],
    [
      [180, 2],
      [178, 2],
      [178, 0],
    ],
  ]);
  const first: Line = [
    [-180, 2],
    [-180, 0],
    [-178, 1],
    [-180, 2],
  ];
  assert.deepEqual(coastOf(first), [
    [
      [-180, 0],
      [-178, 1],
      [-180, 2],
    ],
  ]);
});

test('the edges along the pole are no coast', () => {
  const coasts = coastOf(
    unwrapRing([
      [-180, -70],
      [-90, -75],
      [0, -70],
      [90, -75],
      [180, -70],
    ]),
  );
  assert.deepEqual(coasts, [
    [
      [-180, -70],
      [-90, -75],
      [0, -70],
      [90, -75],
      [180, -70],
    ],
  ]);
});

test('the largest polygon is found whichever way round its ring runs', () => {
  const small: Line = [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 0],
  ];
  const big: Line = [
    [0, 0],
    [0, 3],
    [3, 3],
    [3, 0],
    [0, 0],
  ];
  assert.equal(ringArea(big), 9);
  assert.deepEqual(largest([[small], [big]]), [big]);
});

test('smoothing keeps a line’s ends and closes a ring', () => {
  const line: Line = [
    [0, 0],
    [1, 1],
    [2, 0],
  ];
  const smoothed = smooth(line, false);
  assert.deepEqual(
    [smoothed[0], smoothed.at(-1)],
    [
      [0, 0],
      [2, 0],
    ],
  );
  const ring = smooth(
    [
      [0, 0],
      [2, 0],
      [2, 2],
      [0, 0],
    ],
    true,
  );
  assert.deepEqual(ring[0], ring.at(-1));
});

test('a point is inside a ring or not', () => {
  const ring: Line = [
    [0, 0],
    [4, 0],
    [4, 4],
    [2, 1],
    [0, 4],
    [0, 0],
  ];
  assert.ok(inside([1, 1], ring));
  assert.ok(!inside([2, 3], ring));
  assert.ok(!inside([5, 1], ring));
});
