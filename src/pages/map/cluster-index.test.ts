import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterIndex, KIND_COUNT, buildCurve, isAbsent, project, unproject, type Cluster } from './cluster-index.ts';

const WORLD = { west: 0, north: 0, east: 1, south: 1 };

/** An index of locations whose rows are 100 and on; every third one is of kind 1. */
function indexOf(lat: number[], lng: number[]): ClusterIndex {
  return new ClusterIndex(
    buildCurve({
      rows: Uint32Array.from(lat, (_, i) => 100 + i),
      lat: Float64Array.from(lat),
      lng: Float64Array.from(lng),
      kinds: Uint8Array.from(lat, (_, i) => (i % 3 === 0 ? 1 : 0)),
    }),
  );
}

/** Repeatable locations all over the world. */
function locations(count: number) {
  let seed = 7;
  const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  const lat = Array.from({ length: count }, () => random() * 160 - 80);
  const lng = Array.from({ length: count }, () => random() * 360 - 180);
  return { lat, lng };
}

const kindsOf = (index: ClusterIndex, cluster: Cluster) => {
  const kinds = new Uint32Array(KIND_COUNT);
  index.countKinds(cluster, kinds);
  return kinds;
};

test('projecting and back gives the same location', () => {
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
  const { lat, lng } = locations(3000);
  const index = indexOf(lat, lng);
  for (const zoom of [0, 2, 5, 9, 14, 18]) {
    const cell = 64 / (256 * 2 ** zoom);
    // The whole world in fine cells is too many to walk: look at a window then.
    const window = zoom > 5 ? { west: 0.5, north: 0.3, east: 0.5 + cell * 200, south: 0.3 + cell * 200 } : WORLD;
    const found = index.clusters(window, cell, cell);
    const members = found.flatMap((cluster) => index.members(cluster));
    assert.equal(new Set(members).size, members.length);
    assert.equal(
      members.length,
      found.reduce((sum, { count }) => sum + count, 0),
    );
    if (window === WORLD) assert.equal(members.length, 3000);
    for (const cluster of found) {
      const [none, some] = kindsOf(index, cluster);
      assert.equal(some, index.members(cluster).filter((row) => (row - 100) % 3 === 0).length);
      assert.equal((none ?? 0) + (some ?? 0), cluster.count);
    }
  }
});

test('the points are in the order of the curve, at their own locations', () => {
  const { lat, lng } = locations(2000);
  const curve = buildCurve({
    rows: Uint32Array.from(lat, (_, i) => i),
    lat: Float64Array.from(lat),
    lng: Float64Array.from(lng),
    kinds: new Uint8Array(lat.length),
  });
  assert.deepEqual(curve.codes, curve.codes.toSorted());
  const index = new ClusterIndex(curve);
  index.rows.forEach((row, at) => {
    const [is, should] = [index.point(at), project(lat[row]!, lng[row]!)];
    assert.ok(Math.hypot(is.x - should.x, is.y - should.y) < 1e-9);
  });
});

test('no two clusters are closer than asked', () => {
  const { lat, lng } = locations(5000);
  const apart = 40 / (256 * 2 ** 3);
  const found = indexOf(lat, lng).clusters(WORLD, 64 / (256 * 2 ** 3), apart);
  const close = found.filter((a, i) => found.some((b, j) => i < j && Math.hypot(a.x - b.x, a.y - b.y) < apart * 0.5));
  assert.deepEqual(close, []);
});

test('devices on one spot stay together at the deepest zoom', () => {
  const index = indexOf([48.1, 48.1, 48.2], [11.5, 11.5, 11.5]);
  const cell = 64 / (256 * 2 ** 18);
  const { x, y } = project(48.1, 11.5);
  const found = index.clusters({ west: x - cell, north: y - cell, east: x + cell, south: y + cell }, cell, cell);
  assert.deepEqual(
    found.map((cluster) => index.members(cluster).toSorted((a, b) => a - b)),
    [[100, 101]],
  );
});

test('east of the date line the world comes again', () => {
  const [found] = indexOf([0], [-179]).clusters({ west: 0.9, north: 0, east: 1.1, south: 1 }, 1 / 16, 1 / 64);
  assert.ok(found && found.x > 1 && found.x < 1.01);
});

test('neighbours across the date line are one cluster, on each copy of the world that is in view', () => {
  const index = indexOf([-17, -17, -17], [179.95, -179.95, 180]);
  const world = 256 * 2 ** 8;
  const { y } = project(-17, 180);
  for (const copy of [-1, 0, 1, 3]) {
    const window = { west: copy - 0.01, north: y - 0.01, east: copy + 0.01, south: y + 0.01 };
    const found = index.clusters(window, 76 / world, 42 / world);
    assert.deepEqual(
      found.map((cluster) => index.members(cluster).toSorted((one, two) => one - two)),
      [[100, 101, 102]],
    );
    assert.ok(Math.abs(found[0]!.x - copy) < 1e-3);
  }
  const side = 0.002;
  for (const x of [0, 1, 2]) {
    const corners = [project(-16, 180), project(-18, 180)].map((at) => at.y);
    const box = [x - side, x + side].flatMap((across, at) =>
      (at === 0 ? corners : corners.toReversed()).map((down) => ({ x: across, y: down })),
    );
    assert.deepEqual(
      index.inside(box).toSorted((one, two) => one - two),
      [100, 101, 102],
    );
  }
});

test('a polygon holds what is inside its outline, on whichever copy of the world it was drawn', () => {
  const index = indexOf([10, 10, -40, 0], [10, 20, 10, -179]);
  const corners = (south: number, west: number, north: number, east: number) => {
    const [one, two] = [project(north, west), project(south, east)];
    return [one, { x: two.x, y: one.y }, two, { x: one.x, y: two.y }];
  };
  assert.deepEqual(index.inside(corners(0, 5, 30, 15)), [100]);
  assert.deepEqual(index.inside(corners(0, 365, 30, 375)), [100]);
  assert.deepEqual(index.inside(corners(-5, 170, 5, 190)), [103]);
  // A triangle whose box holds all three, and itself but one.
  assert.deepEqual(index.inside([project(11, 5), project(11, 15), project(-45, 30)]), [100]);
  assert.deepEqual(index.inside([]), []);
});

test('an empty fleet has no clusters', () => {
  assert.deepEqual(indexOf([], []).clusters(WORLD, 1 / 4, 0), []);
});

test('with other kinds the points stay, and a device that does not exist then is no member', () => {
  const points = { rows: Uint32Array.of(7, 8), lat: Float64Array.of(10, 10), lng: Float64Array.of(20, 20) };
  const index = new ClusterIndex(buildCurve({ ...points, kinds: Uint8Array.of(1, 4) }));
  const kinds = index.kinds.map((kind) => (kind === 4 ? 7 : kind));
  const other = index.withKinds(kinds);
  const [cluster] = other.clusters(WORLD, 76 / 1024, 42 / 1024);
  assert.ok(cluster);
  assert.deepEqual(other.members(cluster), [7]);
  assert.equal(index.members(cluster).length, 2);
  assert.equal(isAbsent(7), true);
  assert.equal(isAbsent(5), false);
});
