// What is known of the last hours, and what is not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StateHistory } from './state-history.ts';
import { awayStretches, deviceStretches, type StateStretch } from './state-stretches.ts';

const history = (given: Partial<StateHistory>): StateHistory => ({
  watched: [],
  changes: [],
  away: undefined,
  ...given,
});
const texts = (stretches: StateStretch<string | number>[]) =>
  stretches.map(({ from, to, value }) => `${from}..${to} ${value ?? '?'}`);
const device = { id: 'a', state: 'Online', seen: Number.NaN, created: Number.NaN };
const span = { from: 0, now: 100 };
const changed = (to: string, at: number, since = at, id = 'a') => ({ id, to, at, since });

test('only what was looked at is known', () => {
  const looked = history({ watched: [[10, 20], [50, 100]] }); // prettier-ignore
  assert.deepEqual(texts(deviceStretches(looked, device, span)), [
    '0..10 ?',
    '10..20 Online',
    '20..50 ?',
    '50..100 Online',
  ]);
  assert.deepEqual(texts(deviceStretches(history({}), device, { ...span, looked: [[90, 100]] })), [
    '0..90 ?',
    '90..100 Online',
  ]);
});

test('a device that went and came', () => {
  const stored = history({ watched: [[0, 100]], changes: [changed('Offline', 30), changed('Online', 40, 39)] });
  assert.deepEqual(texts(deviceStretches(stored, device, span)), ['0..30 Online', '30..40 Offline', '40..100 Online']);
});

test('Last seen shows a time in which nobody looked', () => {
  const stored = history({ watched: [[0, 10], [60, 100]], changes: [changed('Offline', 30)] }); // prettier-ignore
  const away = { ...device, state: 'Offline', seen: 30 };
  assert.deepEqual(texts(deviceStretches(stored, away, span)), ['0..10 Online', '10..30 ?', '30..100 Offline']);
  // Also where nothing at all was stored; and before it was created nothing is known.
  assert.deepEqual(texts(deviceStretches(history({}), away, span)), ['0..30 ?', '30..100 Offline']);
  const young = { ...device, created: 70 };
  assert.deepEqual(texts(deviceStretches(stored, young, span)).at(-2), '0..70 ?');
});

test('how many of the fleet were away', () => {
  const stored = history({
    watched: [[0, 20], [40, 100]], // prettier-ignore
    changes: [changed('Offline', 10), changed('Offline', 50, 50, 'b'), changed('Online', 60, 59)],
  });
  assert.deepEqual(texts(awayStretches(stored, 1, span)), [
    '0..10 0',
    '10..20 1',
    '20..40 ?',
    '40..50 1',
    '50..60 2',
    '60..100 1',
  ]);
});
