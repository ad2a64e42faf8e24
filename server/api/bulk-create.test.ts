// Devices created by bulk work, over real HTTP: what is set on each, which rows fail, and who may read the keys, for how
// long.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Bulk, BulkItem } from '#/contract/bulk.ts';
import type { Device, DeviceLocation } from '#/contract/devices.ts';
import { until } from '../../scripts/test-process.ts';
import { FakeAgent } from '../test-agents.ts';
import { testBulk } from '../test-bulk.ts';
import type { TestBulk } from '../test-bulk.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

const MINUTE = 60_000;
type Result = Bulk & { Items: BulkItem[]; Next: string; Keys?: Record<string, string> };

let service: TestService;
let bulk: TestBulk;
before(async () => {
  service = await startTestService({ MAX_DEVICES: '1000' });
  bulk = testBulk((...request) => service.call(...request));
});
after(() => service.end());

const draftOf = (DeviceName: string, more: object = {}) => ({ DeviceName, DeviceGroup: 'hall', ...more });
const create = async (...Devices: object[]): Promise<Result> =>
  bulk.ended(await bulk.begin({ Action: 'create', Devices }));
const result = async (response: Promise<Response>) => (await (await response).json()) as Result;
const read = (id: string) => result(service.call('GET', `/v1/bulk/${id}`));
const keysPath = (id: string) => `/v1/bulk/${id}/keys`;
const devices = async (name: string) =>
  (await (await service.call('GET', `/v1/devices/1/1000/filters?device_name=${name}`)).json()) as Device[];

/** A browser that is signed in. */
async function session(at = service) {
  let cookie = '';
  const ask = async (method: string, path: string, body?: unknown, presented = cookie): Promise<Response> => {
    const response = await fetch(new URL(path, at.url), {
      method,
      headers: { Cookie: presented, Origin: at.url, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    return response;
  };
  await ask('POST', '/auth/session', { Token: at.token });
  return { ask, cookie: () => cookie };
}

test('each device has what its row says, and agents connect with their keys', async () => {
  const {
    BulkId,
    Counts,
    Items,
    Keys = {},
  } = await create(
    draftOf('set-1', {
      CustomerName: 'Acme',
      CustomerSite: 'Köln',
      Lat: 50.9,
      Lng: 6.9,
      Tags: ['edge', 'north', 'edge'],
    }),
    draftOf('set-2', { Tags: ['edge'] }),
  );
  assert.deepEqual(Counts, { Done: 2, Failed: 0, Skipped: 0, Left: 0 });
  const [one, two] = await devices('set-');
  assert.deepEqual(
    Items.map(({ Id, Name, Device: asked }) => [Id, Name, asked?.Tags]),
    [
      [one?.DeviceId, 'set-1', ['edge', 'north', 'edge']],
      [two?.DeviceId, 'set-2', ['edge']],
    ],
  );
  assert.deepEqual([one?.DeviceGroup, one?.CustomerName, one?.CustomerSite], ['hall', 'Acme', 'Köln']);
  const tags = (device?: Device) => device?.Tags?.map(({ TagName }) => TagName).toSorted();
  assert.deepEqual([tags(one), tags(two)], [['edge', 'north'], ['edge']]);
  const places = (await (await service.call('GET', '/v1/devices/location')).json()) as DeviceLocation[];
  assert.deepEqual(
    places.find(({ DeviceId }) => DeviceId === one?.DeviceId),
    { DeviceId: one?.DeviceId, Lat: 50.9, Lng: 6.9 },
  );
  for (const id of [one?.DeviceId ?? '', two?.DeviceId ?? '']) {
    const agent = await FakeAgent.connect(service.url, Keys[id] ?? '');
    await agent.receive('welcome');
    await agent.end();
  }
  const audit = await service.context.db.all<{ action: string }>(
    'SELECT action FROM audit WHERE target LIKE ? OR target LIKE ? ORDER BY seq',
    `${BulkId}%`,
    `%${one?.DeviceId}`,
  );
  assert.deepEqual(
    audit.map(({ action }) => action),
    ['bulk.create', 'device.create', 'device.locate', 'tag.attach', 'tag.attach'],
  );
});

test('rows beyond the limit of the account fail with the reason, and can be created later', async () => {
  const small = await startTestService({ MAX_DEVICES: '2' });
  try {
    const work = testBulk((...request) => small.call(...request));
    const Devices = ['a', 'b', 'c'].map((name) => draftOf(name));
    const { Items, Keys } = await work.ended(await work.begin({ Action: 'create', Devices }));
    assert.deepEqual(
      Items.map(({ Id, Name, Outcome }) => [Id !== '', Name, Outcome]),
      [
        [true, 'a', 'Done'],
        [true, 'b', 'Done'],
        [false, 'c', 'Failed'],
      ],
    );
    assert.match(Items[2]?.Because ?? '', /licence is used up. It is for 2 devices/);
    assert.equal(Object.keys(Keys ?? {}).length, 2);
    await small.call('DELETE', `/v1/devices/${Items[0]?.Id}`);
    assert.deepEqual(await work.outcomes({ Action: 'create', Devices: [Items[2]?.Device] }), ['Done']);
  } finally {
    await small.end();
  }
});

test('10,000 devices are one request, and more are refused', async () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => draftOf(`many-${index}`, { CustomerSite: 'x'.repeat(255) }));
  const id = await bulk.begin({ Action: 'create', Devices: many(10_000) });
  await service.call('POST', `/v1/bulk/${id}/cancel`);
  const { State, Counts } = await bulk.get(id);
  assert.equal(State, 'Cancelled');
  assert.equal(Counts.Done + Counts.Failed + Counts.Left, 10_000);
  const refused = await service.call('POST', '/v1/bulk', { Action: 'create', Devices: many(10_001) });
  assert.equal(refused.status, 400);
  assert.match(await refused.text(), /at most 10,000/);
  const created = (await devices('many-')).map(({ DeviceId }) => DeviceId);
  await bulk.outcomes({ Action: 'delete', Devices: ['none', ...created] });
});

test('one row that is not valid refuses all of them before anything is stored', async () => {
  const stored = await service.context.db.all('SELECT seq FROM bulk');
  for (const [row, why] of [
    [{ DeviceGroup: '' }, /"Devices\.1\.DeviceName"/],
    [draftOf(' '), /Devices\.1\.DeviceName.*must not be empty/],
    [draftOf('a', { Lat: 1 }), /belong together/],
    [draftOf('a', { Lat: 91, Lng: 1 }), /between -90 and 90/],
    [draftOf('a', { Tags: ['..'] }), /Devices\.1\.Tags\.0/],
    ['an-id', /Devices\.1"/],
  ] as const) {
    const response = await service.call('POST', '/v1/bulk', { Action: 'create', Devices: [draftOf('fine'), row] });
    assert.equal(response.status, 400, JSON.stringify(row));
    assert.match(await response.text(), why);
  }
  assert.deepEqual(await service.context.db.all('SELECT seq FROM bulk'), stored);
});

test('the keys are read by the token that asked and by nobody else, and are stored only sealed', async () => {
  const browser = await session();
  const { BulkId, Items, Keys } = await create(draftOf('sealed'));
  const [id = ''] = Items.map(({ Id }) => Id);
  assert.ok(Keys?.[id]);
  assert.equal((await result(browser.ask('GET', `/v1/bulk/${BulkId}`))).Keys, undefined);
  const stored: unknown[] = [];
  for (const table of ['bulk', 'bulk_items', 'bulk_keys', 'audit', 'changes'])
    stored.push(...(await service.context.db.all<object>(`SELECT * FROM ${table}`)).map(Object.values));
  const text = JSON.stringify(stored, (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
  );
  assert.ok(!text.includes(Keys[id]));

  const response = await service.call('GET', `/v1/bulk/${BulkId}`);
  assert.equal(response.headers.get('cache-control'), 'no-store');
  assert.equal(response.headers.get('etag'), null);
  await response.arrayBuffer();
});

test('they are gone when they are deleted, which only their owner can do', async () => {
  const browser = await session();
  const { BulkId } = await create(draftOf('deleted'));
  const refused = await browser.ask('DELETE', keysPath(BulkId));
  assert.equal(refused.status, 403);
  assert.match(await refused.text(), /another session or token/);
  assert.ok((await read(BulkId)).Keys);
  for (let times = 0; times < 2; times++) assert.equal((await service.call('DELETE', keysPath(BulkId))).status, 200);
  assert.equal((await read(BulkId)).Keys, undefined);
  assert.deepEqual(await service.context.db.all('SELECT owner FROM bulk_keys WHERE owner = ?', BulkId), []);
  assert.equal((await service.call('DELETE', keysPath('unknown'))).status, 404);
});

test('a session reads them for an hour, also after its value was renewed, and no longer', async () => {
  const browser = await session();
  const made = await browser.ask('POST', '/v1/bulk', { Action: 'create', Devices: [draftOf('renewed')] });
  const { BulkId } = (await made.json()) as { BulkId: string };
  await bulk.ended(BulkId);
  const first = browser.cookie();
  const { Keys } = await result(browser.ask('GET', `/v1/bulk/${BulkId}`));
  assert.equal(Object.keys(Keys ?? {}).length, 1);
  for (let times = 0; times < 2; times++) {
    service.clock.offset += 20 * MINUTE;
    assert.deepEqual((await result(browser.ask('GET', `/v1/bulk/${BulkId}`))).Keys, Keys);
  }
  assert.notEqual(browser.cookie(), first);
  // The value before it is valid for a moment, for what was sent meanwhile.
  service.clock.offset += 19 * MINUTE;
  const value = browser.cookie();
  await (await browser.ask('GET', '/v1/account')).arrayBuffer();
  const late = fetch(new URL(`/v1/bulk/${BulkId}`, service.url), { headers: { Cookie: value } });
  assert.deepEqual((await result(late)).Keys, Keys);
  service.clock.offset += 2 * MINUTE;
  assert.equal((await result(browser.ask('GET', `/v1/bulk/${BulkId}`))).Keys, undefined);
  service.clock.offset += 5 * MINUTE;
  const stored = () =>
    service.context.db.all('SELECT 1 FROM bulk_keys k JOIN bulk b ON b.seq = k.bulk_seq WHERE b.id = ?', BulkId);
  await until('the keys to be deleted', async () => (await stored()).length === 0);
});

test('a session whose new value is not known here is asked to send again: the keys could never be read', async () => {
  const first = await startTestService();
  const browser = await session(first);
  const replaced = browser.cookie();
  first.clock.offset += 20 * MINUTE;
  await (await browser.ask('GET', '/v1/account')).arrayBuffer();
  assert.notEqual(browser.cookie(), replaced);
  await first.close();
  const second = await startTestService({}, first.dataDir, first.clock);
  const again = await session(second);
  const body = { Action: 'create', Devices: [draftOf('again')] };
  const refused = await again.ask('POST', '/v1/bulk', body, replaced);
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1']);
  assert.equal((await again.ask('POST', '/v1/bulk', body, browser.cookie())).status, 200);
  await second.end();
});

test('another session of the same person does not read them', async () => {
  const [one, other] = [await session(), await session()];
  const made = await one.ask('POST', '/v1/bulk', { Action: 'create', Devices: [draftOf('theirs')] });
  const { BulkId } = (await made.json()) as { BulkId: string };
  await bulk.ended(BulkId);
  assert.equal((await result(other.ask('GET', `/v1/bulk/${BulkId}`))).Keys, undefined);
  assert.ok((await result(one.ask('GET', `/v1/bulk/${BulkId}`))).Keys);
});
