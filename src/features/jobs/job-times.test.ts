import assert from 'node:assert/strict';
import { test } from 'node:test';
import { job as jobSchema } from '#/contract/jobs.ts';
import { durationOf, newestFirst, timesOf } from './job-times.ts';

const job = (JobId: string, fields: object = {}) => jobSchema.parse({ JobId, ...fields });

test('newest first; waiting jobs without a time lead, unreadable times come last', () => {
  const jobs = [
    job('unreadable', { StartTime: 'yesterday' }),
    job('old', { StartTime: 'Nov 2, 2026, 14:03:09 UTC' }),
    job('new', { CreatedTime: '2026-11-02T15:00:00.000+00:00' }),
    job('waiting'),
  ];
  assert.deepEqual(
    newestFirst(jobs).map(({ JobId }) => JobId),
    ['waiting', 'new', 'old', 'unreadable'],
  );
});

test('a duration runs until the end, or until now', () => {
  const now = new Date('2026-11-02T14:05:00Z');
  const started = { StartTime: 'Nov 2, 2026, 14:03:00 UTC' };
  assert.equal(durationOf(timesOf(job('a', started)), now), 120_000);
  assert.equal(durationOf(timesOf(job('b', { ...started, EndTime: 'Nov 2, 2026, 14:03:10 UTC' })), now), 10_000);
  assert.equal(durationOf(timesOf(job('c')), now), undefined);
});
