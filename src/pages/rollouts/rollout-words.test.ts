import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actionsOf, rolloutCountsText, gateText } from './rollout-words.ts';

const wave = (State: 'Pending' | 'Running' | 'Passed', Success: number, BackOnline: number) => ({
  Number: 1,
  State,
  JobId: 'j',
  Devices: 10,
  Counts: {},
  Gate: { Success, BackOnline, Needed: 9, Passed: State === 'Passed', BackTime: '' },
  StartTime: '',
  EndTime: '',
});

test('what a wave still needs is said', () => {
  assert.equal(gateText(wave('Running', 3, 3)), '3 good, 9 needed');
  assert.equal(gateText(wave('Running', 5, 3)), '3 good, 9 needed; 2 succeeded and are not Online for long enough yet');
  assert.equal(gateText(wave('Passed', 10, 9)), '9 good, 9 needed');
});

test('states are counted in words, the worst first', () => {
  assert.equal(
    rolloutCountsText({ Succeeded: 35, Pending: 4, NotBack: 1, Failed: 2 }),
    '2\u00a0failed, 1\u00a0not back, 35\u00a0succeeded, 4\u00a0not begun',
  );
  assert.equal(rolloutCountsText({}), '');
});

test('a person can do what its state allows', () => {
  const rollout = { Wave: 1, WaveCount: 3, Counts: { Succeeded: 2, Failed: 1 }, ArtifactId: 'a' };
  assert.deepEqual(actionsOf({ ...rollout, State: 'Paused' }), ['retry', 'resume', 'advance', 'abort', 'rollback']);
  assert.deepEqual(actionsOf({ ...rollout, State: 'Running', Counts: {} }), ['advance', 'pause', 'abort']);
  assert.deepEqual(actionsOf({ ...rollout, State: 'Succeeded', Wave: 3 }), ['rollback', 'remove']);
  assert.deepEqual(actionsOf({ ...rollout, State: 'Aborted', ArtifactId: undefined }), ['remove']);
});
