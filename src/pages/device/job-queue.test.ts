import assert from 'node:assert/strict';
import { test } from 'node:test';
import { job as jobSchema } from '#/contract/jobs.ts';
import { jobQueueOf } from './job-queue.ts';

const job = (JobId: string, fields: Record<string, unknown> = {}) =>
  jobSchema.parse({ JobId, DeviceId: 'd1', ...fields });
const at = (minute: number) => `Nov 2, 2026, 14:0${minute}:00 UTC`;
const ids = (jobs: { JobId: string }[]) => jobs.map(({ JobId }) => JobId);

test('jobs are split by what they are doing, waiting ones in order, executed ones newest first', () => {
  const queue = jobQueueOf([
    job('a', { Status: 'Succeeded', StartTime: at(0), EndTime: at(1) }),
    job('b', { Status: 'Failed', StartTime: at(1), EndTime: at(2) }),
    job('c', { Status: 'Running', StartTime: at(2) }),
    job('d', { Status: 'Waiting' }),
    job('e', { Status: 'Waiting' }),
  ]);
  assert.deepEqual([ids(queue.running), ids(queue.waiting), ids(queue.executed)], [['c'], ['d', 'e'], ['b', 'a']]);
});

test('without times the given order counts', () => {
  const queue = jobQueueOf([job('a', { Status: 'Cancelled' }), job('b', { Status: 'Cancelled' }), job('c'), job('d')]);
  assert.deepEqual(
    [ids(queue.waiting), ids(queue.executed)],
    [
      ['c', 'd'],
      ['b', 'a'],
    ],
  );
});

test('what waits stays in the order of the list, whatever its times are', () => {
  const jobs = [
    job('d', { CreatedTime: '2026-11-02T14:05:00+00:00' }),
    job('e', { CreatedTime: '2026-11-02T14:04:00+00:00' }),
  ];
  assert.deepEqual(ids(jobQueueOf(jobs).waiting), ['d', 'e']);
});
