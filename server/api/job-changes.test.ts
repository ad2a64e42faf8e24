// Readers of lists of jobs: all rows once, then what changed; the output of some children.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AgentMessage } from '#/contract/agent-link.ts';
import type { ChildOutput } from '#/contract/job-outputs.ts';
import type { Job } from '#/contract/jobs.ts';
import { FakeAgent } from '../test-agents.ts';
import { testFleet } from '../test-fleet.ts';
import type { TestFleet } from '../test-fleet.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { until } from '../../scripts/test-process.ts';

let service: TestService;
let fleet: TestFleet;
before(async () => {
  service = await startTestService();
  fleet = testFleet((...request) => service.call(...request));
});
after(() => service.end());

interface Answer {
  Version: string;
  Reset: boolean;
  Children: Job[];
  Jobs: Job[];
  Removed: string[];
}
const read = async <T = Answer>(path: string): Promise<T> => {
  const response = await service.call('GET', path);
  assert.equal(response.status, 200, path);
  return (await response.json()) as T;
};
const childrenOf = (id: string, since: string) => read(`/v1/job/${id}/childjobs?since=${since}`);
const shown = (rows: Job[]) => rows.map(({ DeviceName, Status }) => `${DeviceName} ${Status}`);

/** A parent on two devices with agents that have its jobs. */
async function running(...names: string[]) {
  const devices = await fleet.devices('', names);
  const agents = await Promise.all(devices.map(({ key }) => FakeAgent.connect(service.url, key)));
  const WorkflowId = await fleet.workflow('a secret command');
  const parent = await fleet.submit({ DeviceIds: devices.map(({ id }) => id), WorkflowId });
  const jobs = await Promise.all(agents.map(async (agent) => (await agent.receive('run')).job));
  const close = () => {
    for (const agent of agents) agent.socket.close();
  };
  return { parent, devices, agents, jobs, close, WorkflowId };
}

test('the children are read once, then those that changed, without what all would repeat', async () => {
  const { parent, agents, jobs, close } = await running('one', 'two');
  const all = await childrenOf(parent, '');
  assert.equal(all.Reset, false);
  assert.deepEqual(shown(all.Children), ['one Waiting', 'two Waiting']);
  for (const name of ['Command', 'Stdout', 'Stderr', 'Result']) assert.ok(!(name in (all.Children[0] ?? {})), name);
  assert.equal((await fleet.children(parent))[0]?.Command, '');
  assert.deepEqual((await childrenOf(parent, all.Version)).Children, []);

  agents[1]?.finish(jobs[1] ?? '', 0, 'fine\n');
  const changed = await until('a change', async () => {
    const answer = await childrenOf(parent, all.Version);
    return answer.Children[0]?.Status === 'Succeeded' && answer;
  });
  assert.deepEqual([changed.Reset, shown(changed.Children)], [false, ['two Succeeded']]);
  assert.deepEqual((await childrenOf(parent, changed.Version)).Children, []);
  close();
});

test('a version that is unknown, or a child that was deleted, is answered with all rows', async () => {
  const { parent, agents, jobs, close } = await running('one', 'two');
  const { Version } = await childrenOf(parent, '');
  const unknown = await childrenOf(parent, 'another-7');
  assert.deepEqual([unknown.Reset, unknown.Children.length], [true, 2]);
  agents[0]?.finish(jobs[0] ?? '');
  await until('its end', async () => (await fleet.job(jobs[0] ?? '')).EndTime !== '');
  await fleet.remove(jobs[0] ?? '');
  const rest = await childrenOf(parent, Version);
  assert.deepEqual([rest.Reset, shown(rest.Children)], [true, ['two Waiting']]);
  close();
});

test('rows without secrets are compressed', async () => {
  const names = Array.from({ length: 80 }, (_, n) => `unit ${n}`);
  const devices = await fleet.devices('', names);
  const WorkflowId = await fleet.workflow('x');
  const parent = await fleet.submit({ DeviceIds: devices.map(({ id }) => id), WorkflowId });
  const response = await fetch(`${service.url}/v1/job/${parent}/childjobs?since=`, {
    headers: { Authorization: 'Bearer test-token-that-only-tests-know', 'Accept-Encoding': 'gzip' },
  });
  assert.equal(response.headers.get('Content-Encoding'), 'gzip');
  assert.equal(((await response.json()) as Answer).Children.length, 80);
});

const line = (job = '', offset: number, text: string): AgentMessage => ({
  type: 'output',
  job,
  stream: 'stdout',
  offset,
  data: Buffer.from(text).toString('base64'),
});

test('the ETag of a list of children moves with this parent only, and with output that arrives', async () => {
  const { parent, agents, jobs, close, WorkflowId } = await running('one', 'two');
  const at = `/v1/job/${parent}/childjobs`;
  const etag = async () => (await service.call('GET', at)).headers.get('ETag') ?? '';
  const first = await etag();
  const other = await fleet.device('', 'other');
  await fleet.submit({ DeviceId: other.id, WorkflowId });
  assert.equal(await etag(), first);
  assert.equal((await service.call('GET', at, undefined, { 'If-None-Match': first })).status, 304);

  agents[0]?.say({ type: 'started', job: jobs[0] ?? '', ago: 0 });
  agents[0]?.say(line(jobs[0], 0, 'line\n'));
  await until('the output', async () => (await fleet.children(parent))[0]?.Stdout === 'line\n');
  const second = await etag();
  assert.notEqual(second, first);
  agents[0]?.say(line(jobs[0], 5, 'more\n'));
  await until('more output', async () => (await fleet.children(parent))[0]?.Stdout === 'line\nmore\n');
  assert.notEqual(await etag(), second);
  close();
});

test('the outputs of some children: the last 64 kB of each stream in whole characters, and why they ended', async () => {
  const { parent, agents, jobs, close } = await running('one', 'two');
  const long = `${'ä'.repeat(20_000)}\n`;
  agents[0]?.say(line(jobs[0], 0, long));
  agents[0]?.say(line(jobs[0], 40_001, `${long}end`));
  agents[0]?.say({ type: 'ended', job: jobs[0] ?? '', outcome: 'exited', exitCode: 3, endedAgo: 0 });
  await fleet.ended(jobs[0] ?? '');
  await fleet.stop(parent);
  const ids = `${jobs[0]},${jobs[1]},unknown`;
  const [one, two, ...none] = await read<ChildOutput[]>(`/v1/job/${parent}/outputs?ids=${ids}`);
  assert.ok(one && two && none.length === 0);
  assert.match(one.Stdout, /^ä+\nä+\nend$/);
  const size = Buffer.byteLength(one.Stdout);
  assert.ok(size <= 64 * 1024 && size > 64 * 1024 - 4, String(size));
  assert.deepEqual(two, { JobId: jobs[1], Stdout: '', Stderr: '', Result: '' });
  const none200 = await service.call('GET', `/v1/job/${parent}/outputs?ids=${Array.from({ length: 201 }).join('x,')}x`);
  assert.equal(none200.status, 400);
  assert.equal((await service.call('GET', `/v1/job/${parent}/outputs`)).status, 400);
  close();
});

test('the list of jobs is read once, then what changed in it: a parent with its children, and what is gone', async () => {
  const { parent, agents, jobs, close, devices } = await running('one', 'two');
  const all = await read('/v1/job?since=');
  assert.ok(all.Jobs.some(({ JobId }) => JobId === parent));
  agents[0]?.finish(jobs[0] ?? '');
  await fleet.ended(jobs[0] ?? '');
  const changed = await read(`/v1/job?since=${all.Version}`);
  assert.deepEqual(
    changed.Jobs.map(({ JobId, Counts }) => [JobId, Counts?.['Succeeded']]),
    [[parent, 1]],
  );
  // How many of its children wait for devices that are Offline follows from the devices.
  close();
  await until('its device to be Offline', async () => (await fleet.status(devices[1]?.id ?? '')) === 'Offline');
  const away = await read(`/v1/job?since=${changed.Version}`);
  assert.deepEqual(
    away.Jobs.map(({ JobId, WaitingOffline }) => [JobId, WaitingOffline]),
    [[parent, 1]],
  );
  await fleet.remove(parent);
  const gone = await read(`/v1/job?since=${away.Version}`);
  assert.deepEqual([gone.Jobs, gone.Removed], [[], [parent]]);
  assert.equal((await read('/v1/job?since=nothing-1')).Reset, true);
});

test('the queues are read once, then what joined, moved or left', async () => {
  const { parent, agents, jobs, close } = await running('one', 'two');
  const all = await read('/v1/jobs/queues?since=');
  const ids = all.Jobs.map(({ JobId }) => JobId);
  for (const job of jobs) assert.ok(ids.includes(job));
  agents[1]?.say({ type: 'started', job: jobs[1] ?? '', ago: 0 });
  agents[0]?.finish(jobs[0] ?? '');
  await fleet.ended(jobs[0] ?? '');
  await fleet.reached(jobs[1] ?? '', 'Running');
  const changed = await read(`/v1/jobs/queues?since=${all.Version}`);
  assert.deepEqual(
    changed.Jobs.map(({ JobId, Status }) => [JobId, Status]),
    [[jobs[1], 'Running']],
  );
  assert.ok(changed.Removed.includes(jobs[0] ?? ''));
  close();
  await fleet.remove(parent);
});
