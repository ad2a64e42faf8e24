// Standing orders from end to end, with agents that succeed and fail.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { OrderedDevice, StandingOrder } from '#/contract/standing-orders.ts';
import { FakeAgent } from '../test-agents.ts';
import { testFleet } from '../test-fleet.ts';
import type { TestFleet } from '../test-fleet.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { until } from '../../scripts/test-process.ts';

let service: TestService;
let fleet: TestFleet;
const agents: FakeAgent[] = [];
beforeEach(async () => {
  service = await startTestService();
  fleet = testFleet((...asked) => service.call(...asked));
});
afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.end();
  await service.end();
});

interface Unit {
  id: string;
  key: string;
}
async function connect({ key }: Unit): Promise<FakeAgent> {
  const agent = await FakeAgent.connect(service.url, key);
  agents.push(agent);
  return agent;
}
const finish = async (agent: FakeAgent, code = 0) => agent.finish((await agent.receive('run')).job, code);

const put = (name: string, ArtifactId: string, ifMatch?: string, DeviceGroup = 'hall') =>
  service.call('PUT', `/v1/orders/${name}`, { DeviceGroup, ArtifactId }, ifMatch ? { 'If-Match': ifMatch } : {});
async function order(name: string, artifact: string, group = 'hall'): Promise<void> {
  const response = await put(name, artifact, undefined, group);
  assert.equal(response.status, 200, await response.text());
}
const list = async () => (await (await service.call('GET', '/v1/orders')).json()) as StandingOrder[];
const read = async (name: string): Promise<StandingOrder> => {
  const found = (await list()).find(({ Name }) => Name === name);
  assert.ok(found);
  return found;
};
const devices = async (name: string, query = '') =>
  ((await (await service.call('GET', `/v1/orders/${name}/devices${query}`)).json()) as { Items: OrderedDevice[] })
    .Items;
const counts = async (name: string) => (await read(name)).Counts;
/** The same by the list of devices, because those are cached for a second. */
const countsNow = async (name: string) => {
  const found: Record<string, number> = {};
  for (const { State } of await devices(name)) found[State] = (found[State] ?? 0) + 1;
  return found;
};
const reached = (name: string, wanted: Record<string, number>) =>
  until(JSON.stringify(wanted), async () => {
    const now = await counts(name);
    return (
      Object.keys(wanted).every((state) => now[state] === wanted[state]) &&
      Object.keys(now).length === Object.keys(wanted).length
    );
  });
const retry = (name: string, body: object = {}) => service.call('POST', `/v1/orders/${name}/retry`, body);

/** The next looks at all standing orders are over when a newcomer of another one has its job. */
let looks = 0;
async function afterALook(artifact: string): Promise<void> {
  const group = `other ${looks++}`;
  await fleet.device(group);
  await order(group.replace(' ', '-'), artifact, group);
  await until('another order', async () => (await counts(group.replace(' ', '-')))['Waiting'] === 1);
}
const childrenOf = async (name: string) => {
  const parents = (await fleet.jobs()).filter(({ JobName }) => JobName.startsWith(`${name}: `));
  return Promise.all(parents.map(async ({ JobId }) => (await fleet.children(JobId)).map(({ DeviceId }) => DeviceId)));
};

test('devices without the version get one job, those with it none, and newcomers one when they join', async () => {
  const [one, two] = [await fleet.artifact('myapp_1.0.sh', '1.0'), await fleet.artifact('myapp_2.0.sh', '2.0')];
  const [has, lacks] = [await fleet.device('hall', 'has'), await fleet.device('hall', 'lacks')];
  const [first, second] = [await connect(has), await connect(lacks)];
  const before = await fleet.submit({ DeviceId: has.id, ArtifactId: two });
  await finish(first);
  await fleet.ended(before);
  await fleet.submit({ DeviceId: lacks.id, ArtifactId: one });
  await finish(second);
  await order('hall', two);
  await finish(second);
  await reached('hall', { Has: 2 });
  const newcomer = await fleet.device('hall', 'newcomer');
  await finish(await connect(newcomer));
  await reached('hall', { Has: 3 });
  await afterALook(one);
  assert.deepEqual(new Set((await childrenOf('hall')).flat()), new Set([lacks.id, newcomer.id]));
  assert.equal((await childrenOf('hall')).flat().length, 2);
  const { DeviceGroup, ArtifactName, ArtifactVersion, State, Devices } = await read('hall');
  assert.deepEqual([DeviceGroup, ArtifactName, ArtifactVersion, State, Devices], ['hall', 'myapp', '2.0', 'Active', 3]);
});

test('after a failure nothing happens until a person asks; then it is one more job', async () => {
  const artifact = await fleet.artifact('myapp.sh', '1');
  const unit = await fleet.device('hall', 'unit');
  const agent = await connect(unit);
  await order('hall', artifact);
  await finish(agent, 3);
  await reached('hall', { Failed: 1 });
  await afterALook(artifact);
  assert.equal((await childrenOf('hall')).length, 1);
  const [failed] = await devices('hall', '?state=Failed');
  assert.deepEqual([failed?.DeviceName, failed?.Because], ['unit', 'Exit code 3']);
  assert.equal((await fleet.job(failed?.JobId ?? '')).Status, 'Failed');
  const { Version } = await read('hall');
  assert.equal((await retry('hall', { DeviceIds: ['another'] })).status, 409);
  assert.equal((await retry('hall', { Version: Version - 1 })).status, 409);
  assert.deepEqual(await (await retry('hall', { Version })).json(), { Devices: 1 });
  await finish(agent);
  await reached('hall', { Has: 1 });
  assert.equal((await retry('hall')).status, 409);
  assert.equal((await childrenOf('hall')).length, 2);
});

test('another artifact begins anew, another group goes on, and a version that was replaced is left', async () => {
  const [one, two] = [await fleet.artifact('myapp_1.0.sh', '1.0'), await fleet.artifact('myapp_2.0.sh', '2.0')];
  const unit = await fleet.device('hall');
  const agent = await connect(unit);
  await order('hall', one);
  await finish(agent);
  await reached('hall', { Has: 1 });
  await order('hall', two);
  await finish(agent);
  await reached('hall', { Has: 1 });
  await fleet.submit({ DeviceId: unit.id, ArtifactId: one });
  await finish(agent);
  await reached('hall', { Replaced: 1 });
  await afterALook(one);
  assert.equal((await childrenOf('hall')).length, 2);
  await put('hall', two, undefined, 'yard');
  assert.deepEqual(await countsNow('hall'), {});
  await put('hall', two);
  assert.deepEqual(await countsNow('hall'), { Replaced: 1 });
});

test('what a running rollout of the same artifact is about to treat is left to it, newcomers too', async () => {
  const [one, two] = [await fleet.artifact('myapp_1.0.sh', '1.0'), await fleet.artifact('myapp_2.0.sh', '2.0')];
  const [first, second] = [await fleet.device('hall', 'a'), await fleet.device('hall', 'b')];
  const rollOut = async (more: object) => {
    const response = await service.call('POST', '/v1/rollout', {
      Name: 'myapp',
      ArtifactId: two,
      Waves: [{ Count: 1 }, { Percent: 100 }],
      Gate: { SuccessPercent: 100, OnlineMinutes: 0, TimeoutMinutes: 60 },
      PauseAfter: { FailedCount: 0 },
      Advance: 'confirm',
      ...more,
    });
    return ((await response.json()) as { RolloutId: string }).RolloutId;
  };
  const end = async (id: string) => {
    const { Version } = (await (await service.call('GET', `/v1/rollout/${id}`)).json()) as { Version: number };
    assert.equal((await service.call('POST', `/v1/rollout/${id}/abort`, { Version })).status, 200);
  };
  const listed = await rollOut({ DeviceIds: [first.id], Waves: [{ Percent: 100 }], StartTime: '2099-01-01T00:00:00Z' });
  await order('hall', one);
  await reached('hall', { Pending: 1, Waiting: 1 });
  assert.deepEqual(await childrenOf('hall'), [[second.id]]);
  await end(listed);
  await reached('hall', { Waiting: 2 });
  const joining = await rollOut({ DeviceGroup: 'hall', IncludeNew: true, StartTime: '2099-01-01T00:00:00Z' });
  await fleet.device('hall', 'newcomer');
  await afterALook(one);
  assert.deepEqual(await countsNow('hall'), { Waiting: 2, Pending: 1 });
  await end(joining);
  await reached('hall', { Waiting: 3 });
});

test('a device that another job brings the artifact is given none by the order', async () => {
  const artifact = await fleet.artifact('myapp.sh', '1');
  const unit = await fleet.device('hall');
  await fleet.submit({ DeviceId: unit.id, ArtifactId: artifact });
  await order('hall', artifact);
  await afterALook(artifact);
  assert.deepEqual(await countsNow('hall'), { Pending: 1 });
  await finish(await connect(unit));
  await reached('hall', { Has: 1 });
  assert.deepEqual(await childrenOf('hall'), []);
});

test('with its artifact deleted it says so and stops; a job that was cancelled or deleted is told', async () => {
  const artifact = await fleet.artifact('myapp.sh', '1');
  await fleet.device('hall');
  await order('hall', artifact);
  await reached('hall', { Waiting: 1 });
  const [job] = await fleet.jobs();
  await fleet.remove(job?.JobId ?? '');
  await reached('hall', { Cancelled: 1 });
  await service.call('DELETE', `/v1/artifact/${artifact}`);
  const { State, Because, ArtifactName, ArtifactVersion } = await read('hall');
  assert.deepEqual([State, ArtifactName, ArtifactVersion], ['Stopped', 'myapp', '1']);
  assert.match(Because, /artifact was deleted/);
  assert.equal((await retry('hall')).status, 409);
  await fleet.device('hall');
  await afterALook(await fleet.artifact('driver.sh', '1'));
  assert.deepEqual(await countsNow('hall'), { Cancelled: 1, Pending: 1 });
});

test('two people cannot overwrite each other, and the audit log says who did what', async () => {
  const artifact = await fleet.artifact('myapp.sh', '1');
  assert.equal((await put('hall', artifact, '"0"')).status, 200);
  assert.equal((await put('Hall', artifact, '"0"')).status, 412);
  assert.equal((await put('hall', artifact, '"1"')).status, 200);
  const lost = await put('hall', artifact, '"1"');
  assert.equal(lost.status, 412);
  assert.match(((await lost.json()) as { detail: string }).detail, /was changed last by/);
  assert.equal((await put('hall', 'none')).status, 404);
  assert.equal((await put('hall', artifact, undefined, ' ')).status, 400);
  const remove = (ifMatch: string) => service.call('DELETE', '/v1/orders/hall', undefined, { 'If-Match': ifMatch });
  assert.equal((await remove('"1"')).status, 412);
  assert.equal((await remove('"2"')).status, 200);
  assert.equal((await remove('"2"')).status, 404);
  assert.deepEqual(await list(), []);
  const audit = await (await service.call('GET', '/v1/audit?action=order')).text();
  assert.match(audit, /order\.save/);
  assert.match(audit, /order\.remove/);
});
