// When a device of a wave counts as good: its job has succeeded, and it has been Online since for as long as the gate asks.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until } from '../../scripts/test-process.ts';
import { FakeAgent } from '../test-agents.ts';
import { testFleet } from '../test-fleet.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { countWave } from './rollout-devices.ts';
import { rolloutsOf, wavesOf } from './rollouts.ts';
import { wholeAccount } from './scope.ts';

const MINUTE = 60_000;
let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.end());

test('a device is back only when it has been Online for the time of the gate, since its job and since it came back', async () => {
  const { db, now } = service.context;
  const fleet = testFleet((...request) => service.call(...request));
  const { id, key } = await fleet.device('hall');
  const response = await service.call('POST', '/v1/rollout', {
    Name: 'rollout',
    DeviceGroup: 'hall',
    WorkflowId: await fleet.workflow('true'),
    Waves: [{ Percent: 100 }],
    Gate: { SuccessPercent: 100, OnlineMinutes: 1_000, TimeoutMinutes: 10_000 },
    PauseAfter: { FailedCount: 0 },
    Advance: 'auto',
  });
  assert.equal(response.status, 200, await response.text());
  const [rollout] = await rolloutsOf(db, wholeAccount(1));
  assert.ok(rollout);
  const figures = async (onlineSince: number) => {
    const [wave] = await wavesOf(db, rollout.seq);
    return wave && countWave(db, rollout, wave, onlineSince);
  };
  const first = await FakeAgent.connect(service.url, key);
  const { job } = await first.receive('run');
  service.clock.offset += 10 * MINUTE;
  first.finish(job);
  await first.receive('settled');
  const ended = now();
  assert.deepEqual(await figures(ended), { counts: { Succeeded: 1 }, back: 1 });
  // It was Online then, but its job had not ended.
  assert.deepEqual(await figures(ended - 5 * MINUTE), { counts: { Succeeded: 1 }, back: 0 });
  await first.end();
  await until('NotBack', async () => (await figures(now()))?.counts.NotBack === 1);
  assert.deepEqual(await figures(now()), { counts: { NotBack: 1 }, back: 0 });

  service.clock.offset += 10 * MINUTE;
  const second = await FakeAgent.connect(service.url, key);
  await until('it to be back', async () => (await figures(now()))?.counts.Succeeded === 1);
  assert.equal(await fleet.status(id), 'Online');
  const back = now();
  assert.deepEqual(await figures(back), { counts: { Succeeded: 1 }, back: 1 });
  // Its job ended long before that, but then it was away.
  assert.deepEqual(await figures(back - 5 * MINUTE), { counts: { Succeeded: 1 }, back: 0 });
  await second.end();
});
