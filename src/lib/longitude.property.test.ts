import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { holds } from '../../scripts/test-property.ts';
import { boxOf, eastOf, isInside, nearestTo } from './longitude.ts';

/** Many of them at or near 180°. */
const lng = fc.oneof(
  fc.double({ min: -180, max: 180, noNaN: true }),
  fc.constantFrom(-180, 180, 0, 179.95, -179.95, 178.2),
);
const point = fc.record({ lat: fc.double({ min: -90, max: 90, noNaN: true }), lng });
const boxOfPoints = (points: readonly { lat: number; lng: number }[]) =>
  boxOf({ lat: points.map(({ lat }) => lat), lng: points.map((each) => each.lng) }, [...points.keys()]);

test('a meridian is found on the copy that is asked for, and is the same one', () =>
  holds(
    1000,
    fc.property(lng, fc.double({ min: -2000, max: 2000, noNaN: true }), (meridian, other) => {
      const turns = (to: number) => (to - meridian) / 360;
      const [east, near] = [eastOf(meridian, other), nearestTo(other, meridian)];
      assert.ok(east > other - 1e-9 && east < other + 360 + 1e-9);
      assert.ok(Math.abs(near - other) <= 180 + 1e-9);
      for (const to of [east, near]) assert.ok(Math.abs(turns(to) - Math.round(turns(to))) < 1e-9);
    }),
  ));

test('a box holds all of its points, on each copy of the world', () =>
  holds(
    1000,
    fc.property(fc.array(point, { minLength: 1, maxLength: 12 }), fc.integer({ min: -3, max: 3 }), (points, copy) => {
      const box = boxOfPoints(points);
      assert.ok(box && box.west <= box.east && box.east - box.west <= 360);
      for (const each of points) assert.ok(isInside(box, each.lat, each.lng), JSON.stringify({ box, each }));
      // A hair wider, because moved by whole turns the last digits differ.
      const moved = { ...box, west: box.west + 360 * copy - 1e-9, east: box.east + 360 * copy + 1e-9 };
      for (const each of points) assert.ok(isInside(moved, each.lat, each.lng));
    }),
  ));

test('what half the world holds gets the shortest box, wherever it is', () =>
  holds(
    1000,
    fc.property(
      lng,
      fc.array(fc.double({ min: 0, max: 179.999, noNaN: true }), { minLength: 1, maxLength: 12 }),
      (west, shifts) => {
        const points = shifts.map((shift) => ({ lat: 0, lng: eastOf(west + shift, -180) }));
        const box = boxOfPoints(points);
        assert.ok(box && box.east - box.west <= Math.max(...shifts) - Math.min(...shifts) + 1e-9);
      },
    ),
  ));
