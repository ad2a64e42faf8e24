import assert from 'node:assert/strict';
import { test } from 'node:test';
import { job } from '#/contract/jobs.ts';
import { isMadeBy, type Attempt } from '#/pages/deploy/attempt.ts';

const attempt = (target: Attempt['target']): Attempt => ({
  key: 'k',
  what: { Name: 'update', ArtifactId: 'a1' },
  target,
  label: 'x',
  before: ['old'],
});
const isIt = (target: Attempt['target'], fields: object) => isMadeBy(attempt(target), job.parse(fields));

test('finds its job by name, target and artifact, among those that were not there before', () => {
  const device = { DeviceId: 'd1' };
  const made = { JobId: 'j1', JobName: 'update', DeviceId: 'd1', ArtifactId: 'a1' };
  assert.equal(isIt(device, made), true);
  assert.equal(isIt(device, { ...made, JobId: 'old' }), false);
  assert.equal(isIt(device, { ...made, JobName: 'update 2' }), false);
  assert.equal(isIt(device, { ...made, DeviceId: 'd2' }), false);
  assert.equal(isIt(device, { ...made, ArtifactId: 'a2' }), false);
  // A service that does not report what was submitted.
  assert.equal(isIt(device, { ...made, ArtifactId: undefined }), true);

  const parent = { JobId: 'j1', JobName: 'update', DeviceId: '', DeviceGroup: 'lab' };
  assert.equal(isIt({ DeviceGroup: 'lab' }, parent), true);
  assert.equal(isIt({ DeviceGroup: 'field' }, parent), false);
  assert.equal(isIt({ TagId: 't' }, { ...parent, DeviceGroup: undefined }), true);
  assert.equal(isIt({ TagId: 't' }, made), false);

  const list = { DeviceIds: ['d1', 'd2'] };
  assert.equal(isIt(list, { ...parent, DeviceGroup: undefined }), true);
  assert.equal(isIt(list, parent), false);
  assert.equal(isIt(list, made), false);

  assert.equal(isIt({ ids: ['d1', 'd2'] }, made), true);
  assert.equal(isIt({ ids: ['d2'] }, made), false);
});
