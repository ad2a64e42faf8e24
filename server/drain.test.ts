// A node that is stopped first sends its agents to others, and serves meanwhile.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../scripts/test-process.ts';
import { FakeAgent } from './test-agents.ts';
import { testFleet } from './test-fleet.ts';
import { startTestService } from './test-service.ts';

test('while it drains it is not ready, answers requests, and its agents are closed to connect elsewhere', async () => {
  const service = await startTestService({ DRAIN_SECONDS: '2' });
  const { key } = await testFleet((...request) => service.call(...request)).device();
  const agent = await FakeAgent.connect(service.url, key);
  await agent.receive('welcome');
  assert.equal((await service.call('GET', '/readyz')).status, 200);
  const ended = service.end();
  assert.equal((await service.call('GET', '/readyz')).status, 503);
  assert.equal((await service.call('GET', '/v1/devices/1/25')).status, 200);
  const late = new FakeAgent(service.url, key);
  await until('a refusal', () => late.closed);
  await until('the end of the connection', () => agent.closed);
  assert.equal(agent.closed?.code, 1001);
  await ended;
});
