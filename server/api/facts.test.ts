// Facts through the API: as an agent reports them, as they are listed, counted and filtered by, and who sees them.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { Device } from '#/contract/devices.ts';
import type { Fact } from '#/contract/facts.ts';
import { until } from '../../scripts/test-process.ts';
import { storeFacts } from '../store/facts.ts';
import { FakeAgent } from '../test-agents.ts';
import { testFleet } from '../test-fleet.ts';
import type { TestFleet } from '../test-fleet.ts';
import { limitedCaller } from '../test-limited.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
let fleet: TestFleet;
beforeEach(async () => {
  service = await startTestService();
  fleet = testFleet((...asked) => service.call(...asked));
});
afterEach(() => service.end());

interface OfDevice {
  Items: Fact[];
  ReportedTime: string;
  Problems: string[];
}

async function read<T>(path: string): Promise<T> {
  const response = await service.call('GET', path);
  assert.equal(response.status, 200, await response.clone().text());
  return (await response.json()) as T;
}
const listed = (facts: Record<string, string>) => Object.entries(facts).map(([name, value]) => ({ name, value }));

/** A device of this group that has reported these facts. */
async function device(group: string, facts: Record<string, string>): Promise<{ id: string; key: string }> {
  const made = await fleet.device(group);
  await service.context.db.write(async (tx) => {
    const row = await tx.get<{ seq: number }>('SELECT seq FROM devices WHERE id = ?', made.id);
    await storeFacts(tx, row?.seq ?? 0, listed(facts), Date.now());
  });
  return made;
}

const filtered = async (query: Record<string, string>): Promise<string[]> =>
  (await read<Device[]>(`/v1/devices/1/100/filters?${String(new URLSearchParams(query))}`)).map(
    ({ DeviceId }) => DeviceId,
  );

test('what an agent reports is listed by name, and the next welcome says that it is known', async () => {
  const { id, key } = await fleet.device();
  const empty = await read<OfDevice>(`/v1/device/${id}/facts`);
  assert.deepEqual(empty, { Items: [], ReportedTime: '', Problems: [] });
  const agent = await FakeAgent.connect(service.url, key);
  assert.equal((await agent.receive('welcome')).facts, '');
  agent.say({ type: 'facts', facts: listed({ os: 'debian', 'bad-name': 'x' }), problems: ['rack.sh timed out'] });
  await until('the facts to be stored', async () => (await read<OfDevice>(`/v1/device/${id}/facts`)).Items.length > 0);
  const { Items, ReportedTime, Problems } = await read<OfDevice>(`/v1/device/${id}/facts`);
  assert.deepEqual(
    Items.map(({ Name, Value }) => [Name, Value]),
    [['os', 'debian']],
  );
  assert.ok(Math.abs(Date.parse(ReportedTime) - Date.now()) < 60_000, ReportedTime);
  assert.equal(Problems[0], 'rack.sh timed out');
  assert.match(Problems[1] ?? '', /^"bad-name" is not the name of a fact/);
  await agent.end();
  const again = await FakeAgent.connect(service.url, key);
  assert.match((await again.receive('welcome')).facts ?? '', /^[0-9a-f]{64}$/);
  await again.end();
});

test('devices are filtered by all given facts, together with the other conditions', async () => {
  const one = await device('hall', { os: 'debian', arch: 'arm64' });
  const two = await device('hall', { os: 'debian', arch: 'x86_64' });
  const three = await device('yard', { os: 'alpine', arch: 'arm64' });
  assert.deepEqual(await filtered({ facts: '{"os":"debian"}' }), [one.id, two.id]);
  assert.deepEqual(await filtered({ facts: '{"arch":"arm64","os":"debian"}' }), [one.id]);
  assert.deepEqual(await filtered({ facts: '{"arch":"arm64"}', device_group: 'yard' }), [three.id]);
  assert.deepEqual(await filtered({ facts: '{"arch":"arm64"}', device_name: 'DEVICE' }), [one.id, three.id]);
  assert.deepEqual(await filtered({ facts: '{"arch":"arm64"}', device_status: 'online' }), []);
  assert.deepEqual(await filtered({ facts: '{"arch":"mips"}' }), []);
  assert.deepEqual(await filtered({ facts: '{"unknown":"x"}' }), []);
  assert.equal((await filtered({ facts: '{}' })).length, 3);
});

test('a filter that is no object of facts is refused with the reason', async () => {
  for (const facts of ['os=debian', '[]', '{"OS":"x"}', '{"os":1}', 'null', '{"__proto__":"x"}']) {
    const query = String(new URLSearchParams({ facts }));
    const response = await service.call('GET', `/v1/devices/1/100/filters?${query}`);
    assert.equal(response.status, 400, facts);
    assert.match(await response.text(), /must be a JSON object of facts/);
  }
});

test('the values of a fact are listed with their devices and counted, unless nothing has changed', async () => {
  const one = await device('hall', { os: 'debian' });
  const two = await device('yard', { os: 'debian', rack: '7' });
  const three = await device('', { os: 'alpine' });
  assert.deepEqual(await read('/v1/facts'), { Names: ['os', 'rack'] });
  const { Items } = await read<{ Items: { Value: string; Devices: string[] }[] }>('/v1/facts/os');
  assert.deepEqual(Items, [
    { Value: 'debian', Devices: [one.id, two.id] },
    { Value: 'alpine', Devices: [three.id] },
  ]);
  assert.deepEqual(await read('/v1/facts/os/counts'), {
    Items: [
      { Value: 'debian', Devices: 2 },
      { Value: 'alpine', Devices: 1 },
    ],
    Values: 2,
  });
  assert.deepEqual(await read('/v1/facts/os/counts?limit=1'), { Items: [{ Value: 'debian', Devices: 2 }], Values: 2 });
  assert.deepEqual(await read('/v1/facts/nothing'), { Items: [] });
  assert.deepEqual(await read('/v1/facts/nothing/counts'), { Items: [], Values: 0 });
  const etag = (await service.call('GET', '/v1/facts/os')).headers.get('ETag') ?? '';
  const again = () => service.call('GET', '/v1/facts/os', undefined, { 'If-None-Match': etag });
  assert.equal((await again()).status, 304);
  await device('', { os: 'alpine' });
  assert.equal((await again()).status, 200);
});

test('a role that is limited to groups learns nothing of the facts of others', async () => {
  const own = await device('hall', { os: 'debian' });
  const other = await device('yard', { os: 'debian', quokka: 'enclosure' });
  const limited = await limitedCaller(service, { role: 'Viewer', groups: ['hall'] }, [other.id, 'quokka', 'enclosure']);
  assert.deepEqual(await limited.json('GET', '/v1/facts'), { Names: ['os'] });
  assert.deepEqual(await limited.json('GET', '/v1/facts/os'), { Items: [{ Value: 'debian', Devices: [own.id] }] });
  const counts = await limited.json('GET', '/v1/facts/os/counts');
  assert.deepEqual(counts, { Items: [{ Value: 'debian', Devices: 1 }], Values: 1 });
  assert.deepEqual(await limited.json('GET', '/v1/facts/quokka/counts'), { Items: [], Values: 0 });
  assert.equal(await limited.status('GET', `/v1/device/${other.id}/facts`), 404);
  const query = String(new URLSearchParams({ facts: '{"os":"debian"}' }));
  const found = await limited.json<Device[]>('GET', `/v1/devices/1/100/filters?${query}`);
  assert.deepEqual(
    found.map(({ DeviceId }) => DeviceId),
    [own.id],
  );
});
