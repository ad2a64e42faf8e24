import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StandingOrder } from '#/contract/standing-orders.ts';
import { stateText } from '#/ui/controls/state-words.ts';
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

test('the state shows what is in progress, and never hides failures', () => {
  const text = (counts: Record<string, number>, state?: StandingOrder['State']) =>
    stateText(orderWords(order(counts, state)));
  assert.equal(text({ Failed: 1 }, 'Stopped'), 'Stopped · 1 failed');
  assert.equal(text({ Has: 9, Running: 1, NoAnswer: 1, RolledBack: 2 }), 'Running · 3 failed');
  assert.equal(text({ Has: 9, Waiting: 1, Failed: 8 }), 'Waiting · 8 failed');
  assert.equal(text({ Has: 9, Failed: 8 }), 'Not fulfilled · 8 failed');
  assert.equal(text({ Has: 9, Replaced: 1 }), 'Not fulfilled');
  assert.equal(orderWords(order({ Has: 9, Failed: 8 })).mark, 'Failed');
  assert.equal(text({}), 'No devices');
  assert.equal(text({ Has: 3 }), 'Fulfilled');
  assert.equal(text({ Has: 3, Running: 1, Waiting: 2 }), 'Running');
  assert.equal(text({ Has: 3, Pending: 1 }), 'Waiting');
});

test('the figures are one line, failures before what is in progress', () => {
  const mixed = order({ Has: 1_200, Running: 1, Failed: 2, NoAnswer: 1, Pending: 4 });
  assert.equal(figuresText(mixed), '1,200 of 1,208 have it, 2 failed, 1 no answer, 1 running, 4 not started');
  assert.equal(endedCount(mixed), 3);
  assert.equal(figuresText(order({})), '0 of 0 have it');
});
