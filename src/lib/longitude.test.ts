import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundsOf, boxOf, eastOf, isInside, nearestTo } from './longitude.ts';

const boxOfMeridians = (...lng: number[]) => boxOf({ lat: lng.map(() => -17), lng }, [...lng.keys()]);

test('the box of Fiji and Tonga is two degrees wide and crosses 180', () => {
  const box = boxOfMeridians(178.2, -179.9);
  assert.deepEqual(box && boundsOf(box), [
    [-17, 178.2],
    [-17, 180.1],
  ]);
  assert.deepEqual(boxOfMeridians(-171.8, 178.2, 173), { south: -17, west: 173, north: -17, east: 188.2 });
  assert.deepEqual(boxOfMeridians(180, -180), { south: -17, west: 180, north: -17, east: 180 });
});

test('a fleet all over the world keeps its usual box', () => {
  const world = boxOfMeridians(-122, -46, 13, 77, 139, 151, -179);
  assert.deepEqual([world?.west, world?.east], [-179, 151]);
  const europe = boxOfMeridians(-9, 24);
  assert.deepEqual([europe?.west, europe?.east], [-9, 24]);
  assert.equal(boxOfMeridians(), undefined);
});

test('a meridian on another copy of the world', () => {
  assert.equal(nearestTo(181, -179.9), 180.1);
  assert.equal(nearestTo(-181, 179), -181);
  assert.equal(nearestTo(10, 13.4), 13.4);
  assert.equal(eastOf(-170, 100), 190);
  assert.equal(eastOf(180, -180), -180);
});

test('a box on another copy, or wider than the world, holds what is there', () => {
  const box = { south: -30, west: 535, north: 0, east: 545 };
  assert.equal(isInside(box, -17, 178.2), true);
  assert.equal(isInside(box, -17, -176), true);
  assert.equal(isInside(box, -17, -174), false);
  assert.equal(isInside(box, 1, 178.2), false);
  assert.equal(isInside({ ...box, west: -300, east: 400 }, -17, 120), true);
});
