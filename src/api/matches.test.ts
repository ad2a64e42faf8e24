import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Device } from '#/contract/devices.ts';
import { readMatches } from '#/api/matches.ts';

const device = (n: number): Device => ({
  DeviceId: `d${n}`,
  DeviceName: `device ${n}`,
  DeviceGroup: 'lab',
  LocalAddr: '',
  LocalPort: '',
  DeviceStatus: 'Online',
});
const all = (count: number) => Array.from({ length: count }, (_, n) => device(n));

test('reads until a page has no new devices, whatever page size the service uses', async () => {
  for (const size of [100, 25, 7])
    for (const count of [0, 1, 7, 99, 100, 101, 250]) {
      const found = await readMatches(async (page) => all(count).slice((page - 1) * size, page * size));
      assert.equal(found.length, count, `${count} devices in pages of ${size}`);
    }
});

test('requests two pages at a time and counts each device once', async () => {
  let underWay = 0;
  let peak = 0;
  const found = await readMatches(async (page) => {
    peak = Math.max(peak, ++underWay);
    await new Promise((resolve) => setImmediate(resolve));
    underWay--;
    // A device deleted in between moves one row to the page before.
    return all(30).slice(Math.max(0, (page - 1) * 10 - 1), page * 10);
  });
  assert.equal(peak, 2);
  assert.equal(found.length, 30);
});

test('stops if a service keeps repeating its last page', async () => {
  assert.equal((await readMatches(async (page) => (page < 3 ? [device(page)] : [device(2)]))).length, 2);
});

test('a failing page fails the whole read', async () => {
  await assert.rejects(
    readMatches((page) => (page === 2 ? Promise.reject(new Error('page 2')) : Promise.resolve([device(page)]))),
    /page 2/,
  );
});
