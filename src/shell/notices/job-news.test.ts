import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Job } from '#/contract/jobs.ts';
import { newsBetween } from './job-news.ts';

const job = (JobId: string, fields: Partial<Job>): Job => ({
  JobId,
  JobName: JobId,
  DeviceId: '',
  Command: '',
  StartTime: '',
  EndTime: '',
  Result: '',
  ...fields,
});
const newsOf = (before: Job[], now: Job[]) => newsBetween(before, now).map(({ id, text, isBad }) => [id, text, isBad]);

test('a job that ended meanwhile is reported; one that had already ended, or still runs, is not', () => {
  const before = [
    job('a', { Status: 'Running', DeviceId: 'd' }),
    job('b', { Status: 'Succeeded', DeviceId: 'd' }),
    job('c', { Status: 'Waiting', DeviceId: 'd' }),
  ];
  const now = [
    job('a', { Status: 'Failed', DeviceId: 'd' }),
    job('b', { Status: 'Succeeded', DeviceId: 'd' }),
    job('c', { Status: 'Running', DeviceId: 'd' }),
    job('new', { Status: 'Succeeded', DeviceId: 'd' }),
  ];
  assert.deepEqual(newsOf(before, now), [['a', 'Result: failed', true]]);
});

test('a deployment is reported when it ends, and once at its first failure', () => {
  const moving = job('p', { Counts: { Running: 3, Succeeded: 1 } });
  const failing = job('p', { Counts: { Running: 2, Succeeded: 1, Failed: 1 } });
  const worse = job('p', { Counts: { Running: 1, Succeeded: 1, Failed: 2 } });
  const ended = job('p', { Counts: { Succeeded: 2, Failed: 2 } });
  assert.deepEqual(newsOf([moving], [failing]), [['p', 'So far: 1 failed, 1 succeeded, 2 running', true]]);
  assert.deepEqual(newsOf([failing], [worse]), []);
  assert.deepEqual(newsOf([worse], [ended]), [['p', 'Result: 2 failed, 2 succeeded', true]]);
  assert.deepEqual(newsOf([moving], [job('p', { Counts: { Succeeded: 4 } })]), [['p', 'Result: 4 succeeded', false]]);
});

test('the title about a running deployment has the state that its page shows', () => {
  const moving = job('p', { JobName: 'Update', Counts: { Running: 9 } });
  const failing = job('p', { JobName: 'Update', Counts: { Running: 1, Failed: 8 } });
  assert.deepEqual(
    newsBetween([moving], [failing]).map(({ title }) => title),
    ['Update: Running · 8 failed'],
  );
});
