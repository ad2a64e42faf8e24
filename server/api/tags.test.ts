// Tags over real HTTP.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Device, NewDevice } from '#/contract/devices.ts';
import type { Tag } from '#/contract/tags.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.end());

const tags = async () => (await (await service.call('GET', '/v1/tag')).json()) as Tag[];
const idOf = async (name: string) => (await tags()).find(({ TagName }) => TagName === name)?.TagId ?? '';
async function tagsOf(deviceId: string): Promise<string[]> {
  const response = await service.call('GET', `/v1/devices/1/10/filters?device_id=${deviceId}`);
  const [device] = (await response.json()) as Device[];
  return (device?.Tags ?? []).map(({ TagName }) => TagName);
}

test('tags are made, put on, taken off and deleted', async () => {
  const created = await service.call('POST', '/v1/devices', { DeviceName: 'a', DeviceGroup: '' });
  const { DeviceId } = (await created.json()) as NewDevice;

  const response = await service.call('POST', `/v1/tag/${encodeURIComponent('röd & blå/50%')}`);
  assert.deepEqual([response.status, await response.text()], [200, '']);
  await service.call('POST', '/v1/tag/second');
  assert.deepEqual(
    (await tags()).map(({ TagName }) => TagName),
    ['röd & blå/50%', 'second'],
  );
  const [one, two] = [await idOf('röd & blå/50%'), await idOf('second')];

  for (const id of [one, two, one])
    assert.equal((await service.call('POST', `/v1/devices/${DeviceId}/tag/${id}`)).status, 200);
  assert.deepEqual((await tagsOf(DeviceId)).toSorted(), ['röd & blå/50%', 'second']);
  for (let round = 0; round < 2; round++)
    assert.equal((await service.call('DELETE', `/v1/devices/${DeviceId}/tag/${one}`)).status, 200);
  assert.deepEqual(await tagsOf(DeviceId), ['second']);

  assert.equal((await service.call('DELETE', `/v1/tag/${two}`)).status, 200);
  assert.deepEqual(await tagsOf(DeviceId), []);
  assert.equal((await service.call('DELETE', `/v1/tag/${two}`)).status, 404);
  for (const method of ['POST', 'DELETE']) {
    assert.equal((await service.call(method, `/v1/devices/${DeviceId}/tag/${two}`)).status, 404);
    assert.equal((await service.call(method, `/v1/devices/unknown/tag/${one}`)).status, 404);
  }
});

test('a second tag of the same name is a conflict; another spelling is another tag', async () => {
  assert.equal((await service.call('POST', '/v1/tag/edge')).status, 200);
  assert.equal((await service.call('POST', '/v1/tag/edge')).status, 409);
  assert.equal((await service.call('POST', '/v1/tag/Edge')).status, 200);
});

test('a name that is blank or too long is refused', async () => {
  for (const name of ['%20', 'x'.repeat(256)])
    assert.equal((await service.call('POST', `/v1/tag/${name}`)).status, 400);
});
