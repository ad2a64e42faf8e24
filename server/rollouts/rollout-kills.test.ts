// kill -9 of the service again and again while a rollout goes on: each wave has one job, and each device runs it once.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import type { Rollout } from '#/contract/rollouts.ts';
import { scratch, spawnAgent } from '../test-agents.ts';
import { killableService } from '../test-killable.ts';
import { endProcesses } from '../../scripts/test-process.ts';

const DEVICES = 6;
const at = scratch();
const file = (name: string) => path.join(at.folder, name);
after(async () => {
  await endProcesses();
  at.remove();
});

test('the service is killed again and again: no wave has two jobs, and no device runs it twice', async () => {
  const { url, call, fleet, start, kill } = await killableService(file('service'));
  for (let unit = 0; unit < DEVICES; unit++) {
    const { key } = await fleet.device('hall', `unit ${unit}`);
    spawnAgent(['--server', url, '--key', key], file(`agent ${unit}`));
  }
  const response = await call('POST', '/v1/rollout', {
    Name: 'myapp 2',
    DeviceGroup: 'hall',
    WorkflowId: await fleet.workflow(`echo ran >> ${file('effects')}`),
    Waves: [{ Count: 1 }, { Count: 2 }, { Percent: 100 }],
    Gate: { SuccessPercent: 100, OnlineMinutes: 0, TimeoutMinutes: 60 },
    PauseAfter: { FailedCount: 0 },
    Advance: 'auto',
  });
  const { RolloutId } = (await response.json()) as { RolloutId: string };
  const read = async () => (await (await call('GET', `/v1/rollout/${RolloutId}`)).json()) as Rollout;
  // Each time somewhere between the steps: the version of a rollout is raised by each of them.
  for (let seen = 0; ;) {
    const { Version, State } = await read();
    if (State === 'Succeeded') break;
    assert.equal(State, 'Running');
    if (Version < seen + 2) continue;
    seen = Version;
    await kill();
    await start();
  }
  const { Waves, Counts } = await read();
  assert.deepEqual(Counts, { Succeeded: DEVICES });
  assert.deepEqual(
    Waves.map(({ Devices }) => Devices),
    [1, 2, 3],
  );
  assert.equal(new Set(Waves.map(({ JobId }) => JobId)).size, 3);
  assert.equal((await fleet.jobs()).length, 3);
  assert.ok(existsSync(file('effects')));
  assert.equal(readFileSync(file('effects'), 'utf8'), 'ran\n'.repeat(DEVICES));
  await kill();
});
