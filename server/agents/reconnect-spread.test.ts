import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onPostgres } from '../store/test-database.ts';
import { FakeAgent } from '../test-agents.ts';
import { startTestService } from '../test-service.ts';
import { testFleet } from '../test-fleet.ts';
import { spreadOf } from './reconnect-spread.ts';

test('the larger the fleet, the longer its agents spread their return, within a bound', () => {
  assert.deepEqual([0, 240, 10_000, 100_000, 10 ** 7].map(spreadOf), [0, 120, 5_000, 30_000, 30_000]);
});

test('a welcome tells an agent over which time the fleet spreads its return', async (t) => {
  const service = await startTestService();
  const { key } = await testFleet((...request) => service.call(...request)).device();
  const keyHash = onPostgres ? "convert_to('key ' || i, 'UTF8')" : "CAST('key ' || i AS BLOB)";
  await service.context.db.write((tx) =>
    tx.run(
      `WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
       INSERT INTO devices (account_id, id, key_hash, name, name_folded, grp, created)
       SELECT 1, 'device ' || i, ${keyHash}, 'd', 'd', '', 0 FROM n`,
    ),
  );
  await service.close();
  const started = await startTestService({}, service.dataDir);
  t.after(() => started.end());
  const agent = await FakeAgent.connect(started.url, key);
  assert.equal((await agent.receive('welcome')).reconnectMs, 2_000);
  await agent.end();
});
