import assert from 'node:assert/strict';
import { test } from 'node:test';
import { job } from '#/contract/jobs.ts';
import { withChanges, type JobPages } from './job-pages.ts';

const at = (minute: number, Status = 'Succeeded') =>
  job.parse({
    JobId: `j${minute}`,
    Status,
    CreatedTime: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
  });
const idsOf = ({ jobs }: JobPages) => jobs.map(({ JobId }) => JobId);
/** The newest three of ten. */
const before: JobPages = { jobs: [at(9), at(8), at(7)], left: [], next: '7', version: 'v1', total: 10 };

test('changed jobs keep their place in the list, and new ones come first', () => {
  const after = withChanges(before, [at(8, 'Failed'), at(10)], [], 'v2');
  assert.deepEqual(idsOf(after), ['j10', 'j9', 'j8', 'j7']);
  assert.deepEqual([after.jobs[2]?.Status, after.total, after.version, after.next], ['Failed', 11, 'v2', '7']);
});

test('a job older than the loaded ones is left out, unless the list is loaded completely', () => {
  assert.deepEqual(idsOf(withChanges(before, [at(2, 'Failed')], [], 'v2')), ['j9', 'j8', 'j7']);
  const whole = withChanges({ ...before, next: '', total: 3 }, [at(2)], [], 'v2');
  assert.deepEqual([idsOf(whole), whole.total], [['j9', 'j8', 'j7', 'j2'], 4]);
});

test('a job that leaves the list leaves the page', () => {
  const after = withChanges(before, [], ['j8'], 'v2');
  assert.deepEqual([idsOf(after), after.total], [['j9', 'j7'], 9]);
});
