// kill -9 of the service again and again while a standing order is carried out: each device of the group gets one job.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import type { StandingOrder } from '#/contract/standing-orders.ts';
import { scratch, spawnAgent } from '../test-agents.ts';
import { killableService } from '../test-killable.ts';
import { endProcesses } from '../../scripts/test-process.ts';

const DEVICES = 3;
const at = scratch();
const file = (name: string) => path.join(at.folder, name);
after(async () => {
  await endProcesses();
  at.remove();
});

test('the service is killed again and again: no device runs it twice, and no newcomer is left out', async () => {
  const { url, call, fleet, start, kill } = await killableService(file('service'));
  let units = 0;
  const join = async () => {
    const { key } = await fleet.device('hall', `unit ${++units}`);
    spawnAgent(['--server', url, '--key', key], file(`agent ${units}`));
  };
  const command = `echo ran >> ${file('effects')}`;
  const ArtifactId = await fleet.artifact('myapp.sh', '2.0', { folder: file('opt'), command });
  await join();
  const saved = await call('PUT', '/v1/orders/hall', { DeviceGroup: 'hall', ArtifactId });
  assert.equal(saved.status, 200, await saved.text());
  const read = async () => {
    const [found] = (await (await call('GET', '/v1/orders')).json()) as StandingOrder[];
    return JSON.stringify(found?.Counts);
  };
  // Each time somewhere between its steps; a newcomer joins whenever all have it.
  for (let seen = ''; ;) {
    const now = await read();
    if (now === seen) continue;
    seen = now;
    if (now === JSON.stringify({ Has: units })) {
      if (units === DEVICES) break;
      await join();
    }
    await kill();
    await start();
  }
  assert.equal((await fleet.jobs()).length, DEVICES);
  assert.equal(readFileSync(file('effects'), 'utf8'), 'ran\n'.repeat(DEVICES));
  await kill();
});
