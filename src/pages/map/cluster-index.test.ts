import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildClusterIndex, project, unproject } from './cluster-index.ts';

const WORLD = { west: 0, north: 0, east: 1, south: 1 };

/** Repeatable places all over the world. */
function places(count: number) {
  let seed = 7;
  const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  const lat = Array.from({ length: count }, () => random() * 160 - 80);
  const lng = Array.from({ length: count }, () => random() * 360 - 180);
  const online = Array.from({ length: count }, (_, i) => i % 3 === 0);
  return { lat, lng, online };
}

test('projecting and back gives the same place', () => {
  for (const [lat, lng] of [
    [0, 0],
    [52.5, 13.4],
    [-33.9, 151.2],
    [70, -179.9],
  ] as const) {
    const { x, y } = project(lat, lng);
    const back = unproject(x, y);
    assert.ok(Math.abs(back.lat - lat) < 1e-9 && Math.abs(back.lng - lng) < 1e-9);
  }
});

test('at every zoom each device is in exactly one cluster', () => {
  const points = places(3000);
  const { clusters, order } = buildClusterIndex(points);
  for (const zoom of [0, 2, 5, 9, 14, 18]) {
    const cell = 64 / (256 * 2 ** zoom);
    // The whole world in fine cells is too many to walk: look at a window then.
    const window = zoom > 5 ? { west: 0.5, north: 0.3, east: 0.5 + cell * 200, south: 0.3 + cell * 200 } : WORLD;
    const found = clusters(window, cell, cell);
    const members = found.flatMap(({ ranges }) => ranges.flatMap(([from, to]) => [...order.subarray(from, to)]));
    assert.equal(new Set(members).size, members.length);
    assert.equal(
      members.length,
      found.reduce((sum, { count }) => sum + count, 0),
    );
    if (window === WORLD) assert.equal(members.length, 3000);
    for (const { ranges, online } of found) {
      const counted = ranges.flatMap(([from, to]) => [...order.subarray(from, to)]).filter((i) => points.online[i]);
      assert.equal(online, counted.length);
    }
  }
});

test('no two clusters stand closer than asked', () => {
  const { clusters } = buildClusterIndex(places(5000));
  const apart = 40 / (256 * 2 ** 3);
  const found = clusters(WORLD, 64 / (256 * 2 ** 3), apart);
  const centres = found.map(({ x, y }) => ({ x, y }));
  const close = centres.filter((a, i) =>
    centres.some((b, j) => i < j && Math.hypot(a.x - b.x, a.y - b.y) < apart * 0.5),
  );
  assert.deepEqual(close, []);
});

test('devices on one spot stay together at the deepest zoom', () => {
  const { clusters } = buildClusterIndex({
    lat: [48.1, 48.1, 48.2],
    lng: [11.5, 11.5, 11.5],
    online: [true, false, true],
  });
  const cell = 64 / (256 * 2 ** 18);
  const { x, y } = project(48.1, 11.5);
  const found = clusters({ west: x - cell, north: y - cell, east: x + cell, south: y + cell }, cell, cell);
  assert.deepEqual(
    found.map(({ count, online }) => [count, online]),
    [[2, 1]],
  );
});

test('east of the date line the world comes again', () => {
  const { clusters } = buildClusterIndex({ lat: [0], lng: [-179], online: [true] });
  const [found] = clusters({ west: 0.9, north: 0, east: 1.1, south: 1 }, 1 / 16, 1 / 64);
  assert.ok(found && found.x > 1 && found.x < 1.01);
});

test('an empty fleet has no clusters', () => {
  assert.deepEqual(buildClusterIndex({ lat: [], lng: [], online: [] }).clusters(WORLD, 1 / 4, 0), []);
});
