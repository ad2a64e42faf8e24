// Simulations with a clock of their own: random fleets whose devices fail, stay away and come back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RolloutState, RolloutWindow } from '#/contract/rollouts.ts';
import { decide, requiredDevices, type RolloutSituation } from './decide.ts';
import { isOpen, nextOpening } from './windows.ts';

const MINUTE = 60_000;
const situation = (more: Partial<RolloutSituation> = {}): RolloutSituation => ({
  settings: {
    Gate: { SuccessPercent: 90, OnlineMinutes: 5, TimeoutMinutes: 60 },
    PauseAfter: { FailedCount: 0 },
    Advance: 'auto',
    windows: [],
    start: undefined,
  },
  state: 'Running',
  now: 0,
  waves: 3,
  wave: 0,
  began: 0,
  isPassed: false,
  figures: { devices: 10, success: 0, back: 0, failed: 0, away: 0 },
  forgiven: 0,
  isConfirmed: false,
  ...more,
});
const figures = (success: number, back: number, failed: number) => ({
  devices: 10,
  success,
  back,
  failed,
  away: success - back,
});

test('a wave passes when enough devices succeeded and are back Online, and the next one begins', () => {
  assert.deepEqual(decide(situation({ wave: -1 })), { do: 'begin', wave: 0 });
  assert.deepEqual(decide(situation({ figures: figures(10, 8, 0) })), { do: 'nothing' });
  assert.deepEqual(decide(situation({ figures: figures(9, 9, 0) })), { do: 'pass' });
  assert.deepEqual(decide(situation({ isPassed: true })), { do: 'begin', wave: 1 });
  assert.deepEqual(decide(situation({ isPassed: true, wave: 2 })), { do: 'succeed' });
});

test('a share of devices that is no whole number needs the next one', () => {
  const needed = (devices: number, SuccessPercent: number) =>
    requiredDevices(devices, { SuccessPercent, OnlineMinutes: 0, TimeoutMinutes: 1 });
  assert.deepEqual([needed(7, 90), needed(3, 50), needed(1, 1), needed(200, 99), needed(201, 99)], [7, 2, 1, 198, 199]);
  assert.deepEqual([needed(0, 100), needed(7, 100), needed(29, 100)], [0, 7, 29]);
  const seven = { devices: 7, success: 6, back: 6, failed: 0, away: 0 };
  assert.deepEqual(decide(situation({ figures: seven })), { do: 'nothing' });
  assert.deepEqual(decide(situation({ figures: { ...seven, success: 7, back: 7 } })), { do: 'pass' });
});

test('it pauses at too many failures, when a wave cannot pass any more, and when devices stay away', () => {
  const because = (more: Partial<RolloutSituation>) => {
    const decision = decide(situation(more));
    return decision.do === 'pause' ? decision.because : decision.do;
  };
  assert.equal(because({ figures: figures(3, 3, 1) }), '1 of 10 devices failed in wave 1');
  const patient = { ...situation().settings, PauseAfter: { FailedPercent: 50 } };
  assert.equal(
    because({ settings: patient, figures: figures(3, 3, 2) }),
    'Wave 1 cannot pass: 2 of 10 devices failed, and 9 must succeed',
  );
  assert.equal(
    because({ now: 60 * MINUTE, figures: figures(10, 8, 0) }),
    'Wave 1 has not passed within 1 hour: 8 of 9 required devices are healthy, 2 devices are still offline',
  );
  // 2 succeeded too recently.
  assert.equal(
    because({ now: 60 * MINUTE, figures: { ...figures(10, 8, 0), away: 0 } }),
    'Wave 1 has not passed within 1 hour: 8 of 9 required devices are healthy',
  );
  // A person knew of them.
  assert.equal(because({ figures: figures(3, 3, 1), forgiven: 1 }), 'nothing');
  assert.match(because({ figures: figures(3, 3, 2), forgiven: 1 }), /2 of 10 devices failed/);
});

test('a wave that cannot pass any more pauses once nothing of it runs, also when a person knew of its failures', () => {
  const known = { settings: { ...situation().settings, PauseAfter: { FailedCount: 9 } }, forgiven: 3 };
  assert.equal(decide(situation({ ...known, figures: figures(5, 5, 3) })).do, 'nothing');
  assert.deepEqual(decide(situation({ ...known, figures: figures(7, 7, 3) })), {
    do: 'pause',
    because: 'Wave 1 cannot pass: 3 of 10 devices failed, and 9 must succeed',
  });
});

test('as many failures as are allowed do not pause it, one more does', () => {
  const does = (PauseAfter: RolloutSituation['settings']['PauseAfter'], failed: number, devices = 10) => {
    const settings = { ...situation().settings, Gate: { SuccessPercent: 50, OnlineMinutes: 0, TimeoutMinutes: 60 } };
    return decide(
      situation({ settings: { ...settings, PauseAfter }, figures: { devices, success: 0, back: 0, failed, away: 0 } }),
    ).do;
  };
  assert.deepEqual([does({ FailedCount: 2 }, 2), does({ FailedCount: 2 }, 3)], ['nothing', 'pause']);
  assert.deepEqual([does({ FailedPercent: 20 }, 2), does({ FailedPercent: 20 }, 3)], ['nothing', 'pause']);
  // A share that is no whole number allows no more than it: of 14 devices, 20 % are 2.
  assert.deepEqual([does({ FailedPercent: 20 }, 2, 14), does({ FailedPercent: 20 }, 3, 14)], ['nothing', 'pause']);
  assert.deepEqual([does({ FailedCount: 0 }, 0), does({ FailedCount: 0 }, 1)], ['nothing', 'pause']);
});

test('nothing happens before its start, while it is paused, and after its end', () => {
  const later = { ...situation().settings, start: 10 * MINUTE };
  assert.equal(decide(situation({ state: 'Scheduled', settings: later, wave: -1 })).do, 'nothing');
  assert.equal(decide(situation({ state: 'Scheduled', settings: later, wave: -1, now: 10 * MINUTE })).do, 'begin');
  for (const state of ['Paused', 'Succeeded', 'Failed', 'Aborted'] as RolloutState[])
    assert.equal(decide(situation({ state, isPassed: true })).do, 'nothing');
});

test('a person lets the next wave begin where that is wanted', () => {
  const settings = { ...situation().settings, Advance: 'confirm' as const };
  assert.equal(decide(situation({ settings, isPassed: true })).do, 'wait');
  assert.equal(decide(situation({ settings, isPassed: true, state: 'Waiting' })).do, 'wait');
  assert.equal(decide(situation({ settings, isPassed: true, state: 'Waiting', isConfirmed: true })).do, 'begin');
});

const NIGHTS: RolloutWindow[] = [{ Days: ['Sat'], From: '22:00', To: '04:00', Zone: 'Europe/Berlin' }];
const at = (text: string) => Date.parse(text);

test('windows are of the clock on the wall, over midnight and over changes to summer and winter time', () => {
  assert.equal(isOpen(NIGHTS, at('2026-11-21T22:00:00+01:00')), true);
  assert.equal(isOpen(NIGHTS, at('2026-11-21T21:59:00+01:00')), false);
  assert.equal(isOpen(NIGHTS, at('2026-11-22T03:59:00+01:00')), true);
  assert.equal(isOpen(NIGHTS, at('2026-11-22T04:00:00+01:00')), false);
  assert.equal(isOpen(NIGHTS, at('2026-11-22T22:30:00+01:00')), false);
  // Clocks go from 2 to 3 in the night to the 29th of March, and from 3 to 2 in the night to the 25th of October.
  const open = (from: string) => {
    let minutes = 0;
    for (let now = at(from); isOpen(NIGHTS, now); now += MINUTE) minutes++;
    return minutes / 60;
  };
  assert.equal(open('2026-03-28T22:00:00+01:00'), 5);
  assert.equal(open('2026-10-24T22:00:00+02:00'), 7);
  assert.equal(open('2026-11-21T22:00:00+01:00'), 6);
  assert.equal(nextOpening(NIGHTS, at('2026-11-23T10:00:00Z')), at('2026-11-28T22:00:00+01:00'));
  const odd: RolloutWindow[] = [{ Days: ['Wed'], From: '09:07', To: '09:12', Zone: 'Asia/Kathmandu' }];
  assert.equal(isOpen(odd, nextOpening(odd, at('2026-11-23T10:00:00Z')) ?? 0), true);
});

test('a wave waits for its window, and says when that opens', () => {
  const settings = { ...situation().settings, windows: NIGHTS };
  const now = at('2026-11-23T10:00:00Z');
  assert.deepEqual(decide(situation({ settings, now, wave: -1 })), {
    do: 'wait',
    because: 'Wave 1 is waiting for its maintenance window, which opens at 2026-11-28T21:00Z',
  });
});

/** The same numbers at each run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test('thousands of random rollouts: no wave early, no gate passed wrongly, and each ends or pauses', () => {
  for (let seed = 1; seed <= 2_000; seed++) {
    const next = random(seed);
    const failing = next() < 0.5 ? 0 : next() * 0.3;
    const settings = {
      ...situation().settings,
      Gate: { SuccessPercent: 50 + Math.floor(next() * 51), OnlineMinutes: 0, TimeoutMinutes: 30 },
      PauseAfter: { FailedPercent: Math.floor(next() * 20) },
      windows: next() < 0.3 ? NIGHTS : [],
      start: next() < 0.3 ? at('2026-11-23T12:00:00Z') : undefined,
    };
    let now = at('2026-11-23T10:00:00Z');
    const state = situation({ settings, wave: -1, waves: 1 + Math.floor(next() * 4), now });
    let good = 0;
    for (let step = 0; step < 20_000; step++, now += MINUTE) {
      state.now = now;
      const decision = decide(state);
      if (decision.do === 'pause') break;
      if (decision.do === 'wait') now = (nextOpening(settings.windows, now) ?? now) - MINUTE;
      if (decision.do === 'succeed') {
        assert.equal(state.wave, state.waves - 1, `seed ${seed}`);
        break;
      }
      if (decision.do === 'pass') {
        assert.ok(good >= requiredDevices(10, settings.Gate), `seed ${seed}: the gate`);
        state.isPassed = true;
      }
      if (decision.do === 'begin') {
        assert.equal(decision.wave, state.wave + 1, `seed ${seed}: one after the other`);
        assert.ok(state.wave < 0 || state.isPassed, `seed ${seed}: too early`);
        assert.ok(isOpen(settings.windows, now) && now >= (settings.start ?? 0), `seed ${seed}: outside of its time`);
        Object.assign(state, { wave: decision.wave, began: now, isPassed: false, figures: figures(0, 0, 0) });
        good = 0;
      }
      if (state.wave >= 0 && !state.isPassed) {
        const { success, back, failed } = state.figures;
        const [ends, returns] = [success + failed < 10 && next() < 0.5, success > back && next() < 0.4];
        const isBad = ends && next() < failing;
        good = back + (returns ? 1 : 0);
        state.figures = {
          devices: 10,
          success: success + (ends && !isBad ? 1 : 0),
          back: good,
          failed: failed + (isBad ? 1 : 0),
          away: 0,
        };
      }
      assert.ok(step < 19_999, `seed ${seed}: it never ends`);
    }
  }
});
