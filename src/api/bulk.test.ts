// The requests for many items: one, several of the allowed size, or one per item.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { bulkDelete, bulkRequests, bulkTag } from './bulk.ts';
import { Skipped } from './skipped.ts';

const original = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = original;
});

const devices = (count: number) => Array.from({ length: count }, (_, index) => ({ DeviceId: `d${index}` }));

test('a service with bulk work gets one request per 50,000 items', () => {
  const paths = (count: number, inService: boolean) =>
    bulkRequests(bulkTag('t', true), devices(count), inService).map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(paths(2, true), ['POST /v1/bulk']);
  assert.equal(paths(120_000, true).length, 3);
  assert.deepEqual(paths(2, false), ['POST /v1/devices/d0/tag/t', 'POST /v1/devices/d1/tag/t']);
});

test('a device that somebody else has deleted is skipped; any other refusal is an error', async () => {
  const send = (status: number) => {
    globalThis.fetch = () => Promise.resolve(new Response(null, { status }));
    return bulkDelete().send({ DeviceId: 'd' });
  };
  assert.equal(await send(200), undefined);
  assert.ok((await send(404)) instanceof Skipped);
  await assert.rejects(send(403), { status: 403 });
});
