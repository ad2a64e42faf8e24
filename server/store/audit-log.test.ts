// The chain of hashes of the audit log: it covers all that an entry says, and goes on across units of work.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { hashAudit, verifyAudit } from './audit-log.ts';
import type { Database, SqlValue, Tx } from './database.ts';
import { onPostgres, openTestDatabase } from './test-database.ts';

let db: Database;
beforeEach(async () => {
  db = await openTestDatabase();
});
afterEach(() => db.close());

const ENTRY = {
  at: 1_000,
  actor: 'token:one',
  address: '10.0.0.1',
  action: 'device.create',
  target: 'a b',
  outcome: 'done',
};
const add = (count: number) =>
  db.write(async (tx) => {
    for (let added = 0; added < count; added++)
      await tx.run(
        `INSERT INTO audit (${Object.keys(ENTRY).join(', ')}) VALUES (?, ?, ?, ?, ?, ?)`,
        ...Object.values(ENTRY),
      );
  });

/** A change by somebody who can write to the database: the triggers that refuse it are in the way. */
const forge = (change: (tx: Tx) => Promise<unknown>) =>
  db.write(async (tx) => {
    if (onPostgres) await tx.run('ALTER TABLE audit DISABLE TRIGGER USER');
    else
      for (const guard of ['audit_is_not_edited', 'audit_is_not_cut']) await tx.run(`DROP TRIGGER IF EXISTS ${guard}`);
    await change(tx);
  });

test('a change of any field of an entry is found', async () => {
  await add(3);
  await hashAudit(db);
  const rows = await db.all<Record<string, SqlValue> & { seq: number }>('SELECT * FROM audit ORDER BY seq');
  const middle = rows[1] ?? assert.fail();
  for (const [field, value] of Object.entries(middle)) {
    if (field === 'seq') continue;
    const other = typeof value === 'string' ? `${value}x` : 7;
    const set = (to: SqlValue) => forge((tx) => tx.run(`UPDATE audit SET ${field} = ? WHERE seq = ?`, to, middle.seq));
    await set(other);
    const { fault, entries } = await verifyAudit(db);
    assert.match(fault ?? '', new RegExp(`^Entry ${middle.seq} does not match its hash`), field);
    assert.equal(entries, 1);
    await set(value);
    assert.equal((await verifyAudit(db)).fault, undefined, field);
  }
});

test('an entry without a hash is a fault, unless all after it have none either', async () => {
  await add(3);
  await hashAudit(db);
  await add(2);
  assert.deepEqual([(await verifyAudit(db)).fault, (await verifyAudit(db)).entries], [undefined, 3]);
  await hashAudit(db);
  const [, second] = await db.all<{ seq: number }>('SELECT seq FROM audit ORDER BY seq');
  await forge((tx) => tx.run('DELETE FROM audit_hashes WHERE audit_seq = ?', second?.seq ?? 0));
  assert.match((await verifyAudit(db)).fault ?? '', new RegExp(`^Entry ${second?.seq} has no hash`));
});

test('text that moves from one field to the next is another entry', async () => {
  await add(1);
  await hashAudit(db);
  await forge((tx) => tx.run("UPDATE audit SET action = 'device.create a', target = 'b'"));
  assert.match((await verifyAudit(db)).fault ?? '', /does not match its hash/);
});

test('the chain goes on from one unit of work to the next, and over more entries than one of them hashes', async () => {
  for (const count of [3, 1, 1_203, 2]) {
    await add(count);
    await hashAudit(db);
  }
  const { entries, fault } = await verifyAudit(db);
  assert.deepEqual([entries, fault], [1_209, undefined]);
  const first = await db.all<{ audit_seq: number; hash: string }>('SELECT * FROM audit_hashes ORDER BY audit_seq');
  assert.equal(new Set(first.map(({ hash }) => hash)).size, 1_209);
  // Entries before a unit of work count in it: without them, its hashes are others.
  await forge((tx) => tx.run('DELETE FROM audit WHERE seq = ?', first[0]?.audit_seq ?? 0));
  assert.match((await verifyAudit(db)).fault ?? '', /does not match its hash/);
});
