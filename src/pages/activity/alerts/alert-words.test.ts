import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AlertChannel } from '#/contract/alerts.ts';
import { stateText } from '#/ui/controls/state-words.ts';
import { conditionText, deliveryWords, messagesText, worstFirst } from './alert-words.ts';

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
  assert.equal(
    words({ CustomerSite: 'Berlin', Facts: { os: 'debian', arch: 'arm64' } }),
    'When a device at site Berlin with os=debian and arch=arm64 is Offline',
  );
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
  assert.equal(
    words({ When: 'QuotaNear', Percent: 80 }),
    'When 80 % of a limit of the account is used, or the disk is nearly full',
  );
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

test('the worst alert is first: by severity, then by how many, then by how long', () => {
  const alert = (RuleId: string, When: string, Count: number, Since: string) => ({
    RuleId,
    Rule: RuleId,
    When,
    Count,
    Since,
    Text: '',
    Devices: [],
    Silence: undefined,
  });
  const sorted = worstFirst([
    alert('limits', 'QuotaNear', 9, '2026-01-01'),
    alert('one, new', 'DeviceOffline', 1, '2026-01-03'),
    alert('one, old', 'TunnelPublic', 1, '2026-01-02'),
    alert('many', 'DeviceOffline', 4, '2026-01-04'),
  ]);
  assert.deepEqual(
    sorted.map(({ RuleId }) => RuleId),
    ['many', 'one, old', 'one, new', 'limits'],
  );
});
