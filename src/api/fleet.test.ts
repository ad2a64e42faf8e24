import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Device, DevicePage } from '#/contract/devices.ts';
import { readFleet } from '#/api/fleet.ts';

const device = (n: number): Device => ({
  DeviceId: `d${n}`,
  DeviceName: `device ${n}`,
  DeviceGroup: '',
  LocalAddr: '',
  LocalPort: '',
  DeviceStatus: 'Online',
});

/** A service with `count` devices that gives at most `most` rows a page, with or without a total. */
function service(count: number, most: number, counts: boolean) {
  const asked: [number, number][] = [];
  let underWay = 0;
  let peak = 0;
  const readPage = async (page: number, rows: number): Promise<DevicePage> => {
    asked.push([page, rows]);
    peak = Math.max(peak, ++underWay);
    await new Promise((resolve) => setImmediate(resolve));
    underWay--;
    const size = Math.min(rows, most);
    const Devices = Array.from({ length: count }, (_, n) => device(n)).slice((page - 1) * size, page * size);
    return counts ? { Devices, TotalNumDevices: count } : { Devices };
  };
  return { readPage, asked, peak: () => peak };
}

test('reads every page, each device once and in order, two requests at a time', async () => {
  const { readPage, asked, peak } = service(95, 1000, true);
  const fleet = await readFleet(readPage, 10);
  assert.deepEqual(
    fleet.map(({ DeviceId }) => DeviceId),
    Array.from({ length: 95 }, (_, n) => `d${n}`),
  );
  assert.equal(asked.length, 10);
  assert.equal(peak(), 2);
});

test('takes over the page size of a service that gives less than asked', async () => {
  const { readPage, asked } = service(70, 25, true);
  assert.equal((await readFleet(readPage, 1000)).length, 70);
  assert.deepEqual(asked, [
    [1, 1000],
    [2, 25],
    [3, 25],
  ]);
});

test('without a total, ends at the first page that is not full', async () => {
  const { readPage } = service(23, 1000, false);
  assert.equal((await readFleet(readPage, 10)).length, 23);
  assert.equal((await readFleet(service(20, 1000, false).readPage, 10)).length, 20);
  assert.equal((await readFleet(service(0, 1000, false).readPage, 10)).length, 0);
});

test('a failing page fails the whole reading: half a fleet is never shown as a fleet', async () => {
  const { readPage } = service(95, 1000, true);
  const failing = (page: number, rows: number) =>
    page === 4 ? Promise.reject(new Error('page 4')) : readPage(page, rows);
  await assert.rejects(readFleet(failing, 10), /page 4/);
});
