// The part of a fleet that the map draws during the first reading.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { FakeService } from './fake-service.ts';
import { FleetStore } from './fleet-store.ts';

/** A reading of 12 pages whose last answer waits for `release`. */
function heldBack(t: TestContext, count = 12_000) {
  const service = new FakeService(count);
  service.locations = service.devices.map(({ DeviceId }, n) => ({ DeviceId, Lat: n % 80, Lng: 1 }));
  const { promise, resolve: release } = Promise.withResolvers<void>();
  service.onPage = (page) => (page === count / 1000 ? promise : undefined);
  const store = new FleetStore(service, { isVisible: () => true, onVisibility: () => {}, signedOut: () => {} });
  // Otherwise it would read again and again.
  t.after(() => store.end({ forget: true }));
  /** Resolves when the store meets the condition. */
  const when = (isMet: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (isMet()) resolve();
      };
      store.subscribe(look);
      look();
    });
  return { service, store, release, when };
}

test('a large fleet is shown in part, with locations, until all of it is read', async (t) => {
  const { store, release, when } = heldBack(t);
  store.ensure();
  await when(() => store.get().partial !== undefined);
  const { partial, index, state } = store.get();
  assert.deepEqual([index, state, partial?.isPart], [undefined, 'loading', true]);
  assert.ok(partial && partial.size >= 5_000 && partial.size < 12_000);
  assert.equal(partial.query({ filter: { place: 'placed' } }).length, partial.size);
  const [sorted] = partial.query({ sort: { by: 'DeviceName', down: true } });

  release();
  await when(() => store.get().index !== undefined);
  const whole = store.get();
  assert.deepEqual([whole.partial, whole.index?.isPart, whole.index?.size], [undefined, false, 12_000]);
  assert.equal(whole.index?.rowOf('id-7'), partial.rowOf('id-7'), 'a row is the same device in both');
  const [last] = whole.index!.query({ sort: { by: 'DeviceName', down: true } });
  assert.equal(whole.index?.idOf(last!), 'id-11999', 'the order of the part does not count for the whole');
  assert.notEqual(last, sorted);
});

test('a failure removes the part', async (t) => {
  const { service, store, when } = heldBack(t);
  service.onPage = async (page) => {
    if (page < 12) return;
    await when(() => store.get().partial !== undefined);
    throw new Error('gone');
  };
  store.ensure();
  await when(() => store.get().state === 'failed');
  assert.equal(store.get().partial, undefined);
});

test('a small fleet is never shown in part', async (t) => {
  const { store, release, when } = heldBack(t, 4_000);
  const parts: unknown[] = [];
  store.subscribe(() => parts.push(store.get().partial));
  store.ensure();
  release();
  await when(() => store.get().index !== undefined);
  assert.deepEqual(parts.filter(Boolean), []);
});
