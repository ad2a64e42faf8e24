// The fleet in front of a service that reports what changes.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { ApiError } from '#/api/api-error.ts';
import { DeviceFeed, type ReportedDevice, type DeviceChanges } from '#/api/device-feed.ts';
import type { Device } from '#/contract/devices.ts';
import { FakeService, aDevice } from './fake-service.ts';
import { FleetStore } from './fleet-store.ts';

beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'Date'] }));
afterEach(() => mock.timers.reset());

async function settle(): Promise<void> {
  for (let i = 0; i < 40; i++) await new Promise<void>((resolve) => setImmediate(resolve));
}
async function pass(milliseconds: number): Promise<void> {
  mock.timers.tick(milliseconds);
  await settle();
}

const changeTo = (device: Device, position?: { Lat: number; Lng: number }): ReportedDevice => ({ device, position });

async function setUp(count: number) {
  const service = new FakeService(count);
  service.locations = [{ DeviceId: 'id-1', Lat: 1, Lng: 2 }];
  const asked: string[] = [];
  let version = 1;
  let waiting: Partial<DeviceChanges> = {};
  let failure: Error | undefined;
  const feed = new DeviceFeed(async (since) => {
    asked.push(since);
    if (failure) throw failure;
    const changes = { reset: false, changed: [], removed: [], ...waiting, version: `v${version}` };
    waiting = {};
    return changes;
  });
  const seen = { visible: true, live: true };
  let look = () => {};
  let turn = () => {};
  const store = new FleetStore(Object.assign(service, { feed }), {
    isVisible: () => seen.visible,
    onVisibility: (listener) => (look = listener),
    signedOut: () => {},
    isLive: () => seen.live,
    onLive: (listener) => (turn = listener),
  });
  const leave = store.subscribe(() => {});
  store.ensure();
  await settle();
  return {
    service,
    store,
    feed,
    seen,
    asked,
    leave,
    prepare: (changes: Partial<DeviceChanges>) => {
      version++;
      waiting = changes;
    },
    fail: (error?: Error) => (failure = error),
    show: (now: boolean) => {
      seen.visible = now;
      look();
      return settle();
    },
    turnLive: (now: boolean) => {
      seen.live = now;
      turn();
      return settle();
    },
    device: (id: string) => {
      const { index } = store.get();
      const row = index?.rowOf(id);
      return row === undefined ? undefined : index?.device(row);
    },
  };
}

test('the version is taken before the first page, and nothing is read again while changes are reported', async () => {
  const { service, store, asked } = await setUp(25);
  assert.deepEqual(asked, ['']);
  assert.equal(store.get().isFollowed, true);
  await pass(600_000);
  assert.equal(service.asked.length, 1);
  assert.deepEqual(asked, ['']);
});

test('devices that changed, came and went are all that is read', async () => {
  const { service, store, feed, prepare, device, asked } = await setUp(25);
  const before = store.get().index!;
  const untouched = before.device(before.rowOf('id-3')!);
  prepare({
    changed: [
      changeTo(aDevice(1, { DeviceName: 'pump', DeviceStatus: 'Offline' }), { Lat: 52, Lng: 13 }),
      changeTo(aDevice(99), { Lat: 0, Lng: 0 }),
    ],
    removed: ['id-2'],
  });
  await feed.catchUp();
  await settle();
  const index = store.get().index!;
  assert.equal(device('id-1')?.DeviceName, 'pump');
  assert.equal(index.places?.lat[index.rowOf('id-1')!], 52);
  assert.equal(device('id-2'), undefined);
  assert.deepEqual(index.ids(index.rows).at(-1), 'id-99');
  assert.equal(index.device(index.rowOf('id-3')!), untouched, 'the same object');
  assert.equal('Lat' in device('id-1')!, false);
  assert.equal(device('id-1')?.DeviceStatus, 'Offline');
  assert.equal(service.asked.length, 1);
  assert.deepEqual(asked, ['', 'v1']);
});

test('if changes are not reported as they happen, they are requested every few seconds', async () => {
  const { service, store, turnLive, prepare, device, asked, leave } = await setUp(25);
  await pass(30_000);
  await turnLive(false);
  const lost = store.get().at;
  assert.equal(lost, Date.now(), 'until then it was current');
  prepare({ changed: [changeTo(aDevice(1, { DeviceName: 'pump' }))] });
  await pass(5_000);
  assert.equal(device('id-1')?.DeviceName, 'pump');
  await pass(5_000);
  assert.equal(store.get().at, Date.now());
  const count = asked.length;
  await turnLive(true);
  await pass(600_000);
  assert.ok(asked.length <= count + 1, `${asked.length - count} more`);
  assert.equal(service.asked.length, 1);
  leave();
});

test('a hidden page requests nothing, and catches up when it is shown', async () => {
  const { service, feed, show, turnLive, prepare, device, asked } = await setUp(25);
  await turnLive(false);
  await show(false);
  const count = asked.length;
  await pass(3_600_000);
  assert.equal(asked.length, count);
  prepare({ changed: [changeTo(aDevice(1, { DeviceName: 'pump' }))] });
  await show(true);
  assert.equal(device('id-1')?.DeviceName, 'pump');
  await turnLive(true);
  await show(false);
  feed.hasMissed = true;
  prepare({ changed: [changeTo(aDevice(1, { DeviceName: 'valve' }))] });
  await show(true);
  assert.equal(device('id-1')?.DeviceName, 'valve');
  assert.equal(service.asked.length, 1);
});

test('after a reset the whole fleet is read again', async () => {
  const { service, feed, prepare, store } = await setUp(25);
  service.devices.push(aDevice(99));
  prepare({ reset: true });
  await feed.catchUp();
  await settle();
  assert.equal(service.asked.length, 2);
  assert.equal(store.get().index?.size, 26);
});

test('a reading does not undo changes reported during it', async () => {
  const { service, feed, prepare, store, device } = await setUp(25);
  service.onPage = async () => {
    service.onPage = () => {};
    prepare({ changed: [changeTo(aDevice(1, { DeviceName: 'pump' }))] });
    await feed.catchUp();
  };
  prepare({ reset: true });
  await feed.catchUp();
  await settle();
  assert.equal(service.asked.length, 2);
  assert.equal(device('id-1')?.DeviceName, 'pump');
  assert.equal(store.get().error, null);
});

test('a failure leaves the old index, and the next request clears it', async () => {
  const { store, fail, turnLive, prepare, device } = await setUp(5);
  await turnLive(false);
  fail(new ApiError('refused', 'Refused (500)', { status: 500 }));
  await pass(5_000);
  assert.equal(store.get().error?.message, 'Refused (500)');
  fail();
  prepare({ changed: [changeTo(aDevice(1, { DeviceName: 'pump' }))] });
  await pass(5_000);
  assert.equal(store.get().error, null);
  assert.equal(device('id-1')?.DeviceName, 'pump');
});

test('a service that reports no changes is read completely', async () => {
  const service = new FakeService(5);
  const feed = new DeviceFeed(() => Promise.reject(new ApiError('refused', 'Not found', { status: 404 })));
  const store = new FleetStore(Object.assign(service, { feed }), {
    isVisible: () => true,
    onVisibility: () => {},
    signedOut: () => {},
  });
  store.subscribe(() => {});
  store.ensure();
  await settle();
  assert.equal(store.get().isFollowed, false);
  await pass(30_000);
  assert.equal(service.asked.length, 2);
});

test('connected devices were seen a minute ago at most, although that is not reported', async () => {
  const { feed, prepare, device } = await setUp(5);
  const LastSeenTime = new Date(0).toISOString();
  prepare({
    changed: ['Online', 'Offline'].map((DeviceStatus, n) => changeTo(aDevice(n, { DeviceStatus, LastSeenTime }))),
  });
  await feed.catchUp();
  await pass(60_000);
  assert.equal(device('id-0')?.LastSeenTime, new Date().toISOString());
  assert.equal(device('id-1')?.LastSeenTime, LastSeenTime);
  assert.equal(device('id-2')?.LastSeenTime, undefined, 'not reported at all');
});
