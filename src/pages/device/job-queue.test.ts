import assert from 'node:assert/strict';
import { test } from 'node:test';
import { job as jobSchema } from '#/contract/jobs.ts';
import { jobQueueOf, jobsAimedAt } from './job-queue.ts';

const job = (JobId: string, fields: Record<string, unknown> = {}) =>
  jobSchema.parse({ JobId, DeviceId: 'd1', ...fields });
const at = (minute: number) => `Nov 2, 2026, 14:0${minute}:00 UTC`;
const ids = (jobs: { JobId: string }[]) => jobs.map(({ JobId }) => JobId);

test('jobs are split into running ones, waiting ones in order, and executed ones newest first', () => {
  const queue = jobQueueOf(
    [
      job('a', { Status: 'Succeeded', StartTime: at(0), EndTime: at(1) }),
      job('b', { Status: 'Failed', StartTime: at(1), EndTime: at(2) }),
      job('c', { Status: 'Running', StartTime: at(2) }),
      job('d', { Status: 'Waiting' }),
      job('e', { Status: 'Waiting' }),
    ],
    false,
  );
  assert.deepEqual([ids(queue.running), ids(queue.waiting), ids(queue.executed)], [['c'], ['d', 'e'], ['b', 'a']]);
});

test('a list that is newest first is sorted by the reported times', () => {
  const queue = jobQueueOf(
    [
      job('e', { CreatedTime: '2026-11-02T14:05:00+00:00' }),
      job('d', { CreatedTime: '2026-11-02T14:04:00+00:00' }),
      job('b', { StartTime: at(1), EndTime: at(2) }),
      job('a', { StartTime: at(0), EndTime: at(1) }),
    ],
    true,
  );
  assert.deepEqual(
    [ids(queue.waiting), ids(queue.executed)],
    [
      ['d', 'e'],
      ['b', 'a'],
    ],
  );
});

test('without times the given order is kept', () => {
  const queue = jobQueueOf(
    [job('a', { Status: 'Cancelled' }), job('b', { Status: 'Cancelled' }), job('c'), job('d')],
    true,
  );
  assert.deepEqual(
    [ids(queue.waiting), ids(queue.executed)],
    [
      ['c', 'd'],
      ['b', 'a'],
    ],
  );
});

test('the order of a device’s own list is kept, whatever its times are', () => {
  const jobs = [
    job('d', { CreatedTime: '2026-11-02T14:05:00+00:00' }),
    job('e', { CreatedTime: '2026-11-02T14:04:00+00:00' }),
  ];
  assert.deepEqual(ids(jobQueueOf(jobs, false).waiting), ['d', 'e']);
});

test('only jobs for the device alone are taken from the list of all jobs', () => {
  assert.deepEqual(ids(jobsAimedAt('d1', [job('a'), job('b', { DeviceId: 'd2' }), job('c', { DeviceId: '' })])), ['a']);
});
