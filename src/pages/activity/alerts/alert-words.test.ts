import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AlertChannel } from '#/contract/alerts.ts';
import { stateText } from '#/ui/controls/state-words.ts';
import { byUrgency, conditionText, deliveryWords, messagesText, templatesFor } from './alert-words.ts';

const rule = { When: 'DeviceOffline', DeviceGroup: '', TagId: '', CustomerSite: '', ForMinutes: 0 };
const tags = [{ TagId: 't1', TagName: 'beta' }];
const channel: AlertChannel = {
  ChannelId: 'c1',
  Name: 'Ops webhook',
  Kind: 'webhook',
  Url: '',
  Format: '',
  To: undefined,
  CreatedTime: '',
};

test('a rule reads as a sentence', () => {
  const words = (more: object) => conditionText({ ...rule, ...more }, tags);
  assert.equal(words({}), 'When a device is Offline');
  assert.equal(words({ DeviceGroup: 'shops', ForMinutes: 5 }), 'When a device of group shops is Offline for 5 minutes');
  assert.equal(
    words({ When: 'DeviceBack', TagId: 't1', CustomerSite: 'Berlin', ForMinutes: 60 }),
    'When a device with tag beta at site Berlin is Online again after 1 hour or more',
  );
  assert.equal(words({ When: 'TunnelPublic', ForMinutes: 1 }), 'When a device has a public tunnel for 1 minute');
  assert.equal(words({ When: 'JobFailed' }), 'When a job fails');
  assert.equal(words({ When: 'JobFailed', DeviceGroup: 'a' }), 'When a job fails on a device of group a');
  assert.equal(words({ When: 'RolloutPaused', TagId: 'gone' }), 'When a rollout to a device with tag gone pauses');
  assert.equal(words({ When: 'RolloutEnded' }), 'When a rollout ends');
  assert.equal(words({ When: 'QuotaNear' }), 'When a limit of the account or the disk is nearly reached');
  assert.equal(words({ When: 'Later' }), 'Later');
});

test('a rule says where its messages go', () => {
  assert.equal(
    messagesText({ Channels: ['c1'], QuietMinutes: 30 }, [channel]),
    '→ Ops webhook, at most one message in 30 minutes',
  );
  assert.equal(
    messagesText({ Channels: ['c1'], QuietMinutes: 2880 }, [channel]),
    '→ Ops webhook, at most one message in 2 days',
  );
  assert.equal(messagesText({ Channels: [], QuietMinutes: 0 }, [channel]), '→ no channel');
});

test('a message that is retried says how often it failed', () => {
  const text = (State: string, Attempts: number) => stateText(deliveryWords({ State, Attempts }));
  assert.equal(text('Waiting', 0), 'Waiting');
  assert.equal(text('Waiting', 2), 'Waiting · 2 failed');
  assert.equal(text('Delivered', 3), 'Delivered');
  assert.equal(text('Failed', 8), 'Failed');
});

test('the most severe fires first, then the most devices, then the longest', () => {
  const alert = (When: string, Count: number, Since: string) => ({ When, Count, Since });
  const late = '2026-03-20T12:00:00Z';
  const early = '2026-03-20T11:00:00Z';
  const sorted = [
    alert('QuotaNear', 9, early),
    alert('DeviceOffline', 1, late),
    alert('DeviceOffline', 1, early),
    alert('DeviceOffline', 4, late),
  ].sort(byUrgency);
  assert.deepEqual(
    sorted.map(({ When, Count, Since }) => [When, Count, Since]),
    [
      ['DeviceOffline', 4, late],
      ['DeviceOffline', 1, early],
      ['DeviceOffline', 1, late],
      ['QuotaNear', 9, early],
    ],
  );
});

test('the first template watches the group of the gateways, if there is one', () => {
  const [of] = templatesFor(['cameras', 'Gateways north']);
  assert.deepEqual([of?.label, of?.rule.DeviceGroup], ['A gateway is down for 10 minutes', 'Gateways north']);
  const [any] = templatesFor(['cameras']);
  assert.deepEqual([any?.label, any?.rule.DeviceGroup], ['A device is down for 10 minutes', '']);
});
