// What changed since a version, and the stream of events: nothing is left out, and nothing of another account is in it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Device } from '#/contract/devices.ts';
import { until } from '../../scripts/test-process.ts';
import { pruneChanges } from '../store/changes.ts';
import { FakeAgent } from '../test-agents.ts';
import { idsIn, TestStream } from '../test-events.ts';
import { testFleet } from '../test-fleet.ts';
import type { TestFleet } from '../test-fleet.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
let fleet: TestFleet;
before(async () => {
  service = await startTestService();
  fleet = testFleet((...request) => service.call(...request));
});
after(() => service.end());

interface Changes {
  Version: string;
  Reset: boolean;
  Devices: (Device & { Lat: number; Lng: number })[];
  Removed: string[];
}

async function send<T>(method: string, at: string, body?: unknown): Promise<T> {
  const response = await service.call(method, at, body);
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return (text === '' ? {} : JSON.parse(text)) as T;
}
const changesSince = (version: string) => send<Changes>('GET', `/v1/changes?since=${encodeURIComponent(version)}`);
const present = async () => (await send<Changes>('GET', '/v1/changes')).Version;

test('a version without changes since has no rows, and the first answer has none either', async () => {
  await fleet.device();
  const first = await send<Changes>('GET', '/v1/changes');
  assert.deepEqual({ ...first, Version: '' }, { Version: '', Reset: false, Devices: [], Removed: [] });
  assert.deepEqual(await changesSince(first.Version), first);
});

test('what a list of devices shows is a change, once for each device', async () => {
  const { id, key } = await fleet.device('lab', 'before');
  await send('POST', '/v1/tag/indoors');
  const tags = await send<{ TagId: string; TagName: string }[]>('GET', '/v1/tag');
  const { TagId } = tags.find(({ TagName }) => TagName === 'indoors') ?? { TagId: '' };
  const steps: [what: string, change: () => Promise<unknown>, seen: (device: Changes['Devices'][0]) => unknown][] = [
    ['name', () => send('PATCH', `/v1/devices/${id}`, { DeviceName: 'after' }), (d) => d.DeviceName === 'after'],
    ['location', () => send('POST', `/v1/devices/location/${id}`, { Lat: 1.5, Lng: -2 }), (d) => d.Lng === -2],
    ['tag', () => send('POST', `/v1/devices/${id}/tag/${TagId}`), (d) => d.Tags?.[0]?.TagName === 'indoors'],
    ['deleted tag', () => send('DELETE', `/v1/tag/${TagId}`), (d) => d.Tags?.length === 0],
  ];
  for (const [what, change, seen] of steps) {
    const version = await present();
    await change();
    const { Devices, Removed } = await changesSince(version);
    assert.deepEqual([Devices.map(({ DeviceId }) => DeviceId), Removed], [[id], []], what);
    assert.ok(Devices[0] && seen(Devices[0]), what);
  }
  const version = await present();
  const agent = await FakeAgent.connect(service.url, key);
  await agent.receive('welcome');
  assert.equal((await changesSince(version)).Devices[0]?.DeviceStatus, 'Online');
  await agent.end();
  await until(
    'the device to be Offline',
    async () => (await changesSince(version)).Devices[0]?.DeviceStatus === 'Offline',
  );
});

test('a deleted device is in Removed, one that was created and deleted since as well', async () => {
  const { id } = await fleet.device();
  const version = await present();
  const short = await fleet.device();
  for (const each of [id, short.id]) await send('DELETE', `/v1/devices/${each}`);
  const { Devices, Removed } = await changesSince(version);
  assert.deepEqual([Devices, Removed.toSorted()], [[], [id, short.id].toSorted()]);
});

test('who goes from version to version while devices are created misses none', async () => {
  const found = new Set<string>();
  let version = await present();
  const follow = async () => {
    const { Version, Devices } = await changesSince(version);
    version = Version;
    for (const { DeviceId } of Devices) found.add(DeviceId);
  };
  const creating = Promise.all(Array.from({ length: 100 }, () => fleet.device('many')));
  const progress = { isOver: false };
  void creating.then(() => (progress.isOver = true));
  while (!progress.isOver) await follow();
  await follow();
  const missed = (await creating).filter(({ id }) => !found.has(id));
  assert.deepEqual(missed, []);
});

test('many changed devices are compressed', async () => {
  const version = await present();
  await Promise.all(Array.from({ length: 60 }, () => fleet.device('compressed')));
  const at = `/v1/changes?since=${encodeURIComponent(version)}`;
  const response = await service.call('GET', at, undefined, { 'Accept-Encoding': 'gzip' });
  assert.equal(response.headers.get('content-encoding'), 'gzip');
  assert.equal(((await response.json()) as Changes).Devices.length, 60);
});

test('versions that are unknown, of another database, or too old are answered with Reset', async () => {
  const version = await present();
  const [, opening = '', seq = '', mark = ''] = /^(.*)-(\d+)-(\d+)$/.exec(version) ?? [];
  const others = [`other-${seq}-${mark}`, `${opening}-${Number(seq) + 1_000}-${mark}`, `${opening}-${seq}-${mark}1`];
  for (const unknown of ['nonsense', `${opening}-${seq}`, ...others]) {
    const { Reset, Version, Devices } = await changesSince(unknown);
    assert.deepEqual([Reset, Version, Devices], [true, version, []], unknown);
  }
  for (let each = 0; each < 3; each++) await fleet.device();
  await pruneChanges(service.context.db, 2);
  assert.equal((await changesSince(version)).Reset, true);
  assert.equal((await changesSince(await present())).Reset, false);
});

test('changes of another account are in no answer and no event', async () => {
  const { db } = service.context;
  const stream = await TestStream.open(service);
  const version = await present();
  await db.write(async (tx) => {
    await tx.run("INSERT INTO accounts (id, email, max_devices, artifact_limit, created) VALUES (7, 'x', 9, 9, 0)");
    await tx.run(
      "INSERT INTO devices (id, account_id, name, name_folded, grp, key_hash, created) VALUES ('foreign', 7, 'f', 'f', '', ?, 0)",
      new Uint8Array([7]),
    );
  });
  const { id } = await fleet.device();
  assert.deepEqual(
    (await changesSince(version)).Devices.map(({ DeviceId }) => DeviceId),
    [id],
  );
  const events = await stream.naming(id);
  assert.ok(events.every(({ data }) => !idsIn(data['Devices']).includes('foreign')));
  stream.close();
});

test('events name what changed, of a child the job that it belongs to', async () => {
  const device = await fleet.device('events');
  const stream = await TestStream.open(service);
  const agent = await FakeAgent.connect(service.url, device.key);
  await stream.naming(device.id);
  const job = await fleet.run('true', { DeviceGroup: 'events' });
  agent.finish((await agent.receive('run')).job, 0, 'done');
  await fleet.ended(job);
  const jobs = new Set<string>();
  await until('the job to be named', async () => {
    for (const { data } of stream.events) for (const id of idsIn(data['Jobs'])) jobs.add(id);
    return jobs.has(job);
  });
  assert.deepEqual([...jobs], [job]);
  await send('POST', '/v1/tag/evented');
  const tagged = await until('a tag to be named', async () => stream.events.find(({ data }) => data.Tags));
  assert.equal(tagged.data.Tags, true);
  assert.deepEqual((await changesSince(tagged.id)).Devices, []);
  stream.close();
  await agent.end();
});

test('a stream resumes where the last one ended, and begins anew where that is not known', async () => {
  const opened = await TestStream.open(service);
  const { id: first } = await fleet.device();
  const seen = (await opened.naming(first)).at(-1);
  opened.close();
  const { id: missed } = await fleet.device();
  const second = await TestStream.open(service, { 'Last-Event-ID': seen?.id ?? '' });
  await second.naming(missed);
  second.close();
  const third = await TestStream.open(service, { 'Last-Event-ID': 'of-another-1' });
  assert.match((await third.next('reset')).id, /-\d+$/);
  third.close();
});

test('a stream ends with its token', async () => {
  const link = await service.context.db.write(async (tx) => {
    const { createToken } = await import('../store/tokens.ts');
    return createToken(tx, 1, 'short-lived', Date.now());
  });
  const stream = await TestStream.open(service, { Authorization: `Bearer ${link.secret}` });
  const other = await TestStream.open(service);
  await send('DELETE', `/v1/account/tokens/${link.id}`);
  await stream.over();
  await until('the account to be named', async () => other.events.some(({ data }) => data.Account));
  assert.equal(other.isOver, false);
  other.close();
});

test('a service that stops ends its streams', async () => {
  const own = await startTestService();
  const stream = await TestStream.open(own);
  await own.end();
  await stream.over();
});
