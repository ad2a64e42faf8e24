// When a node believes that it leads, with a database that answers as it is told to: on every machine, without PostgreSQL.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../scripts/test-process.ts';
import type { PostgresDatabase } from '../store/postgres.ts';
import { joinNodes } from './nodes.ts';
import type { Nodes } from './nodes.ts';

/** Rows that statements return while the node is registered and has the lease of the leader. */
const answer = (sql: string) =>
  /^\s*(UPDATE nodes|INSERT INTO leases)/.test(sql) ? [{ id: 'here', node: 'here' }] : [];

/** Joins with a short lease; `direct`: what renewals of the lease get. */
async function join(direct: { answer: (sql: string) => Promise<object[]> }): Promise<Nodes> {
  const tx = { all: async () => [], get: async () => undefined, run: async () => ({ changes: 0 }), bump: () => {} };
  const db = {
    get: async () => undefined,
    write: async (unit: (given: typeof tx) => unknown) => unit(tx),
    direct: (sql: string) => direct.answer(sql),
  };
  return joinNodes({
    db: db as unknown as PostgresDatabase,
    id: 'here',
    secret: 'secret',
    where: 'a test',
    wasGone: () => {},
    times: { renewMs: 50, leaseMs: 1_000 },
  });
}

for (const [what, later] of [
  ['fails', () => Promise.reject(new Error('The connection was lost'))],
  ['never answers', () => new Promise<object[]>(() => {})],
  ['gave the lease to another node', (sql: string) => Promise.resolve(/leases/.test(sql) ? [] : answer(sql))],
  ['has no row of this node', (sql: string) => Promise.resolve(/UPDATE nodes/.test(sql) ? [] : answer(sql))],
] as const)
  void test(`a node stops believing that it leads when the database ${what}`, async () => {
    const direct = { answer: (sql: string): Promise<object[]> => Promise.resolve(answer(sql)) };
    const nodes = await join(direct);
    assert.ok(nodes.isLeader());
    direct.answer = later;
    await until('it to know', () => !nodes.isLeader());
    // What hangs ends with the test: it is no part of a close.
    if (what !== 'never answers') await nodes.close();
  });

test('a node leads as long as its renewals succeed, and not after it has left', async () => {
  let renewals = 0;
  const nodes = await join({ answer: async (sql) => ((renewals += 1), answer(sql)) });
  const held = renewals;
  await until('it to lead after renewals for longer than a lease', () => renewals > held + 50 && nodes.isLeader());
  await nodes.close();
  assert.ok(!nodes.isLeader());
});
