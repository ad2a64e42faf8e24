// The service's side of the link, message by message, with a scripted agent: what is offered when, what counts once,
// and what ends a connection.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { CLOSE } from '#/contract/agent-link.ts';
import { log } from '../operation/log.ts';
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

const base64 = (text: string) => Buffer.from(text).toString('base64');
const connect = (key: string, hello = {}) => FakeAgent.connect(service.url, key, hello);
const closed = (agent: FakeAgent) => until('the connection to be closed', () => agent.closed);

test('a device is Online with what its agent reported, and Offline as soon as it disconnects', async () => {
  const { id, key } = await fleet.device();
  assert.equal(await fleet.status(id), 'Offline');
  const agent = await connect(key);
  const welcome = await agent.receive('welcome');
  assert.equal(welcome.device, id);
  const [shown] = (await (await service.call('GET', `/v1/devices/1/9/filters?device_id=${id}`)).json()) as object[];
  const { DeviceStatus, LocalAddr, LocalPort, AgentVersion, SysOS, SysArch, SysHostname } = shown as Record<
    string,
    string
  >;
  assert.deepEqual(
    { DeviceStatus, LocalAddr, LocalPort, AgentVersion, SysOS, SysArch, SysHostname },
    {
      DeviceStatus: 'Online',
      LocalAddr: '10.0.0.7',
      LocalPort: '4711',
      AgentVersion: '9.9.9',
      SysOS: 'testos 1',
      SysArch: 'z80',
      SysHostname: 'fake',
    },
  );
  await agent.end();
  await until('Offline', async () => (await fleet.status(id)) === 'Offline');
});

test('what an agent set aside from its data folder is in the log of the service', async (context) => {
  const { id, key } = await fleet.device();
  const { mock } = context.mock.method(log, 'warn', () => {});
  const line = '/data/settled could not be used: it is a folder. It was set aside as /data/set-aside/settled.x.';
  const agent = await connect(key, { setAside: [line] });
  await agent.receive('welcome');
  await until('the line', () => mock.callCount() > 0);
  assert.deepEqual(mock.calls[0]?.arguments, [`agent: ${line}`, { device: id }]);
  await agent.end();
});

test('an end without a reason is given one, whatever the agent says', async () => {
  const { id, key } = await fleet.device();
  const agent = await connect(key);
  for (const [outcome, says] of [
    ['interrupted', /^It was interrupted on the device/],
    ['not-started', /^The device did not start it/],
    ['timed-out', /^Stopped: it ran longer/],
    ['cancelled', /^Stopped on request\.$/],
  ] as const) {
    const job = await fleet.run('true', { DeviceId: id });
    assert.equal((await agent.receive('run')).job, job);
    agent.say({ type: 'ended', job, outcome, reason: ' ', endedAgo: 0 });
    assert.match((await fleet.ended(job)).Result, says);
  }
  await agent.end();
});

test('a wrong key is a 401 before any connection', async () => {
  const agent = new FakeAgent(service.url, 'mdk_wrong');
  const [error] = (await once(agent.socket, 'error')) as [Error];
  assert.match(error.message, /401/);
});

test('jobs are offered one at a time, the next when the end of the one before is stored', async () => {
  const { id, key } = await fleet.device();
  const first = await fleet.run('first', { DeviceId: id });
  const second = await fleet.run('second', { DeviceId: id });
  const agent = await connect(key);
  const run = await agent.receive('run');
  assert.deepEqual([run.job, run.command, run.have], [first, 'first', { stdout: 0, stderr: 0 }]);
  assert.equal((await fleet.job(first)).Status, 'Waiting');
  agent.say({ type: 'started', job: first, ago: 0 });
  await fleet.reached(first, 'Running');
  assert.ok(!agent.received.some((message) => message.type === 'run'));
  agent.say({ type: 'ended', job: first, outcome: 'exited', exitCode: 0, endedAgo: 0 });
  assert.equal((await agent.receive('settled')).job, first);
  assert.equal((await agent.receive('run')).job, second);
  assert.equal((await fleet.job(first)).Status, 'Succeeded');
  await agent.end();
});

test('output that comes twice, or in overlapping pieces, is stored once', async () => {
  const { id, key } = await fleet.device();
  const job = await fleet.run('x', { DeviceId: id });
  let agent = await connect(key);
  await agent.receive('run');
  agent.say({ type: 'started', job, ago: 0 });
  agent.say({ type: 'output', job, stream: 'stdout', offset: 0, data: base64('hello ') });
  agent.say({ type: 'output', job, stream: 'stderr', offset: 0, data: base64('oops') });
  await until('all of it to be confirmed', () =>
    agent.received.some(
      (message) => message.type === 'stored' && message.have.stdout === 6 && message.have.stderr === 4,
    ),
  );
  await agent.end();

  agent = await connect(key, { jobs: [job] });
  assert.deepEqual((await agent.receive('run')).have, { stdout: 6, stderr: 4 });
  agent.say({ type: 'output', job, stream: 'stdout', offset: 0, data: base64('hello ') });
  agent.say({ type: 'output', job, stream: 'stdout', offset: 3, data: base64('lo world') });
  agent.say({ type: 'ended', job, outcome: 'exited', exitCode: 0, endedAgo: 0 });
  const { Stdout, Stderr, Result } = await fleet.ended(job);
  assert.deepEqual([Stdout, Stderr, Result], ['hello world', 'oops', 'hello worldoops']);
  await agent.end();
});

test('output with a hole in it ends the connection and is not stored', async () => {
  const { id, key } = await fleet.device();
  const job = await fleet.run('x', { DeviceId: id });
  const agent = await connect(key);
  await agent.receive('run');
  agent.say({ type: 'output', job, stream: 'stdout', offset: 5, data: base64('late') });
  assert.equal((await closed(agent)).code, CLOSE.protocol);
  assert.equal((await fleet.job(job)).Stdout, '');
});

test('a job that a folder still has after it lost its name is stopped and forgotten there', async () => {
  const { id, key } = await fleet.device();
  const job = await fleet.run('x', { DeviceId: id });
  const agent = await connect(key);
  await agent.receive('run');
  agent.say({ type: 'started', job, ago: 0 });
  await fleet.reached(job, 'Running');
  await agent.end();
  const renamed = await connect(key, { journal: 'journal-2', jobs: [job] });
  assert.equal((await renamed.receive('cancel')).job, job);
  assert.equal((await renamed.receive('settled')).job, job);
  assert.equal((await fleet.ended(job)).Status, 'Interrupted');
  await renamed.end();
});

test('a job that one data folder was given never runs from another', async () => {
  const { id, key } = await fleet.device();
  const job = await fleet.run('x', { DeviceId: id });
  const next = await fleet.run('y', { DeviceId: id });
  const agent = await connect(key);
  await agent.receive('run');
  await agent.end();
  const other = await connect(key, { journal: 'journal-2' });
  assert.equal((await other.receive('run')).job, next);
  const ended = await fleet.job(job);
  assert.equal(ended.Status, 'Interrupted');
  assert.match(ended.Result, /not run again/);
  await other.end();
});

test('a job that had started and that the agent has forgotten is not offered again', async () => {
  const { id, key } = await fleet.device();
  const job = await fleet.run('x', { DeviceId: id });
  const agent = await connect(key);
  await agent.receive('run');
  agent.say({ type: 'started', job, ago: 0 });
  await fleet.reached(job, 'Running');
  await agent.end();
  const back = await connect(key, { jobs: [] });
  await back.receive('welcome');
  assert.equal((await fleet.ended(job)).Status, 'Interrupted');
  assert.ok(!back.received.some((message) => message.type === 'run'));
  await back.end();
});

test('an offer that was lost on the way is made again', async () => {
  const { id, key } = await fleet.device();
  const job = await fleet.run('x', { DeviceId: id });
  const agent = await connect(key);
  await agent.receive('run');
  await agent.end();
  const back = await connect(key);
  assert.equal((await back.receive('run')).job, job);
  await back.end();
});

test('jobs that were deleted or have their end stored are taken from an agent that still holds them', async () => {
  const { id, key } = await fleet.device();
  const done = await fleet.run('x', { DeviceId: id });
  const agent = await connect(key);
  await agent.receive('run');
  agent.finish(done);
  await agent.receive('settled');
  await agent.end();
  const back = await connect(key, { jobs: [done, 'never-heard-of'] });
  await back.receive('welcome');
  assert.deepEqual([(await back.receive('cancel')).job, (await back.receive('settled')).job], [done, done]);
  assert.deepEqual(
    [(await back.receive('cancel')).job, (await back.receive('settled')).job],
    ['never-heard-of', 'never-heard-of'],
  );
  assert.equal((await fleet.job(done)).Status, 'Succeeded');
  await back.end();
});

test('of two agents with one key the newer stays, and only it is listened to', async () => {
  const { id, key } = await fleet.device();
  const older = await connect(key);
  await older.receive('welcome');
  const newer = await connect(key);
  await newer.receive('welcome');
  assert.equal((await closed(older)).code, CLOSE.replaced);
  assert.equal(await fleet.status(id), 'Online');
  const job = await fleet.run('x', { DeviceId: id });
  assert.equal((await newer.receive('run')).job, job);
  await newer.end();
});

test('how a job ended decides its status; times are reported by how long ago they were', async () => {
  const { id, key } = await fleet.device();
  const agent = await connect(key);
  const end = async (
    outcome: 'exited' | 'timed-out' | 'cancelled' | 'interrupted' | 'not-started',
    exitCode?: number,
  ) => {
    const job = await fleet.run('x', { DeviceId: id });
    await agent.receive('run');
    agent.say({
      type: 'ended',
      job,
      outcome,
      ...(exitCode !== undefined && { exitCode }),
      ...(outcome !== 'exited' && { reason: `because ${outcome}` }),
      endedAgo: 10 * 365 * 24 * 3600 * 1000,
    });
    const { Status, ExitCode, Result, StartTime } = await fleet.ended(job);
    return [Status, ExitCode, Result, StartTime];
  };
  assert.deepEqual(await end('exited', 0), ['Succeeded', 0, '', '']);
  assert.deepEqual(await end('exited', 7), ['Failed', 7, '', '']);
  assert.deepEqual(await end('timed-out', 143), ['Failed', 143, 'because timed-out', '']);
  assert.deepEqual(await end('cancelled'), ['Cancelled', undefined, 'because cancelled', '']);
  assert.deepEqual(await end('interrupted'), ['Interrupted', undefined, 'because interrupted', '']);
  assert.deepEqual(await end('not-started'), ['Failed', undefined, 'because not-started', '']);
  await agent.end();
});

test('a device whose clock is years off has sound times', async () => {
  const { id, key } = await fleet.device();
  const job = await fleet.run('x', { DeviceId: id });
  const agent = await connect(key);
  await agent.receive('run');
  service.clock.offset = 5000;
  agent.say({ type: 'started', job, ago: 2000 });
  agent.say({ type: 'ended', job, outcome: 'exited', exitCode: 0, startedAgo: 2000, endedAgo: 1000 });
  const { StartTime, EndTime, CreatedTime = '' } = await fleet.ended(job);
  service.clock.offset = 0;
  const [created, started, ended] = [CreatedTime, StartTime, EndTime].map((text) => Date.parse(text));
  assert.ok(started !== undefined && created !== undefined && ended !== undefined);
  assert.ok(started - created >= 2000 && started - created < 4500, `${CreatedTime} ${StartTime}`);
  assert.ok(ended - started >= 0 && ended - started <= 2000, `${StartTime} ${EndTime}`);
  await agent.end();
});

test('a job never starts or ends before it was submitted, however long ago its device says that it did', async () => {
  const { id, key } = await fleet.device();
  const job = await fleet.run('x', { DeviceId: id });
  const agent = await connect(key);
  await agent.receive('run');
  const ago = 10 * 365 * 24 * 3600 * 1000;
  agent.say({ type: 'started', job, ago });
  agent.say({ type: 'ended', job, outcome: 'exited', exitCode: 0, startedAgo: ago, endedAgo: ago });
  const { StartTime, EndTime, CreatedTime = '' } = await fleet.ended(job);
  // Only the time of its submission is more precise than a second.
  const created = Math.floor(Date.parse(CreatedTime) / 1000) * 1000;
  assert.ok(Date.parse(StartTime) >= created, `${CreatedTime} ${StartTime}`);
  assert.ok(Date.parse(EndTime) >= Date.parse(StartTime), `${StartTime} ${EndTime}`);
  await agent.end();
});

test('a clock of the service that jumps ten years, there and back, changes no order and ends nothing before it began', async () => {
  const { id, key } = await fleet.device();
  const jobs: string[] = [];
  const years = (count: number) => (service.clock.offset = count * 365 * 24 * 60 * 60 * 1000);
  for (const at of [0, 10, -10]) {
    years(at);
    jobs.push(await fleet.run('x', { DeviceId: id }));
  }
  const agent = await connect(key);
  for (const [index, at] of [-10, 10, 0].entries()) {
    const { job } = await agent.receive('run');
    assert.equal(job, jobs[index]);
    agent.say({ type: 'started', job, ago: 0 });
    await until('the job to run', async () => (await fleet.job(job)).Status === 'Running');
    years(at);
    agent.say({ type: 'ended', job, outcome: 'exited', exitCode: 0, startedAgo: 1000, endedAgo: 0 });
    const { Status, StartTime, EndTime } = await fleet.ended(job);
    assert.equal(Status, 'Succeeded');
    assert.ok(Date.parse(EndTime) >= Date.parse(StartTime), `${StartTime} ${EndTime}`);
  }
  years(0);
  const listed = (await (await service.call('GET', `/v1/device/${id}/queue`)).json()) as { JobId: string }[];
  assert.deepEqual(
    listed.map(({ JobId }) => JobId),
    jobs,
  );
  await agent.end();
});

test('an agent that makes no sense is shown the door', async () => {
  const { key } = await fleet.device();
  const says = async (frame: string, greet = false) => {
    const agent = new FakeAgent(service.url, key);
    await once(agent.socket, 'open');
    if (greet) agent.hello();
    agent.socket.send(frame);
    return (await closed(agent)).code;
  };
  assert.equal(await says('{'), CLOSE.protocol);
  assert.equal(await says('{"type":"hello"}'), CLOSE.protocol);
  assert.equal(await says('{"type":"started","job":"x","ago":0}'), CLOSE.protocol);
  assert.equal(await says('{"type":"started","job":"../x","ago":0}', true), CLOSE.protocol);
  const strange = await connect(key, { server: 'javascript:alert(1)' });
  assert.equal((await closed(strange)).code, CLOSE.protocol);
  const newer = await connect(key, { version: 99 });
  const { code, reason } = await closed(newer);
  assert.equal(code, CLOSE.version);
  assert.match(reason, /update the service/);
});

test('a word that this version does not know is passed over', async () => {
  const { id, key } = await fleet.device();
  const agent = await connect(key);
  agent.socket.send('{"type":"telepathy","job":1}');
  const job = await fleet.run('x', { DeviceId: id });
  assert.equal((await agent.receive('run')).job, job);
  await agent.end();
});

test('a deleted device, and one with a new key, lose their connection and their waiting jobs', async () => {
  const { id, key } = await fleet.device();
  const agent = await connect(key);
  await agent.receive('welcome');
  await service.call('POST', `/v1/devices/${id}/key`);
  const rekeyed = await closed(agent);
  assert.equal(rekeyed.code, CLOSE.revoked);
  assert.match(rekeyed.reason, /new key/);

  const other = await fleet.device();
  const job = await fleet.run('x', { DeviceId: other.id });
  const second = await connect(other.key);
  await second.receive('run');
  await service.call('DELETE', `/v1/devices/${other.id}`);
  assert.equal((await second.receive('cancel')).job, job);
  assert.equal((await closed(second)).code, CLOSE.revoked);
  const { Status, Result } = await fleet.job(job);
  assert.deepEqual([Status, Result], ['Cancelled', 'device deleted']);
});
