// What an account used from day to day.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { DAY_MS, noteUsage } from '../store/usage.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.end());

const read = async (query = ''): Promise<unknown> => (await service.call('GET', `/v1/history/usage${query}`)).json();
const note = () => noteUsage(service.context.db, service.context.now());
const add = (name: string) => service.call('POST', '/v1/devices', { DeviceName: name, DeviceGroup: '' });
const dayOf = (back: number) => new Date(service.context.now() - back * DAY_MS).toISOString().slice(0, 10);

test('each day has its last reading, today is as it is now, and a reader says how many days', async () => {
  const row = (back: number, Devices: number) => ({ Day: dayOf(back), Devices, ArtifactBytes: 0, OutputBytes: 0 });
  assert.deepEqual(await read(), { Items: [row(0, 0)] });
  await note();
  await add('a');
  await note();
  service.clock.offset += DAY_MS;
  await add('b');
  await note();
  service.clock.offset += 2 * DAY_MS;
  await add('c');
  assert.deepEqual(await read(), { Items: [row(0, 3), row(2, 2), row(3, 1)] });
  assert.deepEqual(await read('?days=3'), { Items: [row(0, 3), row(2, 2)] });
  assert.deepEqual(await read('?days=1'), { Items: [row(0, 3)] });
  for (const days of ['0', '1001', 'x'])
    assert.equal((await service.call('GET', `/v1/history/usage?days=${days}`)).status, 400, days);
});
