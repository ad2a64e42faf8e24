// A device with a new key, or a deleted one, whose agent does not confirm the close: its connection ends at once.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { CLOSE } from '#/contract/agent-link.ts';
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

/** A device in the middle of a job, whose agent continues to send but reads nothing. */
async function unresponsiveDevice() {
  const { id, key } = await fleet.device();
  const job = await fleet.run('x', { DeviceId: id });
  const agent = await FakeAgent.connect(service.url, key);
  await agent.receive('run');
  agent.say({ type: 'started', job, ago: 0 });
  agent.say({ type: 'output', job, stream: 'stdout', offset: 0, data: base64('one ') });
  await agent.receive('stored');
  agent.socket.pause();
  return { id, job, agent };
}

/** Sends messages that must have no effect, until the connection is cut. */
async function talkedOn(agent: FakeAgent, job: string): Promise<void> {
  const offer = { id: 0, protocol: 'HTTP', dest: 'http://127.0.0.1:1' } as const;
  agent.say({ type: 'output', job, stream: 'stdout', offset: 4, data: base64('too late') });
  agent.say({ type: 'offers', run: 'late', offers: [offer] });
  agent.say({ type: 'ended', job, outcome: 'exited', exitCode: 0, endedAgo: 0 });
  await until('the connection to be cut', () => {
    if (!agent.closed) agent.socket.ping();
    return agent.closed;
  });
  assert.equal(agent.closed?.code, CLOSE.revoked);
}

const tunnels = async () => (await (await service.call('GET', '/v1/tunnels')).json()) as unknown[];

test('a new key ends the old connection at once, and the job goes on with the new key', async () => {
  const { id, job, agent } = await unresponsiveDevice();
  const { DeviceKey } = (await (await service.call('POST', `/v1/devices/${id}/key`)).json()) as { DeviceKey: string };
  await until('no agent', () => [...service.context.link.all()].length === 0);
  const next = await fleet.run('y', { DeviceId: id });
  await talkedOn(agent, job);
  assert.equal(await fleet.status(id), 'Offline');
  assert.deepEqual(await tunnels(), []);
  const { Status, Stdout } = await fleet.job(job);
  assert.deepEqual([Status, Stdout], ['Running', 'one ']);
  assert.deepEqual(
    agent.received.filter(({ type }) => type === 'run'),
    [],
  );

  const back = await FakeAgent.connect(service.url, DeviceKey, { jobs: [job] });
  const run = await back.receive('run');
  assert.deepEqual([run.job, run.have], [job, { stdout: 4, stderr: 0 }]);
  back.say({ type: 'output', job, stream: 'stdout', offset: 4, data: base64('two') });
  back.say({ type: 'ended', job, outcome: 'exited', exitCode: 0, endedAgo: 0 });
  assert.equal((await back.receive('run')).job, next);
  const ended = await fleet.job(job);
  assert.deepEqual([ended.Status, ended.Stdout], ['Succeeded', 'one two']);
  await back.end();
});

test('nothing that a deleted device still says counts, and its jobs stay cancelled', async () => {
  const { id, job, agent } = await unresponsiveDevice();
  await service.call('DELETE', `/v1/devices/${id}`);
  await until('no agent', () => [...service.context.link.all()].length === 0);
  await talkedOn(agent, job);
  assert.deepEqual(await tunnels(), []);
  const { Status, Stdout, Result } = await fleet.job(job);
  assert.deepEqual([Status, Stdout, Result], ['Cancelled', 'one ', 'one \ndevice deleted']);
});
