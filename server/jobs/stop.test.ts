// Stopping jobs: waiting ones are cancelled, running ones are stopped on their devices, and all records remain.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { FakeAgent } from '../test-agents.ts';
import { until } from '../../scripts/test-process.ts';
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

const connect = (key: string, hello = {}) => FakeAgent.connect(service.url, key, hello);
const begin = async (agent: FakeAgent, job: string) => {
  await agent.receive('run');
  agent.say({ type: 'started', job, ago: 0 });
  agent.say({
    type: 'output',
    job,
    stream: 'stdout',
    offset: 0,
    data: Buffer.from('half\n').toString('base64'),
  });
  await until('its output', async () => (await fleet.job(job)).Stdout === 'half\n');
};
const NEVER = 'Cancelled before it started.';

test('a waiting job becomes Cancelled and stays; a second time changes nothing, and a deleted one is a 404', async () => {
  const { id, key } = await fleet.device();
  const job = await fleet.run('x', { DeviceId: id });
  assert.equal((await fleet.job(job)).StopTime, '');
  assert.deepEqual(await fleet.stop(job), { Cancelled: 1, Stopping: 0 });
  const { Status, Result, EndTime, StopTime } = await fleet.job(job);
  assert.deepEqual([Status, Result, StopTime], ['Cancelled', NEVER, undefined]);
  assert.notEqual(EndTime, '');
  assert.deepEqual(await fleet.stop(job), { Cancelled: 0, Stopping: 0 });

  const next = await fleet.run('y', { DeviceId: id });
  const agent = await connect(key);
  assert.equal((await agent.receive('run')).job, next);
  await agent.end();
  await fleet.remove(job);
  assert.equal((await service.call('POST', `/v1/job/${job}/stop`)).status, 404);
});

test('a running job goes on until its agent has stopped it, and keeps its output', async () => {
  const { id, key } = await fleet.device();
  const job = await fleet.run('x', { DeviceId: id });
  const agent = await connect(key);
  await begin(agent, job);
  assert.deepEqual(await fleet.stop(job), { Cancelled: 0, Stopping: 1 });
  assert.equal((await agent.receive('cancel')).job, job);
  const asked = await fleet.job(job);
  assert.equal(asked.Status, 'Running');
  assert.match(asked.StopTime ?? '', /^20\d\d-/);
  agent.say({ type: 'ended', job, outcome: 'cancelled', reason: 'Stopped on request.', endedAgo: 0 });
  const { Status, Stdout, StopTime } = await fleet.ended(job);
  assert.deepEqual([Status, Stdout, StopTime], ['Cancelled', 'half\n', asked.StopTime]);
  await agent.end();
});

test('an agent that is away is asked when it is back, and nothing is said to have stopped before', async () => {
  const { id, key } = await fleet.device();
  const job = await fleet.run('x', { DeviceId: id });
  let agent = await connect(key);
  await begin(agent, job);
  await agent.end();
  await until('Offline', async () => (await fleet.status(id)) === 'Offline');
  assert.deepEqual(await fleet.stop(job), { Cancelled: 0, Stopping: 1 });
  assert.equal((await fleet.job(job)).Status, 'Running');

  agent = await connect(key, { jobs: [job] });
  await agent.receive('welcome');
  await until('both', () => agent.received.length >= 2);
  assert.deepEqual(
    agent.received.map(({ type }) => type),
    ['cancel', 'run'],
  );
  agent.say({ type: 'ended', job, outcome: 'cancelled', reason: 'Stopped on request.', endedAgo: 0 });
  assert.equal((await fleet.ended(job)).Status, 'Cancelled');
  await agent.end();
});

test('one that was given to an agent may have begun: the agent tells, and one that never arrived is not given again', async () => {
  for (const arrived of [true, false]) {
    const { id, key } = await fleet.device();
    const job = await fleet.run('x', { DeviceId: id });
    let agent = await connect(key);
    await agent.receive('run');
    await agent.end();
    await until('Offline', async () => (await fleet.status(id)) === 'Offline');
    assert.deepEqual(await fleet.stop(job), { Cancelled: 0, Stopping: 1 });
    assert.equal((await fleet.job(job)).Status, 'Waiting');

    agent = await connect(key, { jobs: arrived ? [job] : [] });
    if (arrived) {
      assert.equal((await agent.receive('cancel')).job, job);
      agent.finish(job, 0, 'was through before');
      assert.equal((await fleet.ended(job)).Status, 'Succeeded');
    } else {
      const { Status, Result } = await fleet.ended(job);
      assert.deepEqual([Status, Result], ['Cancelled', NEVER]);
      assert.ok(!agent.received.some(({ type }) => type === 'run'));
    }
    await agent.end();
  }
});

test('of a parent all children: those that wait are Cancelled children, those that run are stopped', async () => {
  const devices = [await fleet.device('many'), await fleet.device('many'), await fleet.device('many')];
  const agent = await connect(devices[0]?.key ?? '');
  const parent = await fleet.run('x', { DeviceGroup: 'many' });
  const [running] = await fleet.children(parent);
  await begin(agent, running?.JobId ?? '');
  assert.deepEqual(await fleet.stop(parent), { Cancelled: 2, Stopping: 1 });
  assert.equal((await agent.receive('cancel')).job, running?.JobId);
  const { Status, Counts } = await fleet.job(parent);
  assert.deepEqual([Status, Counts], ['Running', { Running: 1, Cancelled: 2 }]);
  agent.say({ type: 'ended', job: running?.JobId ?? '', outcome: 'cancelled', reason: 'Stopped.', endedAgo: 0 });
  const { Result } = await fleet.ended(parent);
  assert.equal(Result, '0 of 3 succeeded, 3 cancelled');
  assert.deepEqual(
    (await fleet.children(parent)).map((child) => child.Status),
    ['Cancelled', 'Cancelled', 'Cancelled'],
  );
  await agent.end();
});

test('a child alone is stopped, and the parent is no smaller for it', async () => {
  await fleet.device('pair');
  await fleet.device('pair');
  const parent = await fleet.run('x', { DeviceGroup: 'pair' });
  const [first] = await fleet.children(parent);
  assert.deepEqual(await fleet.stop(first?.JobId ?? ''), { Cancelled: 1, Stopping: 0 });
  assert.deepEqual((await fleet.job(parent)).Counts, { Waiting: 1, Cancelled: 1 });
});

test('with If-Match a job is stopped only as it was read', async () => {
  const { id, key } = await fleet.device();
  const job = await fleet.run('x', { DeviceId: id });
  const etag = (await service.call('GET', `/v1/job/${job}`)).headers.get('ETag') ?? '';
  const agent = await connect(key);
  await agent.receive('run');
  const refused = await service.call('POST', `/v1/job/${job}/stop`, undefined, { 'If-Match': etag });
  assert.equal(refused.status, 412);
  assert.equal((await fleet.job(job)).StopTime, '');
  await agent.end();
});

test('a parent tells how many of those that wait are for devices that are Offline, and the list when that changes', async () => {
  const { id, key } = await fleet.device('away');
  await fleet.device('away');
  await fleet.device('away');
  const parent = await fleet.run('x', { DeviceGroup: 'away' });
  assert.equal((await fleet.job(parent)).WaitingOffline, 3);
  const agent = await connect(key);
  // It was sent to its agent, so it does not wait for an Offline device.
  const { job } = await agent.receive('run');
  assert.equal((await fleet.job(parent)).WaitingOffline, 2);
  const { headers } = await service.call('GET', '/v1/job');
  await agent.end();
  await until('Offline', async () => (await fleet.status(id)) === 'Offline');
  const again = await service.call('GET', '/v1/job', undefined, { 'If-None-Match': headers.get('ETag') ?? '' });
  const rows = (await again.json()) as { JobId: string; WaitingOffline?: number }[];
  assert.equal(rows.find(({ JobId }) => JobId === parent)?.WaitingOffline, 3);
  for (const child of await fleet.children(parent)) await fleet.stop(child.JobId);
  const back = await connect(key, { jobs: [job] });
  await back.receive('cancel');
  back.say({ type: 'ended', job, outcome: 'cancelled', reason: NEVER, endedAgo: 0 });
  assert.equal((await fleet.ended(parent)).WaitingOffline, undefined);
  await back.end();
});
