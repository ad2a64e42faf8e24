// Ids are too long to guess; those of earlier versions remain valid.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from './store/ids.ts';
import { startTestService } from './test-service.ts';

test('a new id has 16 letters and digits, and none comes twice', () => {
  const ids = Array.from({ length: 10_000 }, () => newId());
  for (const id of ids) assert.match(id, /^[0-9a-z]{16}$/);
  assert.equal(new Set(ids).size, ids.length);
});

test('what has a shorter id is found, changed and deleted', async () => {
  const service = await startTestService();
  const { DeviceId } = (await (
    await service.call('POST', '/v1/devices', { DeviceName: 'a', DeviceGroup: '' })
  ).json()) as { DeviceId: string };
  assert.ok(DeviceId.length >= 16);
  await service.context.db.write((tx) => tx.run('UPDATE devices SET id = ?', 'abcdefghjk12'));
  assert.equal((await service.call('PATCH', '/v1/devices/abcdefghjk12', { DeviceName: 'b' })).status, 200);
  assert.equal((await service.call('DELETE', '/v1/devices/abcdefghjk12')).status, 200);
  await service.end();
});
