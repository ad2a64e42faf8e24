// Which waves a person ended, in a database of an earlier version: read from the history of the rollouts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inPostgres } from './postgres-migrate.ts';
import { WAVES_BY_HAND } from './rollout-tables.ts';
import { onPostgres, openTestDatabase } from './test-database.ts';

test('of earlier waves those are ended by hand that the service did not note as passed', async (t) => {
  const db = await openTestDatabase();
  t.after(() => db.close());
  const numbers = await db.write(async (tx) => {
    await tx.run("INSERT INTO accounts (id, email, max_devices, artifact_limit, created) VALUES (1, 'a@x', 9, 9, 0)");
    const made = await tx.get<{ seq: number }>(
      `INSERT INTO rollouts (id, account_id, name, settings, state, waves, actor, address, created)
       VALUES ('r', 1, 'r', '{}', 'Running', 12, 'token', '', 1) RETURNING seq`,
    );
    const seq = made?.seq ?? 0;
    // The twelfth passed, which says nothing of the second; the third still runs.
    for (const [number, passed] of [
      [0, 5],
      [1, 6],
      [2, null],
      [11, 7],
    ] as const)
      await tx.run(
        'INSERT INTO rollout_waves (rollout_seq, number, began, passed) VALUES (?, ?, 1, ?)',
        seq,
        number,
        passed,
      );
    for (const [actor, text] of [
      ['', 'Wave 1 passed: 2 good, 2 needed'],
      ['token', 'Advanced'],
      ['', 'Wave 12 passed: 2 good, 2 needed'],
    ] as const)
      await tx.run(
        "INSERT INTO rollout_steps (rollout_seq, at, actor, text, reason) VALUES (?, 5, ?, ?, '')",
        seq,
        actor,
        text,
      );
    await tx.run('ALTER TABLE rollout_waves DROP COLUMN by_hand');
    const steps = onPostgres ? inPostgres(WAVES_BY_HAND) : WAVES_BY_HAND;
    for (const step of steps.split(';\n')) if (step.trim()) await tx.run(step);
    return tx.all<{ number: number }>('SELECT number FROM rollout_waves WHERE by_hand = 1');
  });
  assert.deepEqual(
    numbers.map(({ number }) => number),
    [1],
  );
});
