// What a device sends of itself and of its jobs may be wrong in any way that the link allows: other devices and the
// pages of its account still work.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { NewDevice } from '#/contract/devices.ts';
import { FakeAgent } from '../test-agents.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.end());

const addDevice = async (DeviceName: string) =>
  (await (await service.call('POST', '/v1/devices', { DeviceName, DeviceGroup: DeviceName })).json()) as NewDevice;

async function answered<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await service.call(method, path, body);
  assert.equal(response.status, 200, `${path}: ${await response.clone().text()}`);
  return (await response.json()) as Answer;
}

test('a tunnel that ends in a million years has an end that can be shown', async () => {
  const { DeviceKey } = await addDevice('eternal');
  const agent = await FakeAgent.connect(service.url, DeviceKey);
  await agent.receive('welcome');
  const forever = { idleSeconds: Number.MAX_SAFE_INTEGER, endsInSeconds: Number.MAX_SAFE_INTEGER };
  agent.say({
    type: 'offers',
    run: 'run',
    offers: [{ id: 0, protocol: 'HTTP', dest: 'http://127.0.0.1:1', ...forever }],
  });
  await agent.receive('opened');
  const [tunnel] = await answered<{ ExpiresAt?: string; IdleTimeout?: number }[]>('GET', '/v1/tunnels');
  assert.ok(Date.parse(tunnel?.ExpiresAt ?? '') > Date.now());
  await agent.end();
});

test('NUL and halves of characters in what a device says of itself are replaced, and it connects', async () => {
  const { DeviceId, DeviceKey } = await addDevice('odd');
  const agent = await FakeAgent.connect(service.url, DeviceKey, { hostname: 'a\u0000b', os: 'half \ud800' });
  await agent.receive('welcome');
  const device = await answered<Record<string, string>>('GET', `/v1/devices/1/10/filters?device_id=${DeviceId}`);
  assert.match(JSON.stringify(device), /"SysHostname":"a\ufffdb"/);
  await agent.end();
});

test('an exit code that no system has is refused', async () => {
  const { DeviceKey } = await addDevice('codes');
  const agent = await FakeAgent.connect(service.url, DeviceKey);
  await agent.receive('welcome');
  const { WorkflowId } = await answered<{ WorkflowId: string }>('POST', '/v1/workflow', { Name: 'w', Command: 'true' });
  await answered('POST', '/v1/job', { Name: 'job', DeviceGroup: 'codes', WorkflowId });
  const { job } = await agent.receive('run');
  agent.say({ type: 'ended', job, outcome: 'exited', exitCode: 2 ** 40, endedAgo: 0 });
  await new Promise((resolve) => agent.socket.once('close', resolve));
  assert.equal(agent.closed?.code, 4002);
});
