import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobDraft } from '#/contract/job-draft.ts';
import { confirms, deployUrl, suggestName, bodyTargetOf, whatOf } from '#/pages/deploy/deploy-choice.ts';

const read = (search: string) => {
  const { target, payload, name } = deployUrl.read(search);
  return { target, payload, name };
};

test('reads the choice from the URL; a kind without a value keeps its kind', () => {
  assert.deepEqual(read(''), {
    target: { kind: 'device', value: '' },
    payload: { kind: 'artifact', value: '' },
    name: undefined,
  });
  assert.deepEqual(read('group=lab&workflow=w1&name=x'), {
    target: { kind: 'group', value: 'lab' },
    payload: { kind: 'workflow', value: 'w1' },
    name: 'x',
  });
  assert.deepEqual(read('tag=').target, { kind: 'tag', value: '' });
  assert.deepEqual(read('device=&group=lab').target, { kind: 'group', value: 'lab' });
});

test('a new target replaces the old one and keeps the rest', () => {
  const at = 'device=d1&artifact=a1';
  assert.equal(deployUrl.change(at, { target: { kind: 'group', value: 'lab' } }), 'artifact=a1&group=lab');
  assert.equal(deployUrl.change(at, { payload: { kind: 'workflow', value: 'w' } }), 'device=d1&workflow=w');
});

test('the body fits the contract, and nothing is sent before everything is chosen', () => {
  const draft = (search: string, ids = ['d1', 'd2']) => ({
    ...whatOf(read(search), 'A name'),
    ...bodyTargetOf(read(search).target, ids),
  });
  assert.deepEqual(draft('tag=t1&artifact=a1'), { Name: 'A name', TagId: 't1', ArtifactId: 'a1' });
  assert.equal(jobDraft.safeParse(draft('tag=t1&artifact=a1')).success, true);
  assert.equal(jobDraft.safeParse(draft('tag=&artifact=a1')).success, false);
  assert.equal(jobDraft.safeParse(draft('tag=t1')).success, false);
  const selection = 'selection=7&workflow=w1';
  const listed = draft(selection);
  assert.deepEqual(listed, { Name: 'A name', WorkflowId: 'w1', DeviceIds: ['d1', 'd2'] });
  assert.equal(jobDraft.safeParse(listed).success, true);
  assert.deepEqual(draft(selection, ['d1']), { Name: 'A name', WorkflowId: 'w1', DeviceId: 'd1' });
});

test('suggests a name that the contract accepts', () => {
  assert.equal(suggestName('app.tar.gz 1.2', 'group lab'), 'app.tar.gz 1.2 to group lab');
  assert.equal(suggestName(undefined, 'group lab'), '');
  assert.equal(suggestName('x'.repeat(300), 'y').length, 255);
});

test('a deploy to many is confirmed by its name or its count', () => {
  assert.equal(confirms(' lab ', 'lab', 1200), true);
  assert.equal(confirms('1200', 'lab', 1200), true);
  assert.equal(confirms('1,200', 'lab', 1200), true);
  assert.equal(confirms('1201', 'lab', 1200), false);
  assert.equal(confirms('', 'lab', 1200), false);
  assert.equal(confirms('Lab', 'lab', 1200), false);
  assert.equal(confirms('undefined', undefined, 1200), false);
});
