// Which version runs where: what jobs make of it, and what is read of it.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { DeviceVersion } from '#/contract/device-versions.ts';
import { FakeAgent } from '../test-agents.ts';
import { testFleet } from '../test-fleet.ts';
import type { TestFleet } from '../test-fleet.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { until } from '../../scripts/test-process.ts';

interface Answer {
  Items: DeviceVersion[];
  Next: string;
  Version: string;
  Reset: boolean;
  None: string[];
}

let service: TestService;
let fleet: TestFleet;
beforeEach(async () => {
  service = await startTestService();
  fleet = testFleet((...asked) => service.call(...asked));
});
afterEach(() => service.end());

const read = async (query: string): Promise<Answer> => {
  const response = await service.call('GET', `/v1/versions?${query}`);
  assert.equal(response.status, 200, await response.clone().text());
  return (await response.json()) as Answer;
};
const versions = async (artifact = 'myapp') => {
  const { Items } = await read(`artifact=${artifact}`);
  return Items.map(({ DeviceId, Version }) => [DeviceId, Version]);
};
interface Unit {
  id: string;
  key: string;
}
interface Run {
  code?: number;
  output?: string;
}

/** Deploys to one device, whose agent ends the job like that. */
async function deploy(artifact: string, { id, key }: Unit, { code = 0, output = '' }: Run = {}): Promise<string> {
  const agent = await FakeAgent.connect(service.url, key);
  const job = await fleet.submit({ DeviceId: id, ArtifactId: artifact });
  agent.finish((await agent.receive('run')).job, code, output);
  await fleet.ended(job);
  await agent.end();
  return job;
}
const saveRules = (...Rules: object[]) => service.call('PUT', '/v1/rules/myapp', { Rules });

interface Latest {
  Items: { DeviceId: string; ArtifactName: string; Version: string; Job?: { JobId: string; JobStatus: string } }[];
}

test('the latest version and the last job of devices are read in one request, however the job ended', async () => {
  const [app, tool] = [await fleet.artifact('myapp_1.0.0.sh', '1.0.0'), await fleet.artifact('tool_3.0.0.sh', '3.0.0')];
  const [unit, idle] = [await fleet.device(), await fleet.device()];
  await deploy(tool, unit);
  await deploy(app, unit);
  const failed = await deploy(tool, unit, { code: 1 });
  const latest = async (ids: string[]) => {
    const response = await service.call('GET', `/v1/jobs/latest?devices=${ids.join(',')}`);
    assert.equal(response.status, 200, await response.clone().text());
    return ((await response.json()) as Latest).Items;
  };
  const [first, second, ...more] = await latest([unit.id, idle.id, unit.id, 'nowhere']);
  assert.deepEqual(more, []);
  const { Job, ...version } = first ?? assert.fail();
  assert.deepEqual(version, { DeviceId: unit.id, ArtifactName: 'myapp', Version: '1.0.0' });
  assert.equal(Job?.JobId, failed);
  assert.deepEqual(second, { DeviceId: idle.id, ArtifactName: '', Version: '' });
  // An archived job is history, and the one before it is the last.
  assert.equal((await service.call('POST', '/v1/bulk', { Action: 'archive', Jobs: [failed] })).status, 200);
  await until('the job is archived', async () => (await latest([unit.id]))[0]?.Job?.JobId !== failed);
  const tooMany = await service.call('GET', `/v1/jobs/latest?devices=${Array(101).fill('x').join(',')}`);
  assert.equal(tooMany.status, 400);
});

test('the last success counts, of an earlier version too; a failure does not; each name has its own', async () => {
  const [one, two, other] = [
    await fleet.artifact('myapp_1.0.0.sh', '1.0.0'),
    await fleet.artifact('myapp_2.0.0.sh', '2.0.0'),
    await fleet.artifact('driver.sh', '7'),
  ];
  const device = await fleet.device();
  await deploy(one, device);
  await deploy(two, device);
  assert.deepEqual(await versions(), [[device.id, '2.0.0']]);
  const back = await deploy(one, device);
  await deploy(two, device, { code: 1 });
  await deploy(other, device);
  const { Items } = await read(`device_id=${device.id}`);
  assert.deepEqual(
    Items.map(({ ArtifactName, Version, JobId }) => [ArtifactName, Version, JobId === back]),
    [
      ['driver', '7', false],
      ['myapp', '1.0.0', true],
    ],
  );
  assert.match(Items[1]?.Time ?? '', /^\d{4}-.*T/);
});

test('it stays when the job and the artifact are deleted, and goes with the device', async () => {
  const artifact = await fleet.artifact('myapp.sh', '1');
  const device = await fleet.device();
  await fleet.remove(await deploy(artifact, device));
  await service.call('DELETE', `/v1/artifact/${artifact}`);
  assert.deepEqual(await versions(), [[device.id, '1']]);
  await service.call('DELETE', `/v1/devices/${device.id}`);
  assert.deepEqual(await versions(), []);
});

test('the artifact may be deleted while its job runs', async () => {
  const artifact = await fleet.artifact('myapp.sh', '1');
  const device = await fleet.device();
  const agent = await FakeAgent.connect(service.url, device.key);
  const job = await fleet.submit({ DeviceId: device.id, ArtifactId: artifact });
  const { job: id } = await agent.receive('run');
  agent.say({ type: 'started', job: id, ago: 0 });
  await fleet.reached(job, 'Running');
  await service.call('DELETE', `/v1/artifact/${artifact}`);
  agent.finish(id);
  await fleet.ended(job);
  assert.deepEqual(await versions(), [[device.id, '1']]);
  await agent.end();
});

test('many children that end together are all noted, and pages of any size show each once', async () => {
  const artifact = await fleet.artifact('myapp.sh', '1');
  const devices = await Promise.all(Array.from({ length: 12 }, () => fleet.device('hall')));
  const agents = await Promise.all(devices.map(({ key }) => FakeAgent.connect(service.url, key)));
  const job = await fleet.submit({ DeviceGroup: 'hall', ArtifactId: artifact });
  for (const [at, agent] of agents.entries()) agent.finish((await agent.receive('run')).job, at === 0 ? 1 : 0);
  await fleet.ended(job);
  const found: string[] = [];
  for (let Next = '', first = true; first || Next !== ''; first = false) {
    const page = await read(`artifact=myapp&limit=5${Next && `&before=${Next}`}`);
    found.push(...page.Items.map(({ DeviceId }) => DeviceId));
    Next = page.Next;
  }
  const expected = devices.slice(1).map(({ id }) => id);
  assert.deepEqual(found.sort(), expected.sort());
  const counts = (await (await service.call('GET', '/v1/versions/counts')).json()) as object[];
  assert.deepEqual(counts, [{ ArtifactName: 'myapp', Version: '1', Devices: 11 }]);
  for (const agent of agents) await agent.end();
});

test('a rule decides what a success is, and a job that is judged again gives way to the one before', async () => {
  const [one, two] = [await fleet.artifact('myapp_1.0.sh', '1.0'), await fleet.artifact('myapp_2.0.sh', '2.0')];
  const device = await fleet.device();
  await deploy(one, device, { output: 'all ok' });
  await deploy(two, device, { output: 'all ok\nrolled back' });
  assert.deepEqual(await versions(), [[device.id, '2.0']]);
  const is = (version: string | undefined) =>
    until(`version ${version}`, async () => (await versions())[0]?.[1] === version);
  await saveRules({ Find: 'rolled back', Verdict: 'RolledBack' });
  await is('1.0');
  await saveRules({ Find: 'all ok', Verdict: 'Failed' });
  await is(undefined);
  await saveRules();
  await is('2.0');
});

test('with rules, a job is no success before it was judged as one', async () => {
  await saveRules({ Find: 'all ok', Verdict: 'Succeeded' });
  const artifact = await fleet.artifact('myapp.sh', '1');
  const [good, bad] = [await fleet.device(), await fleet.device()];
  await deploy(artifact, bad, { output: 'nothing' });
  const job = await deploy(artifact, good, { output: 'all ok' });
  await until('the verdict', async () => (await fleet.job(job)).Verdict === 'Succeeded');
  assert.deepEqual(await versions(), [[good.id, '1']]);
});

test('what changed since a reading is read alone', async () => {
  const [one, two] = [await fleet.artifact('myapp_1.0.sh', '1.0'), await fleet.artifact('myapp_2.0.sh', '2.0')];
  const [changing, still] = [await fleet.device(), await fleet.device()];
  await deploy(one, still);
  const { Version } = await read('artifact=myapp');
  const since = async () => {
    const { Items, None, Reset } = await read(`artifact=myapp&since=${encodeURIComponent(Version)}`);
    return { Items: Items.map((item) => [item.DeviceId, item.Version]), None, Reset };
  };
  assert.deepEqual(await since(), { Items: [], None: [], Reset: false });
  await deploy(two, changing, { output: 'odd' });
  await deploy(await fleet.artifact('driver.sh', '1'), still);
  assert.deepEqual(await since(), { Items: [[changing.id, '2.0']], None: [], Reset: false });
  await saveRules({ Find: 'odd', Verdict: 'Failed' });
  await until('the verdict', async () => (await since()).None.includes(changing.id));
  assert.equal((await read('artifact=myapp&since=elsewhere')).Reset, true);
});

test('it asks for one artifact or one device, of the account', async () => {
  for (const query of ['', '?artifact=a&device_id=b', '?artifact=a&limit=0'])
    assert.equal((await service.call('GET', `/v1/versions${query}`)).status, 400, query);
  assert.equal((await service.call('GET', '/v1/versions?device_id=none')).status, 404);
});
