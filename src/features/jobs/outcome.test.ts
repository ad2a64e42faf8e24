import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Job } from '#/contract/jobs.ts';
import { isMoving } from '#/contract/job-state.ts';
import { stateText } from '#/ui/controls/state-words.ts';
import { spanOf } from './job-times.ts';
import { isKind } from './lately.ts';
import { awaitedOffline, countChildren, jobWords, outcomeOf, outcomeText, overallState, stateOf } from './outcome.ts';
import type { Verdict, VerdictCounts } from './verdict.ts';

const job = (fields: Partial<Job>): Job => ({
  JobId: 'j',
  JobName: '',
  DeviceId: 'd',
  Command: '',
  StartTime: '',
  EndTime: '',
  Result: '',
  ...fields,
});

test('counts children by their state or their last line, with or without a Status', () => {
  const outcome = countChildren([
    job({ Status: 'Failed' }),
    job({ Status: 'failed' }),
    job({ StartTime: 'x', EndTime: 'y', ExitCode: 0 }),
    job({ StartTime: 'x' }),
    job({}),
    job({ Status: 'EXECUTED', EndTime: 'y' }),
    // Other services report jobs without times.
    job({ Status: 'EXECUTED', DeviceName: 'press' }),
    job({ Stdout: 'done', ExitCode: 0 }),
    job({ Result: 'turned it off and on' }),
    job({ Status: 'DEVICE_OFFLINE', Result: 'is offline' }),
    job({ Status: 'EXECUTED', EndTime: 'y', Result: 'error: no space left on device' }),
    job({ Status: 'EXECUTED', DeviceId: '' }), // a parent's does not count for its children
  ]);
  assert.deepEqual(outcome, { Failed: 3, Succeeded: 2, Running: 1, Waiting: 3, Finished: 3 });
});

test('takes the counts of the service; an unknown status counts as finished without an outcome', () => {
  assert.deepEqual(
    outcomeOf({ JobId: 'j', Counts: { Succeeded: 3, failed: 1, Waiting: 0, EXECUTED: 2, SCHEDULED: 4 } }),
    {
      Succeeded: 3,
      Failed: 1,
      Finished: 2,
      Waiting: 4,
    },
  );
  assert.equal(outcomeOf({ JobId: 'j' }), undefined);
});

test('a parent waits, runs, and then has the state of its worst child', () => {
  assert.equal(overallState({ Waiting: 3 }), 'Waiting');
  assert.equal(overallState({ Waiting: 2, Cancelled: 1 }), 'Waiting');
  assert.equal(overallState({ Waiting: 2, Succeeded: 1 }), 'Running');
  assert.equal(overallState({ Waiting: 2, Running: 1 }), 'Running');
  assert.equal(overallState({ Succeeded: 36, Failed: 1 }), 'Failed');
  assert.equal(overallState({ Succeeded: 3, Interrupted: 1 }), 'Interrupted');
  assert.equal(overallState({ Succeeded: 3 }), 'Succeeded');
});

test('a job that only waits for Offline devices is Waiting, and has no duration', () => {
  const parent = (fields: Partial<Job>) =>
    job({ DeviceId: '', Status: 'Running', StartTime: '2026-11-02T10:00:00Z', ...fields });
  const now = new Date('2026-11-02T11:00:00Z');
  const stalled = parent({ Counts: { Waiting: 300, Succeeded: 7 }, WaitingOffline: 300 });
  assert.deepEqual([awaitedOffline(stalled), stateOf(stalled), spanOf(stalled, now)], [300, 'Waiting', undefined]);
  for (const goesOn of [
    parent({ Counts: { Waiting: 300, Running: 1 }, WaitingOffline: 300 }),
    parent({ Counts: { Waiting: 300, Succeeded: 7 }, WaitingOffline: 299 }),
    parent({ Counts: { Waiting: 300, Succeeded: 7 } }),
  ])
    assert.deepEqual([awaitedOffline(goesOn), stateOf(goesOn), spanOf(goesOn, now)], [0, 'Running', 3_600_000]);
});

test('the counts of a parent decide, not its Status', () => {
  assert.equal(stateOf(job({ DeviceId: '', Status: 'Succeeded', Counts: { Failed: 1, Succeeded: 2 } })), 'Failed');
  assert.equal(stateOf(job({ Status: 'Cancelled' })), 'Cancelled');
});

test('describes the outcome in words, worst first', () => {
  assert.equal(
    outcomeText({ Succeeded: 35, Waiting: 4, Failed: 2 }),
    '2\u00a0failed, 35\u00a0succeeded, 4\u00a0waiting',
  );
  assert.equal(outcomeText({}), '');
});

test('one state for the same job wherever it is shown', () => {
  const parent = (Counts: Record<string, number>, fields: Partial<Job> = {}) =>
    job({ DeviceId: '', Counts, ...fields });
  const cases: [string, Job, VerdictCounts | undefined, Verdict, boolean][] = [
    ['waiting', job({ Status: 'Waiting' }), undefined, 'Waiting', true],
    ['without a word, with an end', job({ StartTime: 'x', EndTime: 'y' }), undefined, 'Finished', false],
    ['by its last line', job({ EndTime: 'y', Result: 'Update failed' }), undefined, 'Failed', false],
    ['by its rules', job({ Status: 'Succeeded', Verdict: 'RolledBack' }), undefined, 'Rolled back', false],
    ['stopped', job({ Status: 'Cancelled', StopTime: 'x' }), undefined, 'Cancelled', false],
    ['asked to stop', job({ Status: 'Running', StopTime: 'x' }), undefined, 'Running', true],
    ['begun', parent({ Succeeded: 3, Waiting: 3 }), undefined, 'Running', true],
    ['not begun', parent({ Waiting: 10 }), undefined, 'Waiting', true],
    ['8 of 10 Offline', parent({ Succeeded: 2, Waiting: 8 }, { WaitingOffline: 8 }), undefined, 'Waiting', true],
    ['some Offline', parent({ Running: 1, Waiting: 8 }, { WaitingOffline: 8 }), undefined, 'Running', true],
    ['failing', parent({ Failed: 1, Waiting: 3 }), undefined, 'Running', true],
    ['failed', parent({ Failed: 1, Succeeded: 3 }), undefined, 'Failed', false],
    ['its retry runs', parent({ Running: 1, Succeeded: 3 }, { Attempts: 2, EndTime: 'y' }), undefined, 'Running', true],
    ['its retry succeeded', parent({ Succeeded: 4 }, { Attempts: 2, EndTime: 'y' }), undefined, 'Succeeded', false],
    ['stopped, partly', parent({ Cancelled: 2, Succeeded: 2 }), undefined, 'Cancelled', false],
    [
      'ruled',
      parent({ Succeeded: 4 }, { VerdictCounts: { Succeeded: 3, NoAnswer: 1 } }),
      undefined,
      'No answer',
      false,
    ],
    ['its words are not ours', parent({ EXECUTED: 3, scheduled: 1 }), undefined, 'Running', true],
    ['uncounted', job({ DeviceId: '', StartTime: 'x' }), { Failed: 1, Succeeded: 2 }, 'Failed', true],
  ];
  for (const [what, it, outcome, state, moves] of cases) {
    assert.deepEqual([what, stateOf(it, outcome), isMoving(it)], [what, state, moves]);
    assert.equal(isKind(it, 'moving'), moves, what);
  }
});

test('unfinished children do not hide failures', () => {
  const textOf = (fields: Partial<Job>) => stateText(jobWords(job(fields)));
  assert.equal(textOf({ Counts: { Failed: 8, Waiting: 1 }, WaitingOffline: 1 }), 'Waiting · 8 failed');
  assert.equal(textOf({ Counts: { Failed: 1, Interrupted: 1, Running: 3 } }), 'Running · 2 failed');
  assert.equal(textOf({ Counts: { Succeeded: 8, Waiting: 1 } }), 'Running');
  assert.equal(textOf({ Counts: { Failed: 8, Succeeded: 1 } }), 'Failed');
  assert.equal(textOf({ Status: 'Waiting' }), 'Waiting');
});
