// Tags, workflows, tunnels and the account: what is read and what may be written.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { account, accountEndpoints } from '#/contract/account.ts';
import { tagEndpoints } from '#/contract/tags.ts';
import { tunnelEndpoints } from '#/contract/tunnels.ts';
import { workflowDraft, workflowEndpoints } from '#/contract/workflows.ts';

test('lists are read bare, wrapped and empty', () => {
  const rows = [
    [tagEndpoints.list.response, { TagId: 7, TagName: 'red' }, { TagId: '7', TagName: 'red' }],
    [workflowEndpoints.list.response, { WorkflowId: 'w' }, { WorkflowId: 'w', Name: '', Command: '', CreatedTime: '' }],
    [
      tunnelEndpoints.list.response,
      { Name: 't', PublicUrl: 'N/A', Protocol: 'TCP' },
      { Name: 't', PublicUrl: 'N/A', Protocol: 'TCP', LocalDest: '', Created: '', Uptime: '' },
    ],
  ] as const;
  for (const [schema, sent, read] of rows) {
    assert.deepEqual(schema.parse([sent]), [read]);
    assert.deepEqual(schema.parse({ Any: [sent] }), [read]);
    assert.deepEqual(schema.parse(null), []);
    assert.ok(!schema.safeParse([{}]).success, 'a row without its id is no row');
  }
});

test('a workflow needs a name and a command', () => {
  assert.ok(workflowDraft.safeParse({ Name: 'n', Command: 'uptime' }).success);
  for (const bad of [
    { Name: 'n', Command: ' \n' },
    { Name: '', Command: 'x' },
    { Name: 'n' },
    { Name: 'n', Command: 'x'.repeat(70_000) },
  ])
    assert.ok(!workflowDraft.safeParse(bad).success);
});

test('ids and names in paths are checked', () => {
  assert.ok(!tagEndpoints.create.params.safeParse({ tag_name: ' ' }).success);
  assert.ok(!tagEndpoints.remove.params.safeParse({ tag_id: '..' }).success);
  assert.ok(!tunnelEndpoints.remove.params.safeParse({ tunnel_id: '' }).success);
  assert.ok(!accountEndpoints.revokeToken.params.safeParse({ token_id: '.' }).success);
});

test('an account without our additions is read', () => {
  assert.deepEqual(account.parse({ UserEmail: 'a@b.c', PlanMaxDeviceLimit: '100', NumDevicesAdded: 3 }), {
    UserEmail: 'a@b.c',
    PlanMaxDeviceLimit: 100,
    NumDevicesAdded: 3,
  });
});
