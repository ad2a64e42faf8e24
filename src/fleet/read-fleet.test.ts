import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeService, aDevice } from './fake-service.ts';
import { FleetIndex, tableOf } from './fleet-index.ts';
import { readFleet } from './read-fleet.ts';
import { Draft, emptyTable } from './table.ts';

async function read(service: FakeService, before?: FleetIndex) {
  const draft = new Draft(before ? tableOf(before) : emptyTable());
  const { order, complete } = await readFleet({ readPage: service.readPage, rows: 10, draft, had: before?.size ?? 0 });
  const index = new FleetIndex(draft.finish(order), complete);
  return {
    index,
    complete,
    ids: index.ids(index.query()),
    passes: service.asked.filter(([page]) => page === 1).length,
  };
}
const idsOf = ({ devices }: FakeService) => devices.map(({ DeviceId }) => DeviceId);

test('a quiet fleet is read once, in the order of the service', async () => {
  const service = new FakeService(95);
  const { ids, complete, passes } = await read(service);
  assert.deepEqual(ids, idsOf(service));
  assert.equal(complete, true);
  assert.equal(passes, 1);
});

test('devices created and deleted meanwhile, anywhere: in the end all are there, each once', async () => {
  for (const page of [1, 2, 5, 9])
    for (const place of [0, 30, 60, 95])
      for (const happens of ['created', 'deleted', 'both'] as const) {
        const service = new FakeService(95);
        service.onPage = (asked) => {
          if (asked !== page) return;
          service.onPage = () => {};
          if (happens !== 'created') service.devices.splice(Math.min(place, 94), 1);
          if (happens !== 'deleted') service.devices.splice(place, 0, aDevice(1000));
        };
        const { ids, complete } = await read(service);
        const what = `${happens} at ${place} before page ${page}`;
        assert.equal(new Set(ids).size, ids.length, what);
        if (happens !== 'both') assert.deepEqual(ids, idsOf(service), what);
        assert.equal(complete, true, what);
      }
});

test('a fleet that never rests has all devices that any reading saw, and is not called complete', async () => {
  const service = new FakeService(95);
  let born = 1000;
  service.behavior.total = 'none';
  service.onPage = (page) => {
    if (page % 3 === 0) service.devices.unshift(aDevice(born++));
  };
  const { ids, complete, passes } = await read(service);
  assert.equal(complete, false);
  assert.equal(passes, 3);
  assert.equal(new Set(ids).size, ids.length);
  for (let n = 0; n < 95; n++) assert.ok(ids.includes(`id-${n}`), `id-${n}`);
});

test('a service with a wrong total is believed when it says the same twice', async () => {
  const { ids, complete, passes } = await read(new FakeService(35, { total: () => 60 }));
  assert.equal(ids.length, 35);
  assert.equal(complete, true);
  assert.equal(passes, 2);
});

test('a fleet that is suddenly empty is asked for twice', async () => {
  const service = new FakeService(35, { total: 'none' });
  const { index } = await read(service);
  const before = service.devices;
  service.devices = [];
  service.asked.length = 0;
  const gone = await read(service, index);
  assert.equal(gone.ids.length, 0);
  assert.equal(gone.passes, 2);

  // Empty by mistake, once.
  service.devices = [];
  service.onPage = () => {
    service.onPage = () => {
      service.devices = before;
    };
  };
  assert.equal((await read(service, index)).ids.length, 35);
});

test('devices that are gone disappear, and new ones come at their place', async () => {
  const service = new FakeService(35);
  const { index } = await read(service);
  service.devices.splice(3, 2, aDevice(99));
  const next = await read(service, index);
  assert.deepEqual(next.ids, idsOf(service));
  assert.equal(next.index.rowOf('id-3'), undefined);
  assert.equal(next.index.rowOf('id-20'), index.rowOf('id-20'));
});
