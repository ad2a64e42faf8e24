// Devices over real HTTP, as v1.md documents them and as this project fills its gaps.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, beforeEach, test } from 'node:test';
import type { Device, DeviceLocation, NewDevice } from '#/contract/devices.ts';
import type { ProblemBody } from '#/contract/problem.ts';
import { hashSecret } from '../store/ids.ts';
import { FIRST_ACCOUNT } from '../store/accounts.ts';
import { beginSession, deviceByKey, insertDevice, markOffline } from '../store/devices.ts';
import type { Inventory } from '../store/devices.ts';
import { onPostgres } from '../store/test-database.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ MAX_DEVICES: '50' });
});
after(() => service.end());
beforeEach(async () => {
  for (const { DeviceId } of await all()) await service.call('DELETE', `/v1/devices/${DeviceId}`);
});

async function create(DeviceName: string, DeviceGroup = ''): Promise<NewDevice> {
  const response = await service.call('POST', '/v1/devices', { DeviceName, DeviceGroup });
  assert.equal(response.status, 200);
  return (await response.json()) as NewDevice;
}
const read = async <T>(at: string): Promise<T> => (await (await service.call('GET', at)).json()) as T;
const page = (number: number, rows: number) =>
  read<{ Devices: Device[]; TotalNumDevices: number }>(`/v1/devices/${number}/${rows}`);
const all = async () => (await page(1, 1000)).Devices;
const names = (devices: Device[]) => devices.map(({ DeviceName }) => DeviceName);
const filter = async (query: Record<string, string>, at = '1/100') =>
  names(await read<Device[]>(`/v1/devices/${at}/filters?${new URLSearchParams(query).toString()}`));
async function refused(response: Response, status: number): Promise<ProblemBody> {
  assert.equal(response.status, status);
  assert.match(response.headers.get('Content-Type') ?? '', /^application\/problem\+json/);
  const body = (await response.json()) as ProblemBody;
  assert.equal(body.status, status);
  return body;
}
const empty = async (response: Response) => assert.deepEqual([response.status, await response.text()], [200, '']);

test('a created device is listed with every documented field; its key is returned once', async () => {
  const { DeviceId, DeviceKey } = await create('Pump ü "1"', 'north');
  assert.ok(DeviceKey.length >= 22, 'at least 128 bits');
  const response = await service.call('GET', '/v1/devices/1/25');
  const text = await response.text();
  assert.ok(!text.includes(DeviceKey));
  const { Devices, TotalNumDevices } = JSON.parse(text) as { Devices: Device[]; TotalNumDevices: number };
  assert.equal(TotalNumDevices, 1);
  const [{ CreatedTime, ...device } = {} as Device] = Devices;
  assert.deepEqual(device, {
    DeviceId,
    DeviceName: 'Pump ü "1"',
    DeviceGroup: 'north',
    LocalAddr: '',
    LocalPort: '',
    DeviceStatus: 'Offline',
    CustomerName: '',
    CustomerSite: '',
    LastSeenTime: '',
    AgentVersion: '',
    AgentUpdate: '',
    AgentProblem: '',
    AgentProblemText: '',
    AgentProblemTime: '',
    KeyRotation: '',
    KeyProblem: '',
    TunnelsAllowed: 'none',
    SysOS: '',
    SysArch: '',
    SysHostname: '',
    Tags: [],
  });
  assert.ok(Math.abs(Date.parse(CreatedTime ?? '') - Date.now()) < 60_000);
});

test('the key is stored as a hash only', async () => {
  const { DeviceKey } = await create('a');
  const [row] = await service.context.db.all<Record<string, unknown>>('SELECT * FROM devices');
  for (const value of Object.values(row ?? {})) assert.notEqual(value, DeviceKey);
  assert.deepEqual(Buffer.from(row?.['key_hash'] as Uint8Array), hashSecret(DeviceKey));
});

test('create refuses what is missing, empty, too long or of the wrong type, by name', async () => {
  const cases: [body: unknown, field: string][] = [
    [{ DeviceGroup: 'g' }, 'DeviceName'],
    [{ DeviceName: '', DeviceGroup: 'g' }, 'DeviceName'],
    [{ DeviceName: '  ', DeviceGroup: 'g' }, 'DeviceName'],
    [{ DeviceName: 'x'.repeat(256), DeviceGroup: 'g' }, 'DeviceName'],
    [{ DeviceName: 5, DeviceGroup: 'g' }, 'DeviceName'],
    [{ DeviceName: 'a', DeviceGroup: null }, 'DeviceGroup'],
  ];
  for (const [body, field] of cases) {
    const { errors, detail } = await refused(await service.call('POST', '/v1/devices', body), 400);
    assert.equal(errors?.[0]?.field, field);
    assert.match(detail ?? '', new RegExp(`^${field} must`));
  }
  assert.equal((await page(1, 1)).TotalNumDevices, 0);
});

test('update writes the given fields and no others', async () => {
  const { DeviceId } = await create('old', 'g');
  await empty(await service.call('PATCH', `/v1/devices/${DeviceId}`, { DeviceName: 'NEW', CustomerSite: 'roof' }));
  await empty(await service.call('PATCH', `/v1/devices/${DeviceId}`, { CustomerName: 'Ann', DeviceGroup: '' }));
  const [device] = await all();
  assert.deepEqual(
    [device?.DeviceName, device?.DeviceGroup, device?.CustomerName, device?.CustomerSite],
    ['NEW', '', 'Ann', 'roof'],
  );
  assert.deepEqual(await filter({ device_name: 'new' }), ['NEW'], 'found under the new name');
  assert.deepEqual(await filter({ device_name: 'old' }), []);
  await refused(await service.call('PATCH', `/v1/devices/${DeviceId}`, {}), 400);
  await refused(await service.call('PATCH', `/v1/devices/${DeviceId}`, { DeviceName: '' }), 400);
  await refused(await service.call('PATCH', '/v1/devices/unknown', { DeviceName: 'x' }), 404);
});

test('a location is stored to the last digit; 0/0 until it is set', async () => {
  const { DeviceId } = await create('placed');
  const other = await create('unplaced');
  const exact = { Lat: 48.858_370_000_000_01, Lng: -179.999_999_999_999_97 };
  await empty(await service.call('POST', `/v1/devices/location/${DeviceId}`, exact));
  assert.deepEqual(await read<DeviceLocation[]>('/v1/devices/location'), [
    { DeviceId, ...exact },
    { DeviceId: other.DeviceId, Lat: 0, Lng: 0 },
  ]);
  for (const body of [{ Lat: '48', Lng: 2 }, { Lat: 91, Lng: 0 }, { Lat: 0, Lng: -180.5 }, { Lat: 1 }, {}])
    await refused(await service.call('POST', `/v1/devices/location/${DeviceId}`, body), 400);
  await refused(await service.call('POST', '/v1/devices/location/unknown', { Lat: 1, Lng: 1 }), 404);
});

test('a location without decimals is a number all the same', async () => {
  const { DeviceId } = await create('a');
  await service.call('POST', `/v1/devices/location/${DeviceId}`, { Lat: -90, Lng: 180 });
  assert.deepEqual(await read('/v1/devices/location'), [{ DeviceId, Lat: -90, Lng: 180 }]);
});

test('pages follow creation order; one past the end is empty with the true total', async () => {
  for (let index = 0; index < 7; index++) await create(`d${index}`);
  assert.deepEqual(names((await page(1, 3)).Devices), ['d0', 'd1', 'd2']);
  assert.deepEqual(names((await page(3, 3)).Devices), ['d6']);
  assert.deepEqual(await page(4, 3), { Devices: [], TotalNumDevices: 7 });
  assert.deepEqual((await page(999_999_999, 1000)).Devices, []);
  for (const at of ['0/25', '1/0', '1/1001', '-1/25', '1.5/25', 'a/25', '1/99999999999999'])
    await refused(await service.call('GET', `/v1/devices/${at}`), 400);
});

test('deep pages stay right when devices before them are deleted and others are added', async () => {
  const made: NewDevice[] = [];
  for (let index = 0; index < 10; index++) made.push(await create(`d${index}`));
  for (const index of [0, 4, 5, 9]) await service.call('DELETE', `/v1/devices/${made[index]?.DeviceId}`);
  await create('d10');
  assert.deepEqual(names((await page(2, 3)).Devices), ['d6', 'd7', 'd8']);
  assert.deepEqual(names((await page(3, 3)).Devices), ['d10']);
  assert.equal((await page(3, 3)).TotalNumDevices, 7);
});

test('a name may hold anything but stays text', async () => {
  const odd = ['<img src=x onerror=alert(1)>', '%_\\', '"\\"\n\t', '😀', "'; DROP TABLE devices; --"];
  if (!onPostgres) odd.push('\u0000nul');
  for (const name of odd) await create(name);
  assert.deepEqual(names(await all()), odd);
  assert.deepEqual(await filter({ device_name: '%' }), ['%_\\'], 'a wildcard is taken literally');
  assert.deepEqual(await filter({ device_name: '_' }), ['%_\\']);
  assert.deepEqual(await filter({ device_name: "'; drop" }), ["'; DROP TABLE devices; --"]);
});

test('half of a surrogate pair becomes the replacement character', async () => {
  await create('a\ud800b');
  assert.deepEqual(names(await all()), ['a\ufffdb']);
});

test('filters: parts of name and id in any letter case, whole group and status, tag by id or name, all of them at once', async () => {
  const a = await create('Straßenpumpe Nord', 'north');
  await create('ΟΔΟΣ', 'north');
  await create('pump south', 'South');
  assert.deepEqual(await filter({}), ['Straßenpumpe Nord', 'ΟΔΟΣ', 'pump south']);
  assert.deepEqual(await filter({ device_name: 'STRASSEN' }), ['Straßenpumpe Nord']);
  assert.deepEqual(await filter({ device_name: 'οδος' }), ['ΟΔΟΣ']);
  assert.deepEqual(await filter({ device_name: 'PUMP' }), ['Straßenpumpe Nord', 'pump south']);
  assert.deepEqual(await filter({ device_group: 'north' }), ['Straßenpumpe Nord', 'ΟΔΟΣ']);
  assert.deepEqual(await filter({ device_group: 'nor' }), [], 'a group is matched whole');
  assert.deepEqual(await filter({ device_id: a.DeviceId.slice(2, 9).toUpperCase() }), ['Straßenpumpe Nord']);

  const at = Date.now();
  await connected(a.DeviceKey, {
    addr: '10.1.1.1',
    port: '5',
    version: '1',
    os: 'linux',
    arch: 'arm64',
    hostname: 'h',
    tunnelsAllowed: '',
    keyFixed: '',
    at,
  });
  for (const status of ['Online', 'online', 'ONLINE'])
    assert.deepEqual(await filter({ device_status: status }), ['Straßenpumpe Nord']);
  assert.deepEqual(await filter({ device_status: 'offline' }), ['ΟΔΟΣ', 'pump south']);
  assert.deepEqual(await filter({ device_status: 'broken' }), []);

  await service.call('POST', '/v1/tag/Édge');
  const [tag] = await read<{ TagId: string }[]>('/v1/tag');
  await service.call('POST', `/v1/devices/${a.DeviceId}/tag/${tag?.TagId}`);
  assert.deepEqual(await filter({ device_tag: 'Édge' }), ['Straßenpumpe Nord']);
  assert.deepEqual(await filter({ device_tag: tag?.TagId ?? '' }), ['Straßenpumpe Nord']);
  assert.deepEqual(await filter({ device_tag: 'édge' }), [], 'a tag is matched exactly');
  assert.deepEqual(await filter({ device_name: 'pump', device_group: 'South' }), ['pump south']);
  assert.deepEqual(await filter({ device_name: 'pump', device_tag: 'Édge', device_status: 'offline' }), []);
  await service.call('DELETE', `/v1/tag/${tag?.TagId}`);

  assert.deepEqual(await filter({ device_name: 'p' }, '2/1'), ['pump south'], 'paged');
  assert.deepEqual(await filter({ device_name: 'p' }, '3/1'), []);
});

/** Notes that the agent of a device connected, and returns its session. */
async function connected(key: string, inventory: Inventory): Promise<number | undefined> {
  const { db, cluster } = service.context;
  const seq = (await deviceByKey(db, key))?.seq ?? 0;
  return db.write((tx) => beginSession(tx, { seq, keyHash: hashSecret(key), node: cluster.id }, inventory));
}

test('what an agent reported is listed, also after it disconnects', async () => {
  const { DeviceKey } = await create('a');
  const { db } = service.context;
  const seq = (await deviceByKey(db, DeviceKey))?.seq ?? 0;
  const at = Date.UTC(2026, 10, 2, 14, 3, 9, 250);
  const inventory = {
    addr: '192.168.7.7',
    port: '40112',
    version: '0.1.0',
    os: 'linux',
    arch: 'x64',
    hostname: 'box',
    tunnelsAllowed: 'loopback',
    keyFixed: '',
    at,
  };
  const session = await connected(DeviceKey, inventory);
  const [online] = await all();
  assert.deepEqual(
    [online?.DeviceStatus, online?.LocalAddr, online?.LocalPort, online?.LastSeenTime, online?.SysHostname],
    ['Online', '192.168.7.7', '40112', '2026-11-02T14:03:09.250+00:00', 'box'],
  );
  await db.write((tx) => markOffline(tx, { seq, session: session ?? 0, sentAway: false }, at + 1000));
  const [offline] = await all();
  assert.deepEqual(
    [offline?.DeviceStatus, offline?.LocalAddr, offline?.LastSeenTime, offline?.SysArch],
    ['Offline', '192.168.7.7', '2026-11-02T14:03:10.250+00:00', 'x64'],
  );
});

/** fetch cannot send a body with a GET. */
function getWithBody(body: string): Promise<{ status: number; value: unknown }> {
  return new Promise((resolve, reject) => {
    const asked = request(
      new URL('/v1/devices', service.url),
      { headers: { Authorization: `Bearer ${service.token}`, 'Content-Length': Buffer.byteLength(body) } },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, value: JSON.parse(text) as unknown }));
      },
    );
    asked.on('error', reject).end(body);
  });
}

test('selected devices: in the order asked, once each, unknown ones left out', async () => {
  const made = [await create('a'), await create('b'), await create('c')];
  const ids = [2, 0, 2].map((index) => ({ DeviceId: made[index]?.DeviceId }));
  const { status, value } = await getWithBody(JSON.stringify([ids[0], { DeviceId: 'unknown' }, ids[1], ids[2]]));
  assert.equal(status, 200);
  assert.deepEqual(names(value as Device[]), ['c', 'a']);
  assert.deepEqual(await getWithBody('[]'), { status: 200, value: [] });
});

test('selected devices: anything but a list of ids is refused', async () => {
  for (const body of ['', '{}', '[{"Id":"x"}]', '["x"]', '[', '[{"DeviceId":5}]'])
    assert.equal((await getWithBody(body)).status, 400, body);
  await refused(await service.call('GET', '/v1/devices'), 400);
});

test('more selected devices than fit in one portion come whole and in order', async () => {
  const made = [await create('a'), await create('b')];
  const unknown = Array.from({ length: 4100 }, (_, index) => ({ DeviceId: `u${index}` }));
  const asked = [{ DeviceId: made[1]?.DeviceId }, ...unknown, { DeviceId: made[0]?.DeviceId }];
  assert.deepEqual(names((await getWithBody(JSON.stringify(asked))).value as Device[]), ['b', 'a']);
});

test('delete takes the device, its key and its place; twice is a 404', async () => {
  const { DeviceId, DeviceKey } = await create('a');
  await service.call('POST', '/v1/tag/keep');
  const [tag] = await read<{ TagId: string }[]>('/v1/tag');
  await service.call('POST', `/v1/devices/${DeviceId}/tag/${tag?.TagId}`);
  await empty(await service.call('DELETE', `/v1/devices/${DeviceId}`));
  assert.deepEqual(await page(1, 25), { Devices: [], TotalNumDevices: 0 });
  assert.deepEqual(await read('/v1/devices/location'), []);
  assert.equal(await deviceByKey(service.context.db, DeviceKey), undefined);
  assert.equal((await read<unknown[]>('/v1/tag')).length, 1, 'the tag itself stays');
  await service.call('DELETE', `/v1/tag/${tag?.TagId}`);
  await refused(await service.call('DELETE', `/v1/devices/${DeviceId}`), 404);
});

test('a new key ends the old one at once', async () => {
  const { DeviceId, DeviceKey } = await create('a');
  const response = await service.call('POST', `/v1/devices/${DeviceId}/key`);
  const fresh = (await response.json()) as NewDevice;
  assert.equal(fresh.DeviceId, DeviceId);
  const { db } = service.context;
  assert.equal(await deviceByKey(db, DeviceKey), undefined);
  assert.equal((await deviceByKey(db, fresh.DeviceKey))?.id, DeviceId);
  await refused(await service.call('POST', '/v1/devices/unknown/key'), 404);
});

test('the licence: a device too many is refused, also among many at once, and says what to do', async () => {
  const results = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      service.call('POST', '/v1/devices', { DeviceName: `d${index}`, DeviceGroup: '' }),
    ),
  );
  assert.equal(results.filter(({ status }) => status === 200).length, 50);
  const over = results.find(({ status }) => status !== 200);
  assert.ok(over);
  assert.match((await refused(over, 403)).detail ?? '', /It is for 50 devices: delete devices/);
  assert.equal((await page(1, 1)).TotalNumDevices, 50);
  const [first] = await all();
  await service.call('DELETE', `/v1/devices/${first?.DeviceId}`);
  await create('fits again');
});

test("a device's jobs are listed under it", async () => {
  const { DeviceId } = await create('a');
  assert.deepEqual(await read(`/v1/device/${DeviceId}/queue`), []);
  await refused(await service.call('GET', '/v1/device/unknown/queue'), 404);
});

test('a list that has not changed is not sent again, and one that has is', async () => {
  const { DeviceId } = await create('a');
  for (const at of ['/v1/devices/1/25', '/v1/devices/1/25/filters', '/v1/devices/location', '/v1/tag', '/v1/account']) {
    const etag = (await service.call('GET', at)).headers.get('ETag') ?? '';
    assert.match(etag, /^"[^"]+"$/);
    const again = await service.call('GET', at, undefined, { 'If-None-Match': `"x", W/${etag}` });
    assert.deepEqual([at, again.status, await again.text()], [at, 304, '']);
    assert.equal(again.headers.get('ETag'), etag);
  }
  const old = (await service.call('GET', '/v1/devices/1/25')).headers.get('ETag') ?? '';
  await service.call('PATCH', `/v1/devices/${DeviceId}`, { DeviceName: 'b' });
  const changed = await service.call('GET', '/v1/devices/1/25', undefined, { 'If-None-Match': old });
  assert.equal(changed.status, 200);
  const places = (await service.call('GET', '/v1/devices/location')).headers.get('ETag') ?? '';
  await service.call('POST', `/v1/devices/location/${DeviceId}`, { Lat: 1, Lng: 2 });
  const moved = await service.call('GET', '/v1/devices/location', undefined, { 'If-None-Match': places });
  assert.deepEqual([moved.status, await moved.json()], [200, [{ DeviceId, Lat: 1, Lng: 2 }]]);
  // The last answer is cached until a device moves, is added or removed.
  assert.deepEqual(await read('/v1/devices/location'), [{ DeviceId, Lat: 1, Lng: 2 }]);
  await service.call('DELETE', `/v1/devices/${DeviceId}`);
  assert.deepEqual(await read('/v1/devices/location'), []);
});

test('a long list of devices is compressed for clients that accept it; a list of jobs never is', async () => {
  const { db, order } = service.context;
  await db.write(async (tx) => {
    for (let n = 0; n < 40; n++) {
      const draft = { DeviceName: `unit ${n}`, DeviceGroup: 'x'.repeat(600) };
      await insertDevice(tx, FIRST_ACCOUNT, draft, Date.now());
      order.added(tx, FIRST_ACCOUNT);
    }
  });
  const ask = (at: string, accept: string, known = '') =>
    service.call('GET', at, undefined, { 'Accept-Encoding': accept, 'If-None-Match': known });
  for (const at of ['/v1/devices/1/1000', '/v1/devices/1/1000/filters?device_name=unit']) {
    const plain = await ask(at, 'gzip;q=0, identity');
    const packed = await ask(at, 'br, gzip');
    assert.deepEqual(
      [plain, packed].map(({ headers }) => headers.get('Content-Encoding')),
      [null, 'gzip'],
    );
    assert.ok(packed.headers.get('Vary')?.includes('Accept-Encoding'));
    assert.equal(await packed.text(), await plain.text());
    const etags = [plain, packed].map(({ headers }) => headers.get('ETag') ?? '');
    assert.notEqual(etags[0], etags[1]);
    for (const etag of etags) assert.equal((await ask(at, 'gzip', etag)).status, 304);
  }
  // Each job's Command contains a token (BREACH).
  const posted = async (path: string, body: object) =>
    (await (await service.call('POST', path, body)).json()) as object;
  const flow = await posted('/v1/workflow', { Name: 'n', Command: `: ${'x'.repeat(600)}` });
  const job = await posted('/v1/job', { Name: 'n'.repeat(255), DeviceGroup: 'x'.repeat(600), ...flow });
  const children = await ask(`/v1/job/${(job as { JobId: string }).JobId}/childjobs`, 'gzip');
  assert.equal(children.headers.get('Content-Encoding'), null);
  assert.ok((await children.text()).length > 16 * 1024);
});
