import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numberOfKind, rowsIn, stateOfKind } from './map-fleet.ts';

const places = {
  lat: Float64Array.from([10, -20, 0.5, 50]),
  lng: Float64Array.from([10, 175, -175, 0]),
  kind: new Uint8Array(4).fill(1),
};
const rows = Uint32Array.from([3, 2, 1, 0]);

test('a byte holds state and group', () => {
  assert.deepEqual([stateOfKind((5 << 2) | 1), numberOfKind((5 << 2) | 1)], [1, 5]);
});

test('what is in view stays in its order, also across the date line', () => {
  assert.deepEqual([...rowsIn(places, rows, { south: -90, west: -180, north: 90, east: 180 })], [3, 2, 1, 0]);
  assert.deepEqual([...rowsIn(places, rows, { south: -30, west: 170, north: 5, east: 190 })], [2, 1]);
  assert.deepEqual([...rowsIn(places, rows, { south: 0, west: -190, north: 5, east: -170 })], [2]);
  // After a turn and a half around the world.
  assert.deepEqual([...rowsIn(places, rows, { south: -30, west: 530, north: 5, east: 550 })], [2, 1]);
});
