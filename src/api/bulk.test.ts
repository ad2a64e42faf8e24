// Importing the writes must leave nothing open that keeps Node running: without that this file would never end.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { bulkChange, bulkDelete } from './bulk.ts';
import { Skipped } from './skipped.ts';

const original = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = original;
});

/** A service that answers these, one after the other. */
const answers = (...given: Response[]) => {
  globalThis.fetch = () => Promise.resolve(given.shift() ?? new Response(null, { status: 500 }));
};
const found = (...devices: object[]) => Response.json({ Devices: devices.map((more) => ({ DeviceId: 'd', ...more })) });
const id = { DeviceId: 'd' };

test('a change is checked field by field; a field that the service does not tell decides nothing', async () => {
  const write = bulkChange({ DeviceGroup: 'north', CustomerName: 'Acme' });
  answers(found({ DeviceGroup: 'north', CustomerName: 'Acme' }));
  assert.equal(await write.check(id), true);
  answers(found({ DeviceGroup: 'south', CustomerName: 'Acme' }));
  assert.equal(await write.check(id), false);
  answers(found({ DeviceGroup: 'north' }));
  assert.equal(await write.check(id), undefined);
});

test('a device that is gone already is skipped, one that stays is an error', async () => {
  answers(new Response(null, { status: 404 }), found());
  assert.ok((await bulkDelete().send(id)) instanceof Skipped);
  answers(new Response(null, { status: 404 }), found({}));
  await assert.rejects(bulkDelete().send(id), /does not delete devices/);
});
