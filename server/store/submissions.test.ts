import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pruneSubmissions, runOnce } from './submissions.ts';
import { openTestDatabase } from './test-database.ts';

const DAY = 24 * 60 * 60 * 1000;

test('a key counts until the leader removes it, whatever time a node thinks it is', async (t) => {
  const db = await openTestDatabase();
  t.after(() => db.close());
  await db.write((tx) =>
    tx.run(
      `INSERT INTO accounts (id, email, max_devices, artifact_limit, created) VALUES (1, 'a@example.com', 1, 1, 0)`,
    ),
  );
  let created = 0;
  const submit = (now: number) =>
    db.write((tx) =>
      runOnce(tx, { accountId: 1, key: 'once', content: 'a job' }, now, async () => `job ${(created += 1)}`),
    );
  assert.deepEqual(await submit(10 * DAY), { id: 'job 1', repeated: false });
  for (const now of [10 * DAY, 12 * DAY, 8 * DAY])
    assert.deepEqual(await submit(now), { id: 'job 1', repeated: true }, `at ${now}`);
  await pruneSubmissions(db, () => 11 * DAY - 1);
  assert.deepEqual(await submit(11 * DAY), { id: 'job 1', repeated: true });
  await pruneSubmissions(db, () => 11 * DAY);
  assert.deepEqual(await submit(11 * DAY), { id: 'job 2', repeated: false });
});
