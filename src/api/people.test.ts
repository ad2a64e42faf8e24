import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { jobEndpoints } from '#/contract/jobs.ts';
import { peopleEndpoints } from '#/contract/people.ts';
import { isPermitted, ROLES } from '#/contract/permissions.ts';
import type { Operation, Operations } from '#/contract/resource.ts';
import { viewEndpoints } from '#/contract/views.ts';
import { groupsText, whyNot } from './people.ts';

/** Every row of the contract, with its name. */
async function allRows(): Promise<[name: string, row: Operation][]> {
  const files = globSync('../contract/*.ts', { cwd: import.meta.dirname }).filter((file) => !file.endsWith('.test.ts'));
  const modules = await Promise.all(files.map((file) => import(file) as Promise<Record<string, unknown>>));
  return modules
    .flatMap((module) => Object.entries(module))
    .filter(([name]) => name.endsWith('Endpoints'))
    .flatMap(([, operations]) => Object.values(operations as Operations))
    .map((row) => [`${row.resource.name}.${row.name}`, row]);
}

const [unlimited, limited] = [[], ['plant-a']];

test('every row says what a role lacks, and nothing where it suffices', async () => {
  const rows = await allRows();
  assert.ok(rows.length > 90, `${rows.length} rows`);
  for (const [name, row] of rows)
    for (const Role of ROLES)
      for (const Groups of [unlimited, limited]) {
        const { permission } = row;
        const needed = typeof permission === 'object' ? permission.of({}) : permission;
        const suffices = isPermitted(Role, needed) && !(row.unlimited === true && Groups.length > 0);
        const why = whyNot({ Role, Groups }, row, { doing: 'Trying' });
        assert.equal(why === undefined, suffices, `${name} as ${Role} of ${Groups.join() || 'all'}: ${why}`);
        if (why !== undefined)
          assert.match(why, /^Trying (needs the role \w+; yours is \w+|concerns all device .*)\.$/);
      }
});

test('an unlimited Admin may do everything, and so may everybody where no people are known', async () => {
  for (const [name, row] of await allRows()) {
    assert.equal(whyNot({ Role: 'Admin', Groups: [] }, row), undefined, name);
    assert.equal(whyNot(undefined, row), undefined, name);
  }
});

test('the sentence names the least role that suffices, and one’s own', () => {
  const viewer = { Role: 'Viewer', Groups: [] } as const;
  assert.equal(
    whyNot({ ...viewer, Groups: [] }, jobEndpoints.submit, { doing: 'Deploying' }),
    'Deploying needs the role Deployer; yours is Viewer.',
  );
  assert.equal(
    whyNot({ Role: 'Operator', Groups: [] }, peopleEndpoints.list, { doing: 'Seeing the people' }),
    'Seeing the people needs the role Admin; yours is Operator.',
  );
});

test('a permission that depends on the request is that of the request', () => {
  const deployer = { Role: 'Deployer' as const, Groups: [] };
  const doing = 'Deploying a workflow';
  assert.equal(whyNot(deployer, jobEndpoints.submit, { doing, request: { body: { ArtifactId: 'a' } } }), undefined);
  assert.equal(
    whyNot(deployer, jobEndpoints.submit, { doing, request: { body: { WorkflowId: 'w' } } }),
    'Deploying a workflow needs the role Operator; yours is Deployer.',
  );
  const viewer = { Role: 'Viewer' as const, Groups: [] };
  assert.equal(whyNot(viewer, viewEndpoints.save, { request: { body: { Private: true } } }), undefined);
  assert.match(whyNot(viewer, viewEndpoints.save, { request: { body: { Private: false } } }) ?? '', /Deployer/);
});

test('what concerns all groups names those that the role covers', () => {
  assert.equal(
    whyNot({ Role: 'Admin', Groups: ['plant-a', 'plant-b'] }, peopleEndpoints.invite, { doing: 'Inviting people' }),
    'Inviting people concerns all device groups; your role covers the groups plant-a and plant-b.',
  );
});

test('groups are listed in words', () => {
  assert.equal(groupsText(['a']), 'the group a');
  assert.equal(groupsText(['a', 'b', 'c']), 'the groups a, b and c');
});
