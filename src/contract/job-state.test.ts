// Which actions the fields of a job allow.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { job } from '#/contract/jobs.ts';
import { canStop, isStopping } from './job-state.ts';

test('a service that sends StopTime can stop a job until it has ended', () => {
  const of = (fields: object) => job.parse({ JobId: 'j', ...fields });
  for (const Status of ['Waiting', 'Running']) {
    assert.ok(canStop(of({ Status, StopTime: '' })));
    assert.ok(!isStopping(of({ Status, StopTime: '' })));
    assert.ok(isStopping(of({ Status, StopTime: '2026-11-02T10:00:00.000Z' })));
    assert.ok(!canStop(of({ Status })), 'no such field, no such action');
  }
  assert.ok(!canStop(of({ Status: 'Cancelled', StopTime: '2026-11-02T10:00:00.000Z' })));
  assert.ok(!isStopping(of({ Status: 'Cancelled', StopTime: '2026-11-02T10:00:00.000Z' })));
});
