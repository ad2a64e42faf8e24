import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { ApiError } from '#/api/api-error.ts';
import { FakeService, aDevice } from './fake-service.ts';
import { FleetStore } from './fleet-store.ts';

beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'Date'] }));
afterEach(() => mock.timers.reset());

/** Lets everything happen that does not wait for a timer. */
async function settle(): Promise<void> {
  for (let i = 0; i < 30; i++) await new Promise<void>((resolve) => setImmediate(resolve));
}
async function pass(milliseconds: number): Promise<void> {
  mock.timers.tick(milliseconds);
  await settle();
}

function setUp(count: number, behavior: FakeService['behavior'] = {}) {
  const service = new FakeService(count, behavior);
  let visible = true;
  let look = () => {};
  let signedOut = 0;
  const store = new FleetStore(service, {
    isVisible: () => visible,
    onVisibility: (listener) => {
      look = listener;
    },
    signedOut: () => void signedOut++,
  });
  return {
    service,
    store,
    show: (now: boolean) => {
      visible = now;
      look();
    },
    signedOut: () => signedOut,
    ids: () => store.get().index?.ids(store.get().index!.query()),
    pagesAsked: () => service.asked.length,
  };
}

const refused = (status: number) => new ApiError('refused', `Refused (${status})`, { status });
const look = (store: FleetStore) => store.subscribe(() => {});

test('nothing is read until it is needed, and then all of it, with the locations', async () => {
  const { service, store, ids } = setUp(25, { cap: 10 });
  service.locations = [{ DeviceId: 'id-1', Lat: 1, Lng: 2 }];
  look(store);
  await pass(100_000);
  assert.equal(store.get().state, 'absent');
  assert.equal(service.asked.length, 0);

  const states: string[] = [];
  store.subscribe(() => {
    const { state, progress } = store.get();
    states.push(`${state} ${progress ? `${progress.read}/${progress.total}` : '-'}`);
  });
  store.ensure();
  store.ensure();
  assert.equal(store.get().state, 'loading');
  await settle();
  assert.deepEqual(states.slice(0, 4), ['loading 0/undefined', 'loading 10/25', 'loading 20/25', 'loading 25/25']);
  const { state, index, error, placesError, isReading, progress } = store.get();
  assert.deepEqual([state, error, placesError, isReading, progress], ['ready', null, null, false, undefined]);
  assert.equal(ids()?.length, 25);
  assert.deepEqual([...(index?.query({ filter: { place: 'placed' } }) ?? [])], [index?.rowOf('id-1')]);
  assert.equal(service.peak, 2);
  assert.equal(service.locationsAsked, 1);
});

test('it is read again every half minute while it is in use on a visible page, and at no other time', async () => {
  const { service, store, show, pagesAsked } = setUp(5);
  const leave = look(store);
  store.ensure();
  await settle();
  assert.equal(pagesAsked(), 1);
  const first = store.get().index;
  await pass(29_000);
  assert.equal(pagesAsked(), 1);
  await pass(1_000);
  assert.equal(pagesAsked(), 2);
  assert.equal(store.get().index, first, 'nothing changed, so it is the same index');
  await pass(30_000);
  assert.equal(pagesAsked(), 3);

  show(false);
  await pass(90_000);
  assert.equal(pagesAsked(), 3);
  show(true);
  await settle();
  assert.equal(pagesAsked(), 4);
  // Away for a moment: it is still fresh.
  show(false);
  await pass(5_000);
  show(true);
  await settle();
  assert.equal(pagesAsked(), 4);

  leave();
  await pass(300_000);
  assert.equal(pagesAsked(), 4);
  service.devices.push(aDevice(99));
  look(store);
  await settle();
  assert.equal(pagesAsked(), 5);
  assert.equal(store.get().index?.size, 6);
});

test('a large fleet is read less often', async () => {
  const { store, pagesAsked } = setUp(20_000);
  look(store);
  store.ensure();
  await settle();
  const once = pagesAsked();
  await pass(100_000);
  assert.equal(pagesAsked(), once);
  await pass(20_000);
  assert.ok(pagesAsked() > once);
});

test('reading pauses while the page is hidden, and resumes where it stopped', async () => {
  const { service, store, show, pagesAsked } = setUp(95, { cap: 10 });
  look(store);
  service.onPage = (page) => {
    if (page === 4) show(false);
  };
  store.ensure();
  await settle();
  const asked = pagesAsked();
  assert.ok(asked < 10, `${asked} pages`);
  assert.equal(store.get().state, 'loading');
  await pass(60_000);
  assert.equal(pagesAsked(), asked);
  show(true);
  await settle();
  assert.equal(pagesAsked(), 10);
  assert.equal(store.get().index?.size, 95);
});

test('an error leaves the old index with its age, and the next reading clears it', async () => {
  const { service, store, ids } = setUp(5);
  look(store);
  service.onPage = () => {
    throw refused(500);
  };
  store.ensure();
  await settle();
  assert.equal(store.get().state, 'failed');
  assert.equal(store.get().error?.message, 'Refused (500)');
  service.onPage = () => {};
  store.retry();
  assert.equal(store.get().error?.message, 'Refused (500)', 'until it is known to be over');
  await settle();
  const { at, error } = store.get();
  assert.equal(error, null);
  assert.equal(at, Date.now());

  service.onPage = () => {
    throw refused(500);
  };
  await pass(30_000);
  assert.equal(store.get().state, 'ready');
  assert.equal(store.get().error?.message, 'Refused (500)');
  assert.equal(store.get().at, at);
  assert.equal(ids()?.length, 5);
  service.onPage = () => {};
  await pass(30_000);
  assert.equal(store.get().error, null);
});

test('a service without locations still has a fleet', async () => {
  const { service, store } = setUp(5);
  look(store);
  mock.method(service, 'readLocations', () => Promise.reject(refused(404)));
  store.ensure();
  await settle();
  const { state, error, placesError, index } = store.get();
  assert.deepEqual([state, error, placesError?.message, index?.places], ['ready', null, 'Refused (404)', undefined]);
});

test('a 401 ends the session once, and nothing is requested until the next one', async () => {
  const { service, store, signedOut, show, pagesAsked } = setUp(5);
  look(store);
  store.ensure();
  await settle();
  service.onPage = () => {
    throw refused(401);
  };
  await pass(30_000);
  assert.equal(signedOut(), 1);
  assert.equal(store.get().index?.size, 5);
  store.end({ forget: false });
  const asked = pagesAsked();
  show(true);
  await pass(300_000);
  assert.equal(pagesAsked(), asked);
  service.onPage = () => {};
  store.begin();
  await settle();
  assert.equal(pagesAsked(), asked + 1);
  assert.equal(store.get().error, null);
});

test('signing out during a reading stops it and drops the fleet', async () => {
  const { service, store } = setUp(100, { cap: 10 });
  look(store);
  service.onPage = (page) => {
    if (page === 4) store.end({ forget: true });
  };
  store.ensure();
  await settle();
  assert.deepEqual(store.get().state, 'absent');
  assert.equal(store.get().index, undefined);
  assert.ok(service.asked.length < 10);
});

test('a write shows immediately, and the fleet is read again soon after', async () => {
  const { service, store, pagesAsked } = setUp(5);
  service.locations = [{ DeviceId: 'id-2', Lat: 1, Lng: 1 }];
  look(store);
  store.ensure();
  await settle();
  const device = (id: string) => {
    const { index } = store.get();
    const row = index?.rowOf(id);
    return row === undefined ? undefined : index?.device(row);
  };
  store.write({ id: 'id-1', is: 'changed', fields: { DeviceName: 'pump 7', DeviceGroup: undefined } });
  store.write({ id: 'id-2', is: 'deleted' }, { id: 'nobody', is: 'deleted' });
  store.write({ id: 'id-3', is: 'located', position: { Lat: 52, Lng: 13 } });
  await settle();
  assert.equal(device('id-1')?.DeviceName, 'pump 7');
  assert.equal(device('id-1')?.DeviceGroup, 'north');
  assert.equal(device('id-2'), undefined);
  const { index } = store.get();
  assert.deepEqual(index?.ids(index.query({ filter: { place: 'placed' } })), ['id-3']);
  assert.deepEqual(index?.ids(index.query({ filter: { search: 'pump' } })), ['id-1']);
  assert.equal(pagesAsked(), 1);

  // Ten writes, one reading.
  for (let i = 0; i < 10; i++) store.changed();
  await pass(400);
  assert.equal(pagesAsked(), 2);
  assert.equal(device('id-1')?.DeviceName, 'camera-1', 'the service has the last word');
  assert.equal(device('id-2')?.DeviceId, 'id-2');
});

test('added and removed tags show immediately, and none if the service reports no tags', async () => {
  const { service, store } = setUp(3);
  const beta = { TagId: 't1', TagName: 'beta' };
  const lab = { TagId: 't2', TagName: 'lab' };
  service.devices = service.devices.map((device, index) => (index === 2 ? device : { ...device, Tags: [beta] }));
  look(store);
  store.ensure();
  await settle();
  for (const id of ['id-0', 'id-2']) store.write({ id, is: 'tagged', tag: lab, on: true });
  store.write({ id: 'id-0', is: 'tagged', tag: lab, on: true }, { id: 'id-1', is: 'tagged', tag: beta, on: false });
  await settle();
  const { index } = store.get();
  const tagsOf = (id: string) => index?.device(index.rowOf(id) ?? -1).Tags;
  assert.deepEqual(['id-0', 'id-1', 'id-2'].map(tagsOf), [[beta, lab], [], undefined]);
  assert.deepEqual(index?.ids(index.query({ filter: { tag: ['lab'] } })), ['id-0']);
});

test('a reading does not undo writes made during it', async () => {
  const { service, store, ids, pagesAsked } = setUp(30, { cap: 10 });
  look(store);
  service.onPage = (page) => {
    if (page !== 3) return;
    service.onPage = () => {};
    // Pages 1 and 2 were answered before these.
    store.write({ id: 'id-1', is: 'changed', fields: { DeviceName: 'pump 7' } }, { id: 'id-2', is: 'deleted' });
    store.changed();
  };
  store.ensure();
  await settle();
  const { index } = store.get();
  assert.equal(index?.device(index.rowOf('id-1')!).DeviceName, 'pump 7');
  assert.equal(ids()?.includes('id-2'), false);
  const asked = pagesAsked();
  await pass(400);
  assert.ok(pagesAsked() > asked, 'read once more');
});

test('writes apply in sequence with a reading of a fleet so large that it is sorted in pieces', async () => {
  const { service, store } = setUp(6_000);
  look(store);
  let published = 0;
  store.subscribe(() => {
    if (!store.get().index) return;
    published++;
    if (published === 1) store.write({ id: 'id-1', is: 'changed', fields: { DeviceName: 'a' } });
  });
  store.ensure();
  await settle();
  for (let n = 1; n <= 3; n++) store.write({ id: `id-${n}`, is: 'changed', fields: { DeviceName: `name ${n}` } });
  await settle();
  const { index } = store.get();
  assert.deepEqual(
    [1, 2, 3].map((n) => index?.device(index.rowOf(`id-${n}`)!).DeviceName),
    ['name 1', 'name 2', 'name 3'],
  );
  assert.equal(index?.isPrepared('DeviceName'), true);
  assert.equal(index?.size, service.devices.length);
});
