import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stateText } from '#/ui/controls/state-words.ts';
import {
  actionsOf,
  gateText,
  nowText,
  rolloutCountsText,
  rolloutWords,
  stoppedAt,
  waveWords,
} from './rollout-words.ts';

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

test('the gate says what a wave still needs', () => {
  assert.equal(gateText(wave('Running', 3, 3)), '3 of 9 required');
  assert.equal(gateText(wave('Running', 5, 3)), '3 of 9 required; 2 succeeded, not yet stable');
  assert.equal(gateText(wave('Passed', 10, 9)), '9 healthy, 9 required');
  const passed = wave('Passed', 10, 9);
  const drifted = { ...passed, Gate: { ...passed.Gate, Since: { Failed: 1, Offline: 2 } } };
  assert.equal(gateText(drifted), '9 healthy, 9 required. Since then: 1 failed, 2 went offline');
});

test('states are counted in words, the worst first', () => {
  assert.equal(
    rolloutCountsText({ Succeeded: 35, Pending: 4, NotBack: 1, Failed: 2 }),
    '2\u00a0failed, 1\u00a0still offline, 35\u00a0succeeded, 4\u00a0not started',
  );
  assert.equal(rolloutCountsText({}), '');
});

test('the state decides which actions are possible', () => {
  const rollout = { Wave: 1, WaveCount: 3, Counts: { Succeeded: 2, Failed: 1 }, ArtifactId: 'a' };
  assert.deepEqual(actionsOf({ ...rollout, State: 'Paused' }), ['rollback']);
  assert.deepEqual(actionsOf({ ...rollout, State: 'Running', Counts: {} }), ['advance', 'pause', 'abort']);
  assert.deepEqual(actionsOf({ ...rollout, State: 'Succeeded', Wave: 3 }), ['rollback', 'remove']);
  assert.deepEqual(actionsOf({ ...rollout, State: 'Aborted', ArtifactId: undefined }), ['remove']);
});

test('a rollout that ended with failures is not called a success', () => {
  const ended = rolloutWords({ State: 'Succeeded', Counts: { Succeeded: 20, Failed: 7, NoAnswer: 2, RolledBack: 1 } });
  assert.deepEqual([stateText(ended), ended.mark], ['Ended · 10 failed', 'Failed']);
  const good = rolloutWords({ State: 'Succeeded', Counts: { Succeeded: 20, NotBack: 1 } });
  assert.deepEqual([stateText(good), good.mark], ['Succeeded', 'Succeeded']);
  assert.equal(stateText(rolloutWords({ State: 'Running', Counts: { Running: 2, Failed: 1 } })), 'Running · 1 failed');
  assert.equal(stateText(rolloutWords({ State: 'Paused', Counts: { Failed: 3 } })), 'Paused · 3 failed');
  const summary = { RolloutId: 'r', Version: 1, ArtifactId: 'a', WorkflowId: '', CreatedTime: '', EndTime: '' };
  assert.equal(
    nowText({
      ...summary,
      State: 'Succeeded',
      Because: '',
      Wave: 2,
      WaveCount: 2,
      Devices: 20,
      Counts: { Succeeded: 10, Failed: 10 },
    }),
    'All 2 waves have ended. 10 of 20 devices succeeded, 10 failed.',
  );
});

test('a wave that was advanced manually has not passed', () => {
  const wordsOf = (more: object) => waveWords({ ...wave('Passed', 4, 4), ...more }, { State: 'Running' });
  assert.equal(stateText(wordsOf({ Advanced: true })), 'Advanced manually');
  assert.equal(stateText(wordsOf({ Advanced: true, Counts: { Failed: 2 } })), 'Advanced manually · 2 failed');
  assert.equal(stateText(wordsOf({})), 'Passed');
  const failed = wordsOf({ Counts: { Succeeded: 9, Failed: 1 } });
  assert.deepEqual([stateText(failed), failed.mark], ['Passed · 1 failed', 'Failed']);
  assert.equal(stateText(waveWords(wave('Running', 1, 1), { State: 'Paused' })), 'Paused');
});

test('a pause has the time of the latest one', () => {
  const step = (Time: string, Text: string) => ({ Time, Text, Actor: '', ActorName: '', Reason: '' });
  const Steps = [
    step('2026-11-24T22:50:00Z', 'Left out gate 1'),
    step('2026-11-24T22:41:00Z', 'Paused. 1 of 4 devices failed in wave 1'),
    step('2026-11-24T22:30:00Z', 'Resumed'),
    step('2026-11-24T22:20:00Z', 'Paused'),
  ];
  assert.deepEqual(stoppedAt({ State: 'Paused', EndTime: '', Steps }), new Date('2026-11-24T22:41:00Z'));
  assert.deepEqual(
    stoppedAt({ State: 'Failed', EndTime: '2026-11-24T23:00:00Z', Steps }),
    new Date('2026-11-24T23:00:00Z'),
  );
  assert.equal(stoppedAt({ State: 'Paused', EndTime: '', Steps: [] }), undefined);
});
