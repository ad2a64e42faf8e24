import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Job } from '#/contract/jobs.ts';
import { spanOf } from './job-times.ts';
import { awaitedOffline, countStates, outcomeOf, outcomeText, overallState, stateOf, withAwaited } from './outcome.ts';

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

test('counts children by their state, with or without a Status', () => {
  const outcome = countStates([
    job({ Status: 'Failed' }),
    job({ Status: 'failed' }),
    job({ StartTime: 'x', EndTime: 'y', ExitCode: 0 }),
    job({ StartTime: 'x' }),
    job({}),
    job({ Status: 'EXECUTED', EndTime: 'y' }),
    // As other services report it: without times.
    job({ Status: 'EXECUTED', DeviceName: 'press' }),
    job({ Stdout: 'done', ExitCode: 0 }),
    job({ Result: 'done' }),
    job({ Status: 'DEVICE_OFFLINE', Result: 'is offline' }),
    job({ Status: 'EXECUTED', DeviceId: '' }), // a parent's does not count for its children
  ]);
  assert.deepEqual(outcome, { Failed: 2, Succeeded: 2, Running: 1, Waiting: 3, Finished: 3 });
});

test('takes the counts of the service; a word of its own is finished with an unknown outcome', () => {
  assert.deepEqual(outcomeOf({ Counts: { Succeeded: 3, failed: 1, Waiting: 0, EXECUTED: 2 } }), {
    Succeeded: 3,
    Failed: 1,
    Finished: 2,
  });
  assert.equal(outcomeOf({}), undefined);
});

test('a parent waits, runs, and then is as bad as its worst child', () => {
  assert.equal(overallState({ Waiting: 3 }), 'Waiting');
  assert.equal(overallState({ Waiting: 2, Cancelled: 1 }), 'Waiting');
  assert.equal(overallState({ Waiting: 2, Succeeded: 1 }), 'Running');
  assert.equal(overallState({ Waiting: 2, Running: 1 }), 'Running');
  assert.equal(overallState({ Succeeded: 36, Failed: 1 }), 'Failed');
  assert.equal(overallState({ Succeeded: 3, Interrupted: 1 }), 'Interrupted');
  assert.equal(overallState({ Succeeded: 3 }), 'Succeeded');
});

test('a job whose rest waits for nothing but devices that are Offline waits, and no time is counted', () => {
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

test('what the service does not report is found by its children and the fleet', () => {
  const parent = job({ DeviceId: '', StartTime: '2026-11-02T10:00:00Z' });
  const rest = (state: 'Waiting' | 'Running', ...ids: string[]) => ids.map((DeviceId) => ({ DeviceId, state }));
  const isOffline = (id: string) => id.startsWith('off');
  const derived = withAwaited(parent, rest('Waiting', 'off1', 'off2'), isOffline);
  assert.deepEqual([awaitedOffline(derived), stateOf(derived)], [2, 'Waiting']);
  assert.equal(withAwaited(parent, rest('Waiting', 'off1', 'off2'), isOffline), derived);
  assert.equal(withAwaited(parent, rest('Waiting', 'off1', 'on'), isOffline), parent);
  assert.equal(withAwaited(parent, rest('Running', 'off1'), isOffline), parent);
  assert.equal(withAwaited(parent, [], isOffline), parent);
});

test('the Status of a parent is no roll-up: its counts decide', () => {
  assert.equal(stateOf(job({ DeviceId: '', Status: 'Succeeded', Counts: { Failed: 1, Succeeded: 2 } })), 'Failed');
  assert.equal(stateOf(job({ Status: 'Cancelled' })), 'Cancelled');
});

test('says the outcome in words, the worst first', () => {
  assert.equal(
    outcomeText({ Succeeded: 35, Waiting: 4, Failed: 2 }),
    '2\u00a0failed, 35\u00a0succeeded, 4\u00a0waiting',
  );
  assert.equal(outcomeText({}), '');
});
