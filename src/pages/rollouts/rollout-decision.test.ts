import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decisionOf } from './rollout-decision.ts';

const Settings = {
  Gate: { SuccessPercent: 90, OnlineMinutes: 0, TimeoutMinutes: 60 },
  PauseAfter: { FailedCount: 0 },
  Advance: 'auto' as const,
  Windows: [],
  IncludeNew: false,
};
const wave = (
  Number: number,
  State: 'Pending' | 'Running' | 'Passed',
  Counts: Record<string, number>,
  BackOnline = 0,
) => ({
  Number,
  State,
  JobId: 'j',
  Devices: Object.values(Counts).reduce((sum, count) => sum + count, 0),
  Counts,
  Gate: { Success: BackOnline, BackOnline, Needed: 9, Passed: State === 'Passed', BackTime: '' },
  StartTime: '',
  EndTime: '',
});
const paused = (
  By: 'Person' | 'Gate' | 'Rights',
  CanResume: boolean,
  Counts: Record<string, number>,
  WaveCount = 2,
) => ({
  Paused: { By, CanResume },
  Wave: 1,
  WaveCount,
  Waves: [
    wave(1, 'Running', Counts, Counts['Succeeded']),
    ...(WaveCount > 1 ? [wave(2, 'Pending', { Pending: 9 })] : []),
  ],
  Settings,
});
const labels = (rollout: Parameters<typeof decisionOf>[0]) => decisionOf(rollout)?.choices.map(({ label }) => label);

test('a resume is offered only where it does something', () => {
  const failed = paused('Gate', false, { Failed: 2, Succeeded: 8 });
  assert.equal(decisionOf(failed)?.text, '2 of 10 failed. Wave 1 cannot pass.');
  assert.deepEqual(labels(failed), ['Retry these 2', 'Leave them out', 'Start wave 2 anyway', 'Abort']);
  const limit = paused('Gate', true, { Failed: 1, Succeeded: 3, Running: 6 });
  assert.equal(decisionOf(limit)?.text, '1 of 10 failed. Wave 1 can still pass: 9 must succeed.');
  assert.deepEqual(labels(limit), ['Retry this one', 'Leave it out', 'Resume', 'Start wave 2 anyway', 'Abort']);
  const late = paused('Gate', true, { Succeeded: 8, NotBack: 2 });
  assert.deepEqual(labels(late), ['Resume', 'Leave them out', 'Start wave 2 anyway', 'Abort']);
  assert.deepEqual(labels(paused('Person', true, { Running: 10 })), ['Resume', 'Start wave 2 anyway', 'Abort']);
  assert.deepEqual(labels(paused('Gate', false, { Failed: 1 }, 1)), [
    'Retry this one',
    'Leave it out',
    'Finish anyway',
    'Abort',
  ]);
  assert.equal(decisionOf({ ...failed, Paused: undefined }), undefined);
});

test('what follows from leaving devices out', () => {
  const skip = (rollout: Parameters<typeof decisionOf>[0]) =>
    decisionOf(rollout)?.choices.find(({ action }) => action === 'skip')?.consequence;
  assert.equal(
    skip(paused('Gate', false, { Failed: 2, Succeeded: 8 })),
    'Wave 1 passes without them, and wave 2 starts.',
  );
  assert.equal(
    skip(paused('Gate', false, { Failed: 2, Succeeded: 3, Running: 5 })),
    'Wave 1 continues with the other 8 devices. Its time limit starts over.',
  );
  assert.equal(
    skip(paused('Gate', false, { Failed: 1 }, 1)),
    'No device of wave 1 is left: it passes without it, and the rollout ends.',
  );
  assert.equal(skip(paused('Person', false, { Failed: 1 })), 'The gate no longer counts it. The rollout stays paused.');
});

test('the largest cause of the failures in the wave is named', () => {
  const text = (failed: number, devices: number, inWave = 1) =>
    decisionOf(paused('Gate', false, { Failed: failed, Succeeded: 24 - failed }), {
      wave: inWave,
      devices,
      text: 'registry timed out',
    })?.text;
  assert.equal(text(6, 4), '6 of 24 failed: 4 × registry timed out. Wave 1 cannot pass.');
  assert.equal(text(2, 1), '2 of 24 failed: 1 × registry timed out. Wave 1 cannot pass.');
  assert.equal(text(6, 6), '6 of 24 failed: registry timed out. Wave 1 cannot pass.');
  assert.equal(text(1, 1), '1 of 24 failed: registry timed out. Wave 1 cannot pass.');
  // What is known of another wave, or of devices that were left out or retried since, says nothing about these.
  assert.equal(text(6, 4, 2), '6 of 24 failed. Wave 1 cannot pass.');
  assert.equal(text(3, 4), '3 of 24 failed. Wave 1 cannot pass.');
});
