// What a start reports after a run that did not stop cleanly.
import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { testFleet } from '../test-fleet.ts';
import { startTestService } from '../test-service.ts';

test('a start after a crash counts what was connected and what ran', async (t) => {
  const first = await startTestService();
  assert.equal(first.context.startup.recovered, undefined);
  const fleet = testFleet((...request) => first.call(...request));
  const { id } = await fleet.device();
  await fleet.run('true', { DeviceId: id });
  await first.close();
  const left = new DatabaseSync(path.join(first.dataDir, 'muster.db'));
  left.exec(`INSERT INTO settings (key, value) VALUES ('running', '1');
    UPDATE devices SET online = 1; UPDATE jobs SET status = 'Running', started = 1`);
  left.close();
  const second = await startTestService({}, first.dataDir);
  t.after(() => second.end());
  assert.deepEqual(second.context.startup.recovered, { logBytes: 0, devices: 1, tunnels: 0, jobs: 1 });
});
