import assert from 'node:assert/strict';
import { test } from 'node:test';
import { device } from '#/contract/devices.ts';
import { deviceStretches, historyBegin, type StateStretch } from './state-stretches.ts';

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

test('the history of a device begins with its first connection; before that nothing is known', () => {
  const CreatedTime = new Date(40).toISOString();
  const begin = (LastSeenTime: string | undefined, ...events: ReturnType<typeof event>[]) =>
    historyBegin(device.parse({ DeviceId: 'a', DeviceStatus: 'Offline', CreatedTime, LastSeenTime }), events, 100);
  const first = event('Online', 60, 'a', 'FirstConnected');
  assert.equal(begin('2026-11-02T14:03:09Z', event('Offline', 80), first), 60);
  assert.equal(begin('2026-11-02T14:03:09Z', event('Offline', 80)), 40);
  assert.equal(begin(''), 100);
  assert.ok(Number.isNaN(historyBegin(device.parse({ DeviceId: 'a', DeviceStatus: 'Offline' }), [], 100)));

  assert.deepEqual(texts(deviceStretches([first], span, 60)), ['0..60 ?', '60..100 Online']);
  assert.deepEqual(texts(deviceStretches([], span, 100)), ['0..100 ?']);
  assert.deepEqual(texts(deviceStretches([event('Online', 60)], span, 40)), [
    '0..40 ?',
    '40..60 Offline',
    '60..100 Online',
  ]);
  assert.deepEqual(texts(deviceStretches([], span, Number.NaN)), ['0..100 Offline']);
});
