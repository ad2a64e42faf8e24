import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Job } from '#/contract/jobs.ts';
import { jobWords, outcomeOf } from '#/features/jobs/outcome.ts';
import { foldWaves, parentOf } from './fold-waves.ts';

const job = (more: Partial<Job>): Job => ({
  JobId: 'j',
  JobName: 'job',
  DeviceId: '',
  Command: '',
  StartTime: '',
  EndTime: '',
  Result: '',
  ...more,
});
const wave = (Wave: number, more: Partial<Job>) =>
  job({ JobId: `w${Wave}`, JobName: `app, wave ${Wave} of 3`, RolloutId: 'r', Wave, WaveCount: 3, ...more });
const TIMES = { StartTime: '2026-11-28T10:00:00Z', EndTime: '2026-11-28T10:05:00Z' };
const second = wave(2, { Counts: { Waiting: 2, Running: 1, Failed: 1 }, WaitingOffline: 1, StartTime: TIMES.EndTime });
const first = wave(1, { Counts: { Succeeded: 2 }, VerdictCounts: { Succeeded: 1, RolledBack: 1 }, ...TIMES });
const other = job({ JobId: 'other' });

test('the waves of a rollout are one row with the sums of their states, in the place of the first', () => {
  const { rows, waves } = foldWaves([second, other, first], new Set());
  const [row, ...rest] = rows;
  assert.ok(row);
  assert.deepEqual(rest, [other]);
  assert.deepEqual([...waves], [[row.JobId, [second, first]]]);
  assert.equal(row.JobName, 'app');
  assert.deepEqual(outcomeOf(row), { Waiting: 2, Running: 1, Failed: 1, Succeeded: 1, 'Rolled back': 1 });
  assert.deepEqual(jobWords(row), { label: 'Running', mark: 'Running', failed: 2 });
  assert.deepEqual([row.StartTime, row.EndTime, row.WaitingOffline], [TIMES.StartTime, '', 1]);
});

test('a row ends with the wave that ended last, which need not be the last wave', () => {
  const later = '2026-11-28T11:00:00Z';
  const ended = wave(2, { Counts: { Failed: 1 }, ...TIMES });
  const [row] = foldWaves([ended, wave(1, { Counts: { Succeeded: 1 }, ...TIMES, EndTime: later })], new Set()).rows;
  assert.equal(row?.EndTime, later);
});

test('an opened row has its waves below it, in the order of the list', () => {
  const [row] = foldWaves([first, second], new Set()).rows;
  const { rows } = foldWaves([other, first, second], new Set([row?.JobId ?? '']));
  assert.deepEqual(
    rows.map(({ JobId }) => JobId),
    ['other', row?.JobId, 'w1', 'w2'],
  );
  assert.deepEqual(rows.map(parentOf), [undefined, undefined, row?.JobId, row?.JobId]);
});

test('a single listed wave, and waves of a service that does not name their rollout, stay rows of their own', () => {
  const unnamed = [first, second].map((each) => ({ ...each, RolloutId: undefined }));
  for (const jobs of [[first, other], unnamed]) assert.deepEqual(foldWaves(jobs, new Set()).rows, jobs);
});
