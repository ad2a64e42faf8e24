import assert from 'node:assert/strict';
import { test } from 'node:test';
import { awayStretches, deviceStretches, type StateStretch } from './state-stretches.ts';

const event = (state: string, at: number, id = 'a', cause = '') => ({ id, state, at, cause });
const texts = (stretches: StateStretch<string | number>[]) =>
  stretches.map(({ from, to, value }) => `${from}..${to} ${value ?? '?'}`);
const span = { from: 0, to: 100 };

test('a device goes Offline and comes back, while the service is down for a time', () => {
  const events = [
    event('Online', 90),
    event('Offline', 80),
    event('Online', 60, 'a', 'ServiceUp'),
    event('Offline', 55),
    event('Unknown', 50, 'a', 'ServiceDown'),
    event('Offline', 30),
    event('Online', -5),
  ];
  assert.deepEqual(texts(deviceStretches(events, span, Number.NaN)), [
    '0..30 Online',
    '30..50 Offline',
    '50..60 ?',
    '60..80 Online',
    '80..90 Offline',
    '90..100 Online',
  ]);
});

test('a device is unknown before its creation, and Offline before its first connection', () => {
  assert.deepEqual(texts(deviceStretches([event('Online', 60)], span, 40)), [
    '0..40 ?',
    '40..60 Offline',
    '60..100 Online',
  ]);
  assert.deepEqual(texts(deviceStretches([], span, Number.NaN)), ['0..100 Offline']);
});

test('devices of the fleet that were away are counted', () => {
  const events = [event('Online', 60), event('Offline', 50, 'b'), event('Offline', 10), event('Offline', -1, 'c')];
  assert.deepEqual(texts(awayStretches(events, [{ from: 20, to: 40 }], 1, span)), [
    '0..10 0',
    '10..20 1',
    '20..40 ?',
    '40..50 1',
    '50..60 2',
    '60..100 1',
  ]);
});
