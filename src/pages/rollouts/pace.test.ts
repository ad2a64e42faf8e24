import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rollout, RolloutWave } from '#/contract/rollouts.ts';
import { paceText } from './pace.ts';

const NOW = new Date('2026-11-23T12:00:00Z');
const ago = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000).toISOString();

const wave = (State: RolloutWave['State'], more: Partial<RolloutWave> = {}): RolloutWave => ({
  Number: 1,
  State,
  JobId: 'j',
  Devices: 10,
  Counts: {},
  Gate: { Success: 0, BackOnline: 0, Needed: 10, Passed: State === 'Passed', BackTime: '' },
  StartTime: '',
  EndTime: '',
  ...more,
});
const gate = (Success: number, BackTime = '') => ({ Success, BackOnline: 0, Needed: 10, Passed: false, BackTime });
const passed = wave('Passed', { StartTime: ago(40), EndTime: ago(30) });

const textOf = (Waves: RolloutWave[], more: Partial<Rollout['Settings']> = {}, State: Rollout['State'] = 'Running') =>
  paceText(
    {
      State,
      Waves,
      Settings: {
        Gate: { SuccessPercent: 100, OnlineMinutes: 5, TimeoutMinutes: 60 },
        PauseAfter: { FailedCount: 0 },
        Advance: 'auto',
        Windows: [],
        IncludeNew: false,
        ...more,
      },
    },
    NOW,
  );

test('a wave is expected to take as long as those before it, whatever their sizes', () => {
  const running = wave('Running', { StartTime: ago(4), Devices: 1_000 });
  assert.equal(textOf([passed, running]), 'about 6 minutes left');
  assert.equal(
    textOf([passed, running, wave('Pending'), wave('Pending')]),
    'about 6 minutes left in this wave, about 26 minutes in all',
  );
});

test('the first wave is estimated once enough of its devices have ended', () => {
  const first = (success: number) =>
    textOf([wave('Running', { StartTime: ago(4), Counts: { Running: 6 }, Gate: gate(success) })]);
  assert.equal(first(0), undefined);
  // Six more at one per minute, then five minutes Online.
  assert.equal(first(4), 'about 11 minutes left');
});

test('devices that only have to stay Online take until the time that the service gives', () => {
  const waiting = wave('Running', { StartTime: ago(4), Gate: gate(10, ago(-3)) });
  assert.equal(textOf([waiting]), 'about 3 minutes left');
  assert.equal(textOf([wave('Running', { StartTime: ago(4), Gate: gate(10) })]), undefined);
});

test('there is no estimate for waves that need approval, or when nothing is running', () => {
  const running = wave('Running', { StartTime: ago(4) });
  assert.equal(textOf([passed, running, wave('Pending')], { Advance: 'confirm' }), 'about 6 minutes left in this wave');
  assert.equal(textOf([passed, running], {}, 'Paused'), undefined);
  assert.equal(textOf([wave('Running', { StartTime: ago(4), Counts: { Waiting: 6 }, Gate: gate(4) })]), undefined);
});
