// The rule that chooses the tests for PostgreSQL: it finds what depends on the engine, and leaves out nothing by a name
// that no file has any more.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { choose, LEFT_OUT } from './choice.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const tests = globSync('server/**/*.test.ts', { cwd: ROOT });
const { landing, others } = choose();

test('each landing tests dialect, triggers, upgrades, transactions, nodes, kills and the permission matrix', () => {
  for (const file of [
    'server/store/query-plans.test.ts',
    'server/store/upgrades.test.ts',
    'server/store/postgres.test.ts',
    'server/store/state-totals-kills.test.ts',
    'server/store/submissions.test.ts',
    'server/cluster/nodes.test.ts',
    'server/cluster/kills.test.ts',
    'server/backup/round-trip.test.ts',
    'server/jobs/job-kills.test.ts',
    'server/jobs/durable-answers.test.ts',
    'server/api/changes.test.ts',
    'server/api/permission-matrix.test.ts',
  ])
    assert.ok(landing.includes(file), file);
});

test('what says "postgres" or writes to the database itself is among them', () => {
  const direct = /\bonPostgres\b|\bopenTestDatabase\b|\bstartTestCluster\b|\bkillableService\b/;
  const missing = others.filter((file) => direct.test(readFileSync(path.join(ROOT, file), 'utf8')));
  assert.deepEqual(missing, []);
});

test('a test is chosen for one or the other, and only if it reaches a database', () => {
  assert.deepEqual(
    landing.filter((file) => others.includes(file)),
    [],
  );
  assert.ok(others.includes('server/api/workflows.test.ts'));
  for (const file of ['server/auth/otp.test.ts', 'server/rollouts/decide.test.ts'])
    assert.ok(!landing.includes(file) && !others.includes(file), file);
  // More than half would mean that the rule finds nearly everything, a fifth that it finds too little.
  assert.ok(
    landing.length > tests.length / 5 && landing.length < tests.length / 2,
    `${landing.length} of ${tests.length}`,
  );
});

test('each start of a path that is left out is one of a test', () => {
  for (const start of Object.keys(LEFT_OUT))
    assert.ok(
      tests.some((file) => file.startsWith(start)),
      start,
    );
});
