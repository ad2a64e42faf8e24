import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DevicePage } from '#/contract/devices.ts';
import { ApiError } from '#/api/api-error.ts';
import { FakeService } from './fake-service.ts';
import { readPages } from './read-pages.ts';

async function read(service: FakeService, rows = 10) {
  const ids = new Set<string>();
  const reported: [number, number | undefined][] = [];
  const result = await readPages({
    readPage: service.readPage,
    rows,
    take: (devices) => {
      const before = ids.size;
      for (const { DeviceId } of devices) ids.add(DeviceId);
      return ids.size - before;
    },
    onProgress: (...progress) => reported.push(progress),
  });
  return { ...result, count: ids.size, reported };
}

const notFound = () => Promise.reject(new ApiError('refused', 'Not found (404)', { status: 404 }));

test('reads every page, two requests at a time, and tells how far it is', async () => {
  const service = new FakeService(95);
  const { count, steady, reported } = await read(service);
  assert.equal(count, 95);
  assert.equal(steady, true);
  assert.equal(service.asked.length, 10);
  assert.equal(service.peak, 2);
  assert.deepEqual(reported[0], [10, 95]);
  assert.deepEqual(reported.at(-1), [95, 95]);
});

test('takes over the page size of a service that gives less than asked, and remembers it', async () => {
  const service = new FakeService(70, { cap: 25 });
  const first = await read(service, 1000);
  assert.equal(first.count, 70);
  assert.equal(first.steady, true);
  assert.deepEqual(service.asked, [
    [1, 1000],
    [2, 25],
    [3, 25],
  ]);
  assert.equal(first.rows, 25);
});

test('without a total: every size of fleet and of page, capped or not', async () => {
  for (const pastEnd of [undefined, notFound])
    for (const cap of [7, 25, 1000])
      for (const count of [0, 1, 7, 24, 25, 26, 50, 95]) {
        const service = new FakeService(count, { cap, total: 'none', ...(pastEnd && { pastEnd }) });
        const result = await read(service, 25);
        assert.equal(result.count, count, `${count} devices, ${cap} a page`);
        assert.equal(result.steady, true);
        assert.equal(result.total, undefined);
      }
});

test('a fleet that is smaller than the page does not make the page smaller', async () => {
  const service = new FakeService(23, { total: 'none' });
  assert.equal((await read(service, 1000)).rows, 1000);
});

test('a page past the known end is not asked for', async () => {
  const pastEnd = () => Promise.reject(new ApiError('refused', 'No such page (400)', { status: 400 }));
  for (const count of [5, 20, 95, 100]) {
    const service = new FakeService(count, { pastEnd });
    assert.equal((await read(service)).count, count);
    assert.equal(Math.max(...service.asked.map(([page]) => page)), Math.ceil(count / 10), `${count} devices`);
  }
});

test('an empty fleet is read with one request', async () => {
  const service = new FakeService(0);
  assert.equal((await read(service)).count, 0);
  assert.deepEqual(service.asked, [[1, 10]]);
});

test('a total that is too small hides nothing, nor does one that counts the rows of its page', async () => {
  for (const wrong of [0, 1, 10, 31, 45])
    assert.equal((await read(new FakeService(95, { total: () => wrong }))).count, 95, `${wrong} of 95`);
});

test('a total that is too large is noticed', async () => {
  const { count, steady } = await read(new FakeService(35, { total: () => 60 }));
  assert.equal(count, 35);
  assert.equal(steady, false);
});

test('a service that repeats its last page for ever comes to an end', async () => {
  const service = new FakeService(20, { total: 'none' });
  service.behavior.pastEnd = async (): Promise<never> => ({ Devices: service.devices.slice(10) }) as never;
  assert.equal((await read(service)).count, 20);
});

test('a device deleted meanwhile is noticed, as the next one slips from page to page', async () => {
  const service = new FakeService(95);
  service.onPage = (page) => {
    if (page === 5) service.devices.splice(3, 1);
    service.onPage = page === 5 ? () => {} : service.onPage;
  };
  assert.equal((await read(service)).steady, false);
});

test('a device put in front meanwhile is noticed, as one comes twice; one at the end belongs to it', async () => {
  for (const [place, steady] of [
    [0, false],
    [95, true],
  ] as const) {
    const service = new FakeService(95);
    service.onPage = (page) => {
      if (page !== 5) return;
      service.onPage = () => {};
      service.devices.splice(place, 0, { ...service.devices[0]!, DeviceId: 'new' });
    };
    const result = await read(service);
    assert.equal(result.steady, steady);
    assert.equal(result.count, steady ? 96 : 95);
  }
});

test('a failing page fails the whole, a missing one in the middle is noticed', async () => {
  const service = new FakeService(95);
  service.onPage = (page) => {
    if (page === 4) throw new Error('page 4');
  };
  await assert.rejects(read(service), /page 4/);
  service.onPage = (page) => {
    if (page === 4) throw new ApiError('refused', 'Not found (404)', { status: 404 });
  };
  assert.equal((await read(service)).steady, false);
});

test('a service that counts devices and lists none is not believed', async () => {
  const empty: DevicePage = { Devices: [], TotalNumDevices: 12 };
  await assert.rejects(
    readPages({ readPage: () => Promise.resolve(empty), rows: 10, take: () => 0 }),
    /Unexpected response/,
  );
});

test('rows that cannot be read neither end a reading nor make it unsteady', async () => {
  for (const total of ['none', undefined] as const) {
    const service = new FakeService(40, total && { total });
    const ids = new Set<string>();
    const { steady, rows } = await readPages({
      readPage: async (page, size) => {
        const { Devices, TotalNumDevices } = await service.readPage(page, size);
        return { Devices: Devices.slice(1), TotalNumDevices, unreadable: Math.min(1, Devices.length) };
      },
      rows: 10,
      take: (devices) => {
        for (const { DeviceId } of devices) ids.add(DeviceId);
        return devices.length;
      },
    });
    assert.deepEqual({ steady, rows, count: ids.size }, { steady: true, rows: 10, count: 36 });
  }
});
