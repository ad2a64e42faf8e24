import assert from 'node:assert/strict';
import { test } from 'node:test';
import { earliestEnd, gateText, reviewedWaves, waveNumbers, wavesText, windowText } from './wave-review.ts';

const wave = (...Devices: string[]) => ({ Devices, Offline: 0 });
const plan = { Waves: [wave('a'), wave(), wave('b', 'c')], Left: ['d'] };
const names = new Map([['a', 'pump-1']]);
const gate = { SuccessPercent: 95, OnlineMinutes: 5, TimeoutMinutes: 240 };

test('waves without devices are left out, and devices without a wave are in a last one', () => {
  const waves = reviewedWaves(plan);
  assert.deepEqual(
    waves.map(({ number }) => number),
    [1, 3, 4],
  );
  assert.deepEqual(Object.fromEntries(waveNumbers(waves)), { a: 1, b: 3, c: 3, d: 4 });
});

test('one device of one wave is named, several waves are counted', () => {
  const [first, ...later] = reviewedWaves(plan);
  assert.equal(wavesText([first!], names), '1 device (pump-1)');
  assert.equal(wavesText(later, names), '2 · 1 devices');
  assert.equal(wavesText(later.slice(0, 1), names), '2 devices');
  assert.equal(wavesText(later.slice(1), names), '1 device (d)');
});

test('a gate and a window say their own numbers', () => {
  assert.equal(gateText(gate), '≥ 95 % and 5 min online');
  assert.equal(gateText({ ...gate, SuccessPercent: 100, OnlineMinutes: 0 }), '100 %');
  assert.equal(
    windowText({ Days: ['Mon', 'Tue'], From: '22:00', To: '04:00', Zone: 'Europe/Berlin' }),
    'Mon, Tue 22:00–04:00 Europe/Berlin',
  );
});

test('the earliest end is each wave’s time online after the start, or after now if that is later', () => {
  const now = new Date('2026-11-28T12:00:00Z');
  const end = (StartTime?: string) =>
    earliestEnd({ Gate: gate, ...(StartTime && { StartTime }) }, 4, now).toISOString();
  assert.equal(end(), '2026-11-28T12:20:00.000Z');
  assert.equal(end('2026-11-28T22:00:00Z'), '2026-11-28T22:20:00.000Z');
  assert.equal(end('2026-11-28T06:00:00Z'), '2026-11-28T12:20:00.000Z');
});
