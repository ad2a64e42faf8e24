// kill -9 of the service again and again while a standing order is carried out: each device of the group gets one job.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import type { StandingOrder } from '#/contract/standing-orders.ts';
import { freePort, scratch, spawnAgent } from '../test-agents.ts';
import { endProcesses, TestProcess, until } from '../../scripts/test-process.ts';
import { testFleet } from '../test-fleet.ts';

const TOKEN = 'test-token-of-standing-order-kills';
const DEVICES = 3;
const at = scratch();
const file = (name: string) => path.join(at.folder, name);
after(async () => {
  await endProcesses();
  at.remove();
});

test('the service is killed again and again: no device runs it twice, and no newcomer is left out', async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const call = (method: string, where: string, body?: unknown) =>
    fetch(url + where, {
      method,
      headers: {
        Authorization: `Bearer ${TOKEN}`,
        ...(body !== undefined && !(body instanceof FormData) && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    });
  const start = async () => {
    const env = { PORT: String(port), TUNNEL_PORT: '0', DATA_DIR: file('service'), AUTH_TOKEN: TOKEN };
    const service = new TestProcess(['server/main.ts'], { env });
    await until('the service to answer', () =>
      call('GET', '/v1/account').then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
    return service;
  };
  let service = await start();
  const fleet = testFleet(call);
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
    await service.end('SIGKILL');
    service = await start();
  }
  assert.equal((await fleet.jobs()).length, DEVICES);
  assert.equal(readFileSync(file('effects'), 'utf8'), 'ran\n'.repeat(DEVICES));
  await service.end('SIGKILL');
});
