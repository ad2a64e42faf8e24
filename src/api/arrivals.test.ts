import assert from 'node:assert/strict';
import { test } from 'node:test';
import { device, type Device } from '#/contract/devices.ts';
import { Arrivals } from '#/api/arrivals.ts';

class Listing {
  readonly devices: Device[];
  readonly asked: string[] = [];
  readonly most: number;
  readonly counts: boolean;
  constructor(size: number, { most = 1000, counts = true } = {}) {
    this.devices = Array.from({ length: size }, (_, number) =>
      device.parse({ DeviceId: `d${number}`, DeviceStatus: 'Offline' }),
    );
    this.most = most;
    this.counts = counts;
  }
  online(...ids: string[]): void {
    for (const each of this.devices) if (ids.includes(each.DeviceId)) each.DeviceStatus = 'Online';
  }
  readonly source = {
    page: (page: number, wanted: number) => {
      this.asked.push(`page ${page}/${wanted}`);
      const rows = Math.min(wanted, this.most);
      const Devices = this.devices.slice((page - 1) * rows, page * rows);
      return Promise.resolve(this.counts ? { Devices, TotalNumDevices: this.devices.length } : { Devices });
    },
    one: (id: string) => {
      this.asked.push(`one ${id}`);
      return Promise.resolve(this.devices.find(({ DeviceId }) => DeviceId === id));
    },
  };
}

const { signal } = new AbortController();
const newest = (listing: Listing, count: number) => listing.devices.slice(-count).map(({ DeviceId }) => DeviceId);

test('a few devices are read one by one, and no longer once they have arrived', async () => {
  const listing = new Listing(5_000);
  const arrivals = new Arrivals(listing.source);
  const ids = ['d7', 'd9'];
  listing.online('d7');
  assert.deepEqual([...(await arrivals.check(ids, signal))], ['d7']);
  assert.deepEqual(listing.asked, ['one d7', 'one d9']);
  listing.asked.length = 0;
  listing.online('d9');
  await arrivals.check(ids, signal);
  assert.deepEqual(listing.asked, ['one d9']);
  assert.equal(arrivals.isOver(ids), true);
});

test('many devices are found on their pages, and only those pages are read afterwards', async () => {
  const listing = new Listing(5_500);
  const arrivals = new Arrivals(listing.source);
  const ids = newest(listing, 148);
  assert.equal((await arrivals.check(ids, signal)).size, 0);
  assert.deepEqual(listing.asked, ['page 1/1000', 'page 6/1000']);
  listing.asked.length = 0;
  listing.online(...newest(listing, 12));
  assert.equal((await arrivals.check(ids, signal)).size, 12);
  assert.deepEqual(listing.asked, ['page 6/1000']);
});

test('a service that returns fewer rows, and one that reports no total', async () => {
  const capped = new Listing(350, { most: 100 });
  const one = new Arrivals(capped.source);
  const ids = newest(capped, 20);
  capped.online(...newest(capped, 3));
  assert.equal((await one.check(ids, signal)).size, 3);
  capped.asked.length = 0;
  await one.check(ids, signal);
  assert.deepEqual(capped.asked, ['page 4/100']);

  const countless = new Listing(2_500, { counts: false });
  const two = new Arrivals(countless.source);
  const late = newest(countless, 10);
  countless.online(...newest(countless, 10));
  assert.equal((await two.check(late, signal)).size, 10);
  assert.equal(two.isOver(late), true);
});

test('devices that moved to another page are found again, and deleted ones are given up', async () => {
  const listing = new Listing(2_010);
  const arrivals = new Arrivals(listing.source);
  const ids = newest(listing, 10);
  await arrivals.check(ids, signal);
  listing.devices.splice(0, 15);
  listing.devices.splice(-1, 1);
  listing.online(...ids);
  assert.equal((await arrivals.check(ids, signal)).size, 9);
  assert.equal(arrivals.isOver(ids), true);
});
