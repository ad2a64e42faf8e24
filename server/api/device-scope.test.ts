// A role that is limited to device groups: devices of other groups, and devices without one, are not there for it,
// whichever operation it asks. The raw text of every answer is searched for what it must not contain.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import * as http from 'node:http';
import { join } from 'node:path';
import * as consumers from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import type { Device } from '#/contract/devices.ts';
import type { Role } from '#/contract/permissions.ts';
import { until } from '../../scripts/test-process.ts';
import { newId } from '../store/ids.ts';
import { createToken } from '../store/tokens.ts';
import { FakeAgent } from '../test-agents.ts';
import { idsIn, TestStream } from '../test-events.ts';
import { testFleet } from '../test-fleet.ts';
import type { TestFleet } from '../test-fleet.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

const OWN = 'hall north';
const OTHER = 'attic south';

interface Limited {
  tokenId: string;
  secret: string;
  /** A request; what it must not reveal is not in the answer. */
  call(method: string, at: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
}

let service: TestService;
let fleet: TestFleet;
let operator: Limited;
/** Devices of another group, and without a group: ids and names. */
const hidden = new Set<string>([OTHER]);

before(async () => {
  const options = { agentFile: join(import.meta.dirname, '../../agent/main.ts') };
  service = await startTestService({}, undefined, undefined, options);
  fleet = testFleet((...request) => service.call(...request));
  operator = await limitedTo([OWN]);
});
after(() => service.end());

/** A token of the account whose role covers these groups. */
async function limitedTo(groups: string[], role: Role = 'Admin', person?: string): Promise<Limited> {
  const { id, secret } = await service.context.db.write(async (tx) => {
    const token = await createToken(tx, 1, `for ${groups.join()}`, Date.now());
    const owner = person ?? null;
    const values = [role, JSON.stringify(groups), owner, token.id];
    await tx.run('UPDATE tokens SET role = ?, groups_json = ?, person_id = ? WHERE id = ?', ...values);
    return token;
  });
  const call: Limited['call'] = async (method, at, body, headers) => {
    const response = await service.call(method, at, body, { Authorization: `Bearer ${secret}`, ...headers });
    const asked = decodeURIComponent(at) + JSON.stringify(body ?? '');
    const answer = (await response.clone().text()) + JSON.stringify([...response.headers]);
    for (const each of hidden)
      assert.ok(asked.includes(each) || !answer.includes(each), `${method} ${at} reveals "${each}": ${answer}`);
    return response;
  };
  return { tokenId: id, secret, call };
}

/** A person whose role covers these groups; returns their id. */
async function insertPerson(groups: string[]): Promise<string> {
  const id = newId();
  await service.context.db.write((tx) =>
    tx.run(
      `INSERT INTO people (id, account_id, email, email_folded, name, role, groups_json, state, created)
       VALUES (?1, 1, ?1, ?1, '', 'Admin', ?2, 'Active', 0)`,
      id,
      JSON.stringify(groups),
    ),
  );
  return id;
}

async function answered<T>(response: Response): Promise<T> {
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}
const read = async <T>(at: string, who: Pick<Limited, 'call'> = operator) => answered<T>(await who.call('GET', at));
const send = async <T>(method: string, at: string, body?: unknown, who: Pick<Limited, 'call'> = service) =>
  answered<T>(await who.call(method, at, body));

/** A device that the limited role does not see, until it is moved. */
async function hiddenDevice(
  group = OTHER,
  name = `secret ${newId()}`,
): Promise<{ id: string; key: string; name: string }> {
  const device = await fleet.device(group, name);
  hidden.add(device.id);
  hidden.add(name);
  return { ...device, name };
}
const moveTo = (id: string, DeviceGroup: string) => send('PATCH', `/v1/devices/${id}`, { DeviceGroup });
const show = (...devices: { id: string; name: string }[]) => {
  for (const { id, name } of devices) for (const each of [id, name]) hidden.delete(each);
};

interface Page {
  Devices: Device[];
  TotalNumDevices: number;
}
const page = (at = '/v1/devices/1/100', who: Pick<Limited, 'call'> = operator) => read<Page>(at, who);
const idsOf = (devices: readonly { DeviceId: string }[]) => devices.map(({ DeviceId }) => DeviceId);

/** `fetch` sends no body with a GET. */
async function selectedDevices(ids: string[]): Promise<Device[]> {
  const body = JSON.stringify(ids.map((DeviceId) => ({ DeviceId })));
  const sent = http.request(new URL('/v1/devices', service.url), {
    method: 'GET',
    headers: {
      Authorization: `Bearer ${operator.secret}`,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    },
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [http.IncomingMessage];
  return JSON.parse(await consumers.text(response)) as Device[];
}

interface Changes {
  Version: string;
  Reset: boolean;
  Devices: Device[];
  Removed: string[];
}
const changesSince = (version: string, who: Pick<Limited, 'call'> = operator) =>
  read<Changes>(`/v1/changes?since=${encodeURIComponent(version)}`, who);
const present = async (who: Pick<Limited, 'call'> = operator) => (await read<Changes>('/v1/changes', who)).Version;

test('lists, filters, locations and counts have only devices of its groups', async () => {
  const earlier = (await page()).TotalNumDevices;
  const own: string[] = [];
  for (let each = 0; each < 5; each++) {
    await hiddenDevice();
    const { id } = await fleet.device(OWN, `seen ${each}`);
    own.push(id);
    await hiddenDevice('', `secret seen ${each}`);
  }
  const [first = '', second = ''] = own;
  const other = await hiddenDevice();
  await send('POST', `/v1/tag/everywhere`);
  const tags = await read<{ TagId: string; TagName: string }[]>('/v1/tag');
  const tag = tags.find(({ TagName }) => TagName === 'everywhere')?.TagId ?? '';
  for (const id of [second, other.id]) await send('POST', `/v1/devices/${id}/tag/${tag}`);
  const agents = await Promise.all(
    [await fleet.device(OWN, 'seen online'), await hiddenDevice()].map(({ key }) =>
      FakeAgent.connect(service.url, key),
    ),
  );
  for (const agent of agents) await agent.receive('welcome');

  const all = await page();
  const total = earlier + 6;
  assert.equal(all.TotalNumDevices, total);
  assert.equal(all.Devices.length, total);
  assert.ok(all.Devices.every(({ DeviceGroup }) => DeviceGroup === OWN));
  const pages = [await page(`/v1/devices/1/${total - 1}`), await page(`/v1/devices/2/${total - 1}`)];
  assert.deepEqual(
    pages.flatMap(({ Devices }) => idsOf(Devices)),
    idsOf(all.Devices),
  );
  assert.ok(pages.every(({ TotalNumDevices }) => TotalNumDevices === total));
  assert.ok((await page(undefined, service)).TotalNumDevices > total, 'roles without limits see all of them');

  const filtered = async (query: string, rows = '1/100') =>
    idsOf(await read<Device[]>(`/v1/devices/${rows}/filters${query}`));
  assert.deepEqual(await filtered('?device_name=SEEN%20'), own.concat(idsOf(all.Devices.slice(-1))));
  assert.deepEqual(await filtered('?device_name=seen%20', '2/2'), own.slice(2, 4));
  assert.deepEqual(await filtered('?device_name=secret'), []);
  assert.deepEqual(await filtered(`?device_id=${first}`), [first]);
  assert.deepEqual(await filtered(`?device_id=${other.id}`), []);
  assert.deepEqual(await filtered(''), idsOf(all.Devices));
  assert.deepEqual(await filtered('', `2/${total - 2}`), idsOf(all.Devices.slice(-2)));
  assert.deepEqual(await filtered(`?device_group=${encodeURIComponent(OWN)}`), idsOf(all.Devices));
  assert.deepEqual(await filtered(`?device_group=${encodeURIComponent(OTHER)}`), []);
  assert.deepEqual(await filtered('?device_tag=everywhere'), [second]);
  assert.deepEqual(await filtered('?device_tag=everywhere&device_name=e'), [second]);
  assert.deepEqual(await filtered('?device_status=online'), idsOf(all.Devices.slice(-1)));
  assert.deepEqual(await filtered('?device_status=offline'), idsOf(all.Devices.slice(0, -1)));
  assert.deepEqual(await filtered('?device_status=online&device_tag=everywhere'), []);

  const selected = await selectedDevices([other.id, second, 'nothing', first]);
  assert.deepEqual(idsOf(selected), [second, first]);
  assert.deepEqual(idsOf(await read<Device[]>('/v1/devices/location')), idsOf(all.Devices));
  const account = await read<{ NumDevicesAdded: number }>('/v1/account');
  assert.equal(account.NumDevicesAdded, total);
  for (const agent of agents) await agent.end();
});

test('to a device outside every operation says what it says to an unknown id, and changes nothing', async () => {
  const own = await fleet.device(OWN, 'mine');
  const outside = [await hiddenDevice(), await hiddenDevice('')];
  await send('POST', '/v1/tag/of-all');
  const tag = (await read<{ TagId: string; TagName: string }[]>('/v1/tag')).find(({ TagName }) => TagName === 'of-all');
  const [first] = outside;
  await send('POST', `/v1/devices/${first?.id}/tag/${tag?.TagId}`);
  const rows = () => service.context.db.all('SELECT * FROM devices ORDER BY seq');
  const attached = () => service.context.db.all('SELECT * FROM device_tags ORDER BY device_seq, tag_id');
  const stored = [await rows(), await attached()];
  const operations: [method: string, at: (id: string) => string, body?: unknown][] = [
    ['PATCH', (id) => `/v1/devices/${id}`, { DeviceName: 'taken' }],
    ['PATCH', (id) => `/v1/devices/${id}`, { DeviceGroup: OWN }],
    ['PATCH', (id) => `/v1/devices/${id}`, { DeviceGroup: 'elsewhere' }],
    ['POST', (id) => `/v1/devices/location/${id}`, { Lat: 1, Lng: 2 }],
    ['POST', (id) => `/v1/devices/${id}/key`],
    ['POST', (id) => `/v1/device/${id}/update-agent`],
    ['POST', (id) => `/v1/device/${id}/downgrade-agent`, { Sequence: 1 }],
    ['POST', (id) => `/v1/devices/${id}/tag/${tag?.TagId}`],
    ['DELETE', (id) => `/v1/devices/${id}/tag/${tag?.TagId}`],
    ['GET', (id) => `/v1/versions?device_id=${id}`],
    ['GET', (id) => `/v1/device/${id}/timeline`],
    ['GET', (id) => `/v1/device/${id}/queue`],
    ['DELETE', (id) => `/v1/devices/${id}`],
  ];
  for (const [method, at, body] of operations) {
    const unknown = await operator.call(method, at('unknown'), body);
    assert.equal(unknown.status, 404, `${method} ${at('unknown')}`);
    const expected = await unknown.text();
    for (const { id } of outside) {
      const response = await operator.call(method, at(id), body);
      assert.equal(response.status, 404, `${method} ${at(id)}`);
      assert.equal((await response.text()).replaceAll(id, 'unknown'), expected);
    }
  }
  assert.deepEqual([await rows(), await attached()], stored);

  await send('PATCH', `/v1/devices/${own.id}`, { DeviceName: 'renamed' }, operator);
  await send('POST', `/v1/devices/location/${own.id}`, { Lat: 1, Lng: 2 }, operator);
  await send('POST', `/v1/devices/${own.id}/tag/${tag?.TagId}`, undefined, operator);
  await send('DELETE', `/v1/devices/${own.id}/tag/${tag?.TagId}`, undefined, operator);
  await send('POST', `/v1/devices/${own.id}/key`, undefined, operator);
  await send('DELETE', `/v1/devices/${own.id}`, undefined, operator);
});

test('a device is created in a group of the role, and moved only from one of them to another', async () => {
  const both = await limitedTo([OWN, 'yard'], 'Deployer');
  const { TotalNumDevices } = await page(undefined, service);
  const draft = (DeviceGroup: string) => ({ DeviceName: 'new', DeviceGroup });
  for (const group of [OTHER, '', OWN.toUpperCase()]) {
    const response = await both.call('POST', '/v1/devices', draft(group));
    const problem = (await response.json()) as { Permission: string; Role: string; detail: string };
    assert.equal(response.status, 403);
    assert.deepEqual([problem.Permission, problem.Role], ['operate', 'Deployer']);
    assert.match(problem.detail, /covers devices of "hall north", "yard"/);
  }
  assert.equal((await page(undefined, service)).TotalNumDevices, TotalNumDevices);
  const { DeviceId } = await send<{ DeviceId: string }>('POST', '/v1/devices', draft(OWN), both);
  for (const DeviceGroup of [OTHER, ''])
    assert.equal((await both.call('PATCH', `/v1/devices/${DeviceId}`, { DeviceName: 'x', DeviceGroup })).status, 403);
  assert.equal((await page()).Devices.find((each) => each.DeviceId === DeviceId)?.DeviceName, 'new');
  await send('PATCH', `/v1/devices/${DeviceId}`, { DeviceGroup: 'yard' }, both);
  assert.ok(idsOf((await page(undefined, both)).Devices).includes(DeviceId));
  assert.ok(!idsOf((await page()).Devices).includes(DeviceId), 'it left the groups of the other role');
  assert.equal((await operator.call('PATCH', `/v1/devices/${DeviceId}`, { DeviceGroup: OWN })).status, 404);
});

test('a role whose groups have no devices, and one that covers no group, see nothing', async () => {
  const person = await insertPerson([OTHER]);
  for (const nobody of [await limitedTo(['nowhere']), await limitedTo([OWN], 'Admin', person)]) {
    assert.deepEqual(await page(undefined, nobody), { Devices: [], TotalNumDevices: 0 });
    for (const at of ['/v1/devices/location', '/v1/devices/1/9/filters', '/v1/devices/1/9/filters?device_name=e'])
      assert.deepEqual(await read<unknown[]>(at, nobody), []);
    assert.equal((await read<{ NumDevicesAdded: number }>('/v1/account', nobody)).NumDevicesAdded, 0);
    const response = await nobody.call('POST', '/v1/devices', { DeviceName: 'new', DeviceGroup: OWN });
    assert.equal(response.status, 403);
  }
});

test('a repeated request does not give the key of a device that was moved away since', async () => {
  const headers = { 'Idempotency-Key': newId() };
  const draft = { DeviceName: `secret ${newId()}`, DeviceGroup: OWN };
  const first = await answered<{ DeviceId: string; DeviceKey: string }>(
    await operator.call('POST', '/v1/devices', draft, headers),
  );
  const again = await operator.call('POST', '/v1/devices', draft, headers);
  assert.deepEqual(await answered(again), first);
  await moveTo(first.DeviceId, OTHER);
  hidden.add(first.DeviceKey);
  assert.equal((await operator.call('POST', '/v1/devices', draft, headers)).status, 404);
});

test('moved devices leave and enter every list at once', async () => {
  const staying = await fleet.device(OWN, 'staying');
  const other = await hiddenDevice(OTHER, `mover ${newId()}`);
  const seen = async () => ({
    page: idsOf((await page()).Devices).includes(other.id),
    total: (await page()).TotalNumDevices,
    named: idsOf(await read<Device[]>('/v1/devices/1/100/filters?device_name=mover')).includes(other.id),
    location: idsOf(await read<Device[]>('/v1/devices/location')).includes(other.id),
    added: (await read<{ NumDevicesAdded: number }>('/v1/account')).NumDevicesAdded,
  });
  const outside = await seen();
  const { total } = outside;
  assert.deepEqual(outside, { page: false, total, named: false, location: false, added: total });
  for (let round = 0; round < 2; round++) {
    show(other);
    await moveTo(other.id, OWN);
    assert.deepEqual(await seen(), { page: true, total: total + 1, named: true, location: true, added: total + 1 });
    await moveTo(other.id, OTHER);
    for (const each of [other.id, other.name]) hidden.add(each);
    assert.deepEqual(await seen(), outside);
  }
  assert.ok(idsOf((await page()).Devices).includes(staying.id));
});

test('an ETag is of one scope, and a list that is cached for one is not another one’s', async () => {
  await fleet.device(OWN);
  await hiddenDevice();
  for (const at of ['/v1/devices/1/100', '/v1/devices/location']) {
    const etags = new Set<string>();
    for (const who of [service, operator, await limitedTo([OWN, 'yard']), await limitedTo(['yard'])]) {
      const etag = (await who.call('GET', at)).headers.get('ETag') ?? '';
      etags.add(etag);
      assert.equal((await who.call('GET', at, undefined, { 'If-None-Match': etag })).status, 304);
    }
    assert.equal(etags.size, 4, at);
    for (const etag of etags) {
      const response = await operator.call('GET', at, undefined, { 'If-None-Match': etag });
      assert.equal(response.status, etag === (await operator.call('GET', at)).headers.get('ETag') ? 304 : 200);
    }
  }
});

test('the locations of one account are not those of another', async () => {
  const { db } = service.context;
  const secret = await db.write(async (tx) => {
    await tx.run("INSERT INTO accounts (id, email, max_devices, artifact_limit, created) VALUES (2, 'b@x', 9, 9, 0)");
    return (await createToken(tx, 2, 'other', Date.now())).secret;
  });
  const other = (method: string, at: string, body?: unknown) =>
    service.call(method, at, body, { Authorization: `Bearer ${secret}` });
  // Whatever the counters of their versions are.
  for (let each = 0; each < 3; each++) {
    const mine = idsOf(await read<Device[]>('/v1/devices/location', service));
    const theirs = idsOf(await read<Device[]>('/v1/devices/location', { call: other }));
    assert.equal(theirs.length, each);
    assert.ok(theirs.every((id) => !mine.includes(id)));
    await testFleet(other).device('theirs');
  }
});

test('a refusal for want of licences does not say how many devices there are', async () => {
  const { db } = service.context;
  const { NumDevicesAdded } = await read<{ NumDevicesAdded: number }>('/v1/account', service);
  await db.write((tx) => tx.run('UPDATE accounts SET max_devices = 3 WHERE id = 1'));
  const response = await operator.call('POST', '/v1/devices', { DeviceName: 'too many', DeviceGroup: OWN });
  await db.write((tx) => tx.run('UPDATE accounts SET max_devices = 1000 WHERE id = 1'));
  assert.equal(response.status, 403);
  assert.ok(!(await response.text()).includes(String(NumDevicesAdded)));
});

// ---- Changes ---------------------------------------------------------------------------------------------------------

test('changes have rows and removed ids of its own devices only', async () => {
  const own = await fleet.device(OWN, 'before');
  const other = await hiddenDevice();
  let version = await present();
  const next = async () => {
    const changes = await changesSince(version);
    assert.equal(changes.Reset, false);
    version = changes.Version;
    return { rows: idsOf(changes.Devices), removed: changes.Removed };
  };
  const none = { rows: [], removed: [] };
  await send('PATCH', `/v1/devices/${other.id}`, { DeviceName: 'secret after' });
  hidden.add('secret after');
  await send('POST', `/v1/devices/location/${other.id}`, { Lat: 3, Lng: 3 });
  await hiddenDevice('');
  assert.deepEqual(await next(), none);
  await send('PATCH', `/v1/devices/${own.id}`, { DeviceName: 'after' });
  assert.deepEqual(await next(), { rows: [own.id], removed: [] });

  await moveTo(other.id, 'a third group');
  hidden.add('a third group');
  assert.deepEqual(await next(), none, 'moved from one foreign group to another');
  show({ ...other, name: 'secret after' });
  await moveTo(other.id, OWN);
  assert.deepEqual(await next(), { rows: [other.id], removed: [] });
  await moveTo(other.id, OTHER);
  assert.deepEqual(await next(), { rows: [], removed: [other.id] });
  hidden.add(other.id);
  await send('PATCH', `/v1/devices/${other.id}`, { DeviceName: 'renamed' });
  await send('DELETE', `/v1/devices/${other.id}`);
  assert.deepEqual(await next(), none, 'it went after it had left');

  // In and out again between two reads, and gone while it was seen.
  const passing = await hiddenDevice();
  assert.deepEqual(await next(), none);
  show(passing);
  await moveTo(passing.id, OWN);
  await moveTo(passing.id, OTHER);
  assert.deepEqual(await next(), { rows: [], removed: [passing.id] });
  await moveTo(passing.id, OWN);
  await send('DELETE', `/v1/devices/${passing.id}`);
  assert.deepEqual(await next(), { rows: [], removed: [passing.id] });
  await send('DELETE', `/v1/devices/${own.id}`);
  assert.deepEqual(await next(), { rows: [], removed: [own.id] });
});

test('a version is of one scope: with other groups than before everything is read again', async () => {
  const both = await limitedTo([OWN, 'yard']);
  const [own, whole, wider] = [await present(), await present(service), await present(both)];
  assert.equal((await changesSince(own)).Reset, false);
  for (const version of [whole, wider]) assert.equal((await changesSince(version)).Reset, true);
  assert.equal((await changesSince(own, service)).Reset, true);
  const { db } = service.context;
  await db.write((tx) =>
    tx.run('UPDATE tokens SET groups_json = ? WHERE id = ?', JSON.stringify(['yard']), both.tokenId),
  );
  assert.equal((await changesSince(wider, both)).Reset, true);
});

test('versions on devices: rows, counts and changes of its own', async () => {
  const [own, other] = [await fleet.device(OWN, 'deployed'), await hiddenDevice()];
  const artifact = await fleet.artifact('app.sh', '1.0');
  for (const { id, key } of [own, other]) {
    const agent = await FakeAgent.connect(service.url, key);
    const job = await fleet.submit({ DeviceId: id, ArtifactId: artifact });
    if (id === other.id) hidden.add(job);
    agent.finish((await agent.receive('run')).job, 0, 'done');
    await fleet.ended(job);
    await agent.end();
  }
  const versions = (query = '', who: Pick<Limited, 'call'> = operator) =>
    read<{ Items: { DeviceId: string }[]; None: string[]; Version: string; Reset: boolean }>(
      `/v1/versions?artifact=app${query}`,
      who,
    );
  const all = await versions();
  assert.deepEqual(idsOf(all.Items), [own.id]);
  assert.equal((await versions('', service)).Items.length, 2);
  const counts = await read<{ Devices: number }[]>('/v1/versions/counts');
  assert.deepEqual(
    counts.map(({ Devices }) => Devices),
    [1],
  );
  const since = (version: string) => versions(`&since=${encodeURIComponent(version)}`);
  assert.deepEqual((await since(all.Version)).Items, []);
  show(other);
  await moveTo(other.id, OWN);
  assert.equal((await since(all.Version)).Reset, true, 'its versions came with it');
});

// ---- Events ----------------------------------------------------------------------------------------------------------

const open = (who: Limited, headers: Record<string, string> = {}) =>
  TestStream.open(service, { Authorization: `Bearer ${who.secret}`, ...headers });

test('events name its own devices, jobs and rollouts, and nothing of others', async () => {
  const [own, other] = [await fleet.device(OWN, 'mine'), await hiddenDevice()];
  const single = await hiddenDevice();
  const stream = await open(operator);
  const all = await TestStream.open(service);
  const workflow = await fleet.workflow('true');
  const foreign = await fleet.submit({ DeviceGroup: OTHER, WorkflowId: workflow });
  const foreignSingle = await fleet.submit({ DeviceId: single.id, WorkflowId: workflow });
  const shared = await fleet.submit({ DeviceIds: [own.id, other.id], WorkflowId: workflow });
  const ownSingle = await fleet.submit({ DeviceId: own.id, WorkflowId: workflow });
  const rollout = (DeviceGroup: string) =>
    send<{ RolloutId: string }>('POST', '/v1/rollout', {
      Name: 'rollout',
      DeviceGroup,
      WorkflowId: workflow,
      StartTime: '2100-01-01T00:00:00Z',
      Waves: [{ Percent: 100 }],
      Gate: { SuccessPercent: 100, OnlineMinutes: 0, TimeoutMinutes: 60 },
      PauseAfter: { FailedCount: 0 },
      Advance: 'auto',
    });
  const rollouts = [await rollout(OTHER), await rollout(OWN)].map(({ RolloutId }) => RolloutId);
  await fleet.stop(foreignSingle);
  await fleet.stop(foreign);
  const { id: last } = await fleet.device(OWN, 'last');
  const [events, everything] = [await stream.naming(last), await all.naming(last)];

  const named = (list: typeof events, resource: string) => new Set(list.flatMap(({ data }) => idsIn(data[resource])));
  assert.deepEqual(named(events, 'Devices'), new Set([last]));
  assert.deepEqual(named(events, 'Jobs'), new Set([shared, ownSingle]));
  assert.deepEqual(named(events, 'Rollouts'), new Set(rollouts.slice(1)));
  assert.deepEqual(named(everything, 'Jobs'), new Set([foreign, foreignSingle, shared, ownSingle]));
  assert.deepEqual(named(everything, 'Rollouts'), new Set(rollouts));

  // A deleted job is named to nobody who cannot know whose it was.
  await fleet.remove(foreignSingle);
  await until('jobs to change', async () => stream.events.some(({ data }) => data['Jobs'] === 'many'));
  const reported = JSON.stringify(stream.events) + JSON.stringify(events);
  for (const id of [...hidden, foreign, foreignSingle, rollouts[0] ?? '']) assert.ok(!reported.includes(id), id);
  stream.close();
  all.close();
});

test('a device that enters or leaves is named, and what it takes along is read again', async () => {
  const other = await hiddenDevice();
  const stream = await open(operator);
  await hiddenDevice();
  await moveTo(other.id, OWN);
  show(other);
  const entered = (await stream.naming(other.id)).at(-1);
  assert.deepEqual(idsIn(entered?.data['Devices']), [other.id]);
  assert.deepEqual(
    [entered?.data['Jobs'], entered?.data['Rollouts'], entered?.data['Tunnels']],
    ['many', 'many', true],
  );
  await moveTo(other.id, OTHER);
  const left = (await stream.naming(other.id)).at(-1);
  assert.equal(left?.data['Jobs'], 'many');
  hidden.add(other.id);
  await send('PATCH', `/v1/devices/${other.id}`, { DeviceName: 'unseen' });
  const { id: last } = await fleet.device(OWN, 'last');
  const later = await stream.naming(last);
  assert.ok(!JSON.stringify(later).includes(other.id));
  stream.close();
});

test('tunnels of others are not reported', async () => {
  const other = await hiddenDevice();
  const agent = await FakeAgent.connect(service.url, other.key);
  await agent.receive('welcome');
  const stream = await open(operator);
  agent.say({ type: 'offers', run: 'run', offers: [{ id: 1, protocol: 'HTTP', dest: 'http://127.0.0.1:1' }] });
  await agent.receive('opened');
  const { id: last } = await fleet.device(OWN, 'last');
  assert.ok((await stream.naming(last)).every(({ data }) => data['Tunnels'] === undefined));
  stream.close();
  await agent.end();
});

test('a stream ends when the groups of its token, its session or its person change, and begins with a reset', async () => {
  const { db } = service.context;
  const setGroups = (table: 'tokens' | 'people', id: string, groups: string[]) =>
    db.write((tx) => tx.run(`UPDATE ${table} SET groups_json = ? WHERE id = ?`, JSON.stringify(groups), id));
  const person = await insertPerson([OWN, 'yard']);
  const withToken = await limitedTo([OWN]);
  const ofPerson = await limitedTo([OWN, 'yard'], 'Operator', person);
  const signedIn = await fetch(new URL('/auth/session', service.url), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ Token: withToken.secret }),
  });
  const Cookie = signedIn.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');

  const streams = [await open(withToken), await TestStream.open(service, { Cookie })];
  const [personal, unchanged] = [await open(ofPerson), await open(operator)];
  const version = await present(withToken);
  // More groups than before.
  await setGroups('tokens', withToken.tokenId, [OWN, 'yard']);
  for (const each of streams) await each.over();
  assert.equal(personal.isOver, false);
  const resumed = await open(withToken, { 'Last-Event-ID': version });
  await resumed.next('reset');
  resumed.close();
  // Fewer.
  await setGroups('people', person, ['yard']);
  await personal.over();
  assert.deepEqual(
    idsOf((await page(undefined, ofPerson)).Devices).length,
    (await page(undefined, await limitedTo(['yard']))).TotalNumDevices,
  );
  assert.equal(unchanged.isOver, false);
  unchanged.close();

  // Another role with the same groups.
  const demoted = await limitedTo([OWN], 'Operator');
  const stream = await open(demoted);
  await db.write((tx) => tx.run("UPDATE tokens SET role = 'Viewer' WHERE id = ?", demoted.tokenId));
  await stream.over();
});
