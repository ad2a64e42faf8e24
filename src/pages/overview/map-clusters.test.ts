import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aDevice } from '#/fleet/fake-service.ts';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import { indexOf } from '#/fleet/index-of.ts';
import { clustersOf } from './map-clusters.ts';

/** One device at each of these longitudes, in the latitude of Fiji. */
const fleetAt = (...lng: number[]) =>
  indexOf(
    lng.map((_, n) => aDevice(n)),
    lng.map((Lng, n) => ({ DeviceId: aDevice(n).DeviceId, Lat: -17, Lng })),
  );
const found = (index: FleetIndex, zoom: number) =>
  clustersOf(index, zoom).map(({ lng, count }) => [Number(lng.toFixed(2)), count]);

test('neighbours across 180 are one cluster, and a fleet around it stays together', () => {
  assert.deepEqual(found(fleetAt(179.95, -179.95), 4), [[180, 2]]);
  assert.deepEqual(found(fleetAt(178, -171), 4), [
    [178, 1],
    [189, 1],
  ]);
});

test('at the edges of a map of the world they are one cluster too', () => {
  assert.deepEqual(found(fleetAt(13, -100, 90, 179.9, 179.9, -179.8), 2), [
    [180, 3],
    [13, 1],
    [-100, 1],
    [90, 1],
  ]);
});
