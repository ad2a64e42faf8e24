// What a job's fields say of what can be done to it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { job } from '#/contract/jobs.ts';
import { canStop, isOwnPart, isStopping } from './job-state.ts';

test('a job that reports StopTime can be stopped until it has ended', () => {
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

test('a child without its own id cannot be cancelled alone: the id of its job would cancel all of it', () => {
  assert.ok(isOwnPart({ JobId: 'part' }, 'whole'));
  assert.ok(!isOwnPart({ JobId: 'whole' }, 'whole'));
  assert.ok(!isOwnPart({ JobId: '' }, 'whole'));
});
