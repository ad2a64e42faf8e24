import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { ApiError, refusalError } from '#/api/api-error.ts';
import { TagIds } from '#/api/tag-ids.ts';
import { provisioning } from '#/fleet/provisioning.ts';
import {
  createOne,
  creationOf,
  creationsOf,
  creationState,
  creationText,
  latest,
  newDeviceOf,
  reasonsOf,
  rowOf,
} from './creation.ts';
import { checkRow } from './row-check.ts';
import { newRow } from './rows.ts';

const original = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = original;
});

const asked = { DeviceName: 'pump', DeviceGroup: 'north' };
const full = refusalError(403, '{"title":"No room","detail":"Delete devices"}', null);
const made = (id: string, missing = '') =>
  creationOf(id, asked, { outcome: 'done', answer: { DeviceId: id, DeviceKey: `key of ${id}`, missing } });
const refused = (key: string) => creationOf(key, asked, { outcome: 'failed', error: full });
const lost = creationOf('l', asked, { outcome: 'unknown', error: new ApiError('network', 'No answer') });

test('a row becomes a request, and a row again', () => {
  const cells = { name: 'a', group: 'g', customer: '', site: 'Hall 1', lat: '1.5', lng: '2', tags: 'x; y' };
  const device = newDeviceOf(checkRow(newRow(cells)).device);
  assert.deepEqual(device, {
    DeviceName: 'a',
    DeviceGroup: 'g',
    CustomerSite: 'Hall 1',
    Lat: 1.5,
    Lng: 2,
    Tags: ['x', 'y'],
  });
  assert.deepEqual(rowOf(device).cells, cells);
  assert.deepEqual(newDeviceOf(checkRow(newRow({ name: 'a' })).device), { DeviceName: 'a', DeviceGroup: '' });
});

test('values that cannot be set on a new device are reported, and its key is not lost', async () => {
  globalThis.fetch = (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input, 'http://here');
    if (pathname === '/v1/devices') return Promise.resolve(Response.json({ DeviceId: 'd', DeviceKey: 'k' }));
    return Promise.resolve(new Response(null, { status: pathname.includes('location') ? 500 : init ? 200 : 404 }));
  };
  const { DeviceKey, missing } = await createOne(
    { ...asked, CustomerName: 'Acme', Lat: 1, Lng: 2 },
    new TagIds(provisioning),
  );
  assert.equal(DeviceKey, 'k');
  assert.match(missing, /^Location not set: .*500/);
});

test('created and possibly created devices of earlier runs remain', () => {
  const rest = latest([
    [made('1'), refused('2'), lost],
    [made('3'), refused('4')],
  ]);
  assert.deepEqual(
    rest.map(({ rowKey }) => rowKey),
    ['1', 'l', '3', '4'],
  );
  assert.equal(creationText(rest, 4, false), '2 of 4 devices created, 1 not created, 1 unknown');
  assert.equal(creationText([made('1', 'Location not set: no')], 9, true), '1 of 9 devices created, 1 not complete');
});

test('each result is described, and the reasons are counted', () => {
  assert.deepEqual(
    [made('1'), made('2', 'Tag x not set: no'), refused('3'), lost].map((each) => creationState(each).words),
    ['Created', 'Created, not complete', 'Not created', 'May have been created'],
  );
  assert.match(lost.reason, /may have been accepted/);
  assert.deepEqual(reasonsOf([refused('1'), made('2'), refused('3'), lost]), [
    { reason: 'No room (403). Delete devices.', count: 2 },
  ]);
});

test('the result of bulk work has the keys from the service', () => {
  const bulk = {
    BulkId: 'b',
    Action: 'create',
    Of: 'Devices',
    Values: {},
    State: 'Done',
    Counts: { Done: 1, Failed: 1, Skipped: 0, Left: 0 },
    CreatedTime: '',
    EndTime: '',
  } as const;
  const items = [
    { Id: 'd1', Name: 'pump', Outcome: 'Done', Because: '', Device: asked },
    { Id: '', Name: 'pump', Outcome: 'Failed', Because: 'No room', Device: asked },
  ] as const;
  const [one, other] = creationsOf({ bulk, items, keys: { d1: 'k' } });
  assert.deepEqual([one?.id, one?.deviceKey, one?.outcome], ['d1', 'k', 'done']);
  assert.deepEqual([other?.id, other?.deviceKey, other?.reason], ['', undefined, 'No room']);
  assert.equal(creationsOf({ bulk, items, keys: undefined })[0]?.deviceKey, undefined);
});
