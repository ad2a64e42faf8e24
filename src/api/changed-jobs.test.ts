// Lists of jobs after changes: everything else stays the same object.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Job } from '#/contract/jobs.ts';
import { changedRows } from './changed-jobs.ts';

const row = (JobId: string, Status = 'Running'): Job => ({
  JobId,
  JobName: JobId,
  DeviceId: '',
  Command: '',
  StartTime: '',
  EndTime: '',
  Result: '',
  Status,
});
const before = [row('a'), row('b'), row('c')];
const none = { Version: '2', Reset: false, Jobs: [], Removed: [] };

test('a changed row takes the place of the one before, a new one comes last, a removed one goes', () => {
  const changed = row('b', 'Failed');
  const rows = changedRows(before, { ...none, Jobs: [row('d'), changed], Removed: ['a', 'unknown'] });
  assert.deepEqual(
    rows.map(({ JobId, Status }) => [JobId, Status]),
    [
      ['b', 'Failed'],
      ['c', 'Running'],
      ['d', 'Running'],
    ],
  );
  assert.equal(rows[0], changed);
  assert.equal(rows[1], before[2]);
});

test('the same rows stay the same array', () => {
  assert.equal(changedRows(before, none), before);
  assert.equal(changedRows(before, { ...none, Jobs: [row('b')] }), before);
  assert.equal(changedRows(before, { ...none, Reset: true, Jobs: before.map(({ JobId }) => row(JobId)) }), before);
});

test('after a reset only the given rows are left, in their order', () => {
  const rows = changedRows(before, { ...none, Reset: true, Jobs: [row('c'), row('e')] });
  assert.deepEqual(
    rows.map(({ JobId }) => JobId),
    ['c', 'e'],
  );
  assert.equal(rows[0], before[2]);
});
