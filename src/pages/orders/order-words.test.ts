import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StandingOrder } from '#/contract/standing-orders.ts';
import { endedCount, figuresText, orderWords } from './order-words.ts';

const order = (Counts: Record<string, number>, State: StandingOrder['State'] = 'Active'): StandingOrder => ({
  Name: 'hall',
  DeviceGroup: 'hall',
  ArtifactId: 'a',
  ArtifactName: 'myapp',
  ArtifactVersion: '2.0',
  State,
  Because: '',
  Version: 1,
  Devices: Object.values(Counts).reduce((sum, count) => sum + count, 0),
  Counts,
  ChangedBy: '',
  ChangedByName: '',
  ChangedTime: '',
});

test('the state is what needs a person first, then what is under way', () => {
  const label = (counts: Record<string, number>, state?: StandingOrder['State']) =>
    orderWords(order(counts, state)).label;
  assert.equal(label({ Failed: 1 }, 'Stopped'), 'Stopped');
  assert.equal(label({ Has: 9, Running: 1, Replaced: 1 }), 'Some failed');
  assert.equal(label({}), 'No devices');
  assert.equal(label({ Has: 3 }), 'Fulfilled');
  assert.equal(label({ Has: 3, Running: 1, Waiting: 2 }), 'Running');
  assert.equal(label({ Has: 3, Pending: 1 }), 'Waiting');
});

test('its figures are one line, with what failed before what is under way', () => {
  const mixed = order({ Has: 1_200, Running: 1, Failed: 2, NoAnswer: 1, Pending: 4 });
  assert.equal(figuresText(mixed), '1,200 of 1,208 have it, 2 failed, 1 no answer, 1 running, 4 not begun');
  assert.equal(endedCount(mixed), 3);
  assert.equal(figuresText(order({})), '0 of 0 have it');
});
