// What roles that are limited to device groups may do to what the account shares, and what they see of alerts, tunnels,
// histories and the audit log.
import assert from 'node:assert/strict';
import { after, before, mock, test } from 'node:test';
import type { Account } from '#/contract/account.ts';
import type { AuditEntry } from '#/contract/audit.ts';
import type { AlertRule } from '#/contract/alerts.ts';
import { addAccount } from '../store/accounts.ts';
import { createToken } from '../store/tokens.ts';
import { testFleet } from '../test-fleet.ts';
import { limitedCaller } from '../test-limited.ts';
import type { LimitedCaller } from '../test-limited.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
let limited: LimitedCaller;
let viewer: LimitedCaller;
let own: string;
let foreign: string;
let channel: string;

const admin = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
  const answer = await service.call(method, path, body);
  const text = await answer.text();
  assert.equal(answer.status, 200, `${method} ${path}: ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
};
const RULE = { When: 'DeviceOffline', ForMinutes: 0, QuietMinutes: 0 };

before(async () => {
  service = await startTestService({ ALERT_PRIVATE_TARGETS: '1' });
  const fleet = testFleet((method, path, body) => service.call(method, path, body));
  own = (await fleet.device('hall', 'lamp')).id;
  foreign = (await fleet.device('vault', 'quokka')).id;
  const hook = { Name: 'hook', Kind: 'webhook', Url: 'http://127.0.0.1:9/', Format: 'json' };
  channel = (await admin<{ ChannelId: string }>('POST', '/v1/alerts/channels', hook)).ChannelId;
  limited = await limitedCaller(service, { role: 'Operator', groups: ['hall'] }, [foreign, 'quokka', 'vault']);
  viewer = await limitedCaller(service, { role: 'Viewer', groups: ['hall'] }, [foreign, 'quokka', 'vault']);
});
after(() => service.end());

test('a shared view is changed by its maker, and by unlimited roles', async () => {
  await admin('PUT', '/v1/views/theirs', { Query: 'a', Private: false });
  assert.equal(await limited.status('PUT', '/v1/views/theirs', { Query: 'b', Private: false }), 403);
  assert.equal(await limited.status('DELETE', '/v1/views/theirs'), 403);
  assert.equal(await limited.status('PUT', '/v1/views/mine', { Query: 'a', Private: false }), 200);
  await admin('PUT', '/v1/views/mine', { Query: 'b', Private: false });
  assert.equal(await limited.status('PUT', '/v1/views/mine', { Query: 'c', Private: false }), 200);
  assert.equal(await limited.status('DELETE', '/v1/views/mine'), 200);
});

test('a private view of somebody who may only read takes the shared one of its name from nobody', async () => {
  await admin('PUT', '/v1/views/both', { Query: 'shared', Private: false });
  assert.equal(await viewer.status('PUT', '/v1/views/both', { Query: 'private', Private: true }), 200);
  const queryOf = (views: { Name: string; Query: string }[]) => views.find(({ Name }) => Name === 'both')?.Query;
  assert.equal(queryOf(await viewer.json('GET', '/v1/views')), 'private');
  assert.equal(queryOf(await admin('GET', '/v1/views')), 'shared');
  assert.equal(await viewer.status('DELETE', '/v1/views/both'), 200);
  assert.equal(queryOf(await viewer.json('GET', '/v1/views')), 'shared');
  assert.equal(await viewer.status('DELETE', '/v1/views/both'), 403);
});

test('outcome rules of a new name may be made, those that are there not changed', async () => {
  const Rules = [{ Find: 'x', Pattern: false, CaseSensitive: false, Stream: 'both', Verdict: 'Failed' }];
  assert.equal(await limited.status('PUT', '/v1/rules/new', { Rules }), 200);
  assert.equal(await limited.status('PUT', '/v1/rules/new', { Rules: [] }), 403);
});

test('alert rules are made for a group of one’s own; those of the account are only read', async () => {
  const create = (draft: object) =>
    admin<{ RuleId: string }>('POST', '/v1/alerts/rules', { ...RULE, Channels: [channel], ...draft });
  const everywhere = (await create({ Name: 'everywhere' })).RuleId;
  const vault = (await create({ Name: 'quokka rule', DeviceGroup: 'vault' })).RuleId;
  await create({ Name: 'quokka site', CustomerSite: 'vault' });
  const hall = (await create({ Name: 'hall', DeviceGroup: 'hall' })).RuleId;
  const rules = await limited.json<AlertRule[]>('GET', '/v1/alerts/rules');
  assert.deepEqual(
    rules.map(({ Name }) => Name),
    ['everywhere', 'hall'],
  );
  const draft = { ...RULE, Name: 'r', Channels: [channel] };
  assert.equal(await limited.status('POST', '/v1/alerts/rules', draft), 400);
  assert.equal(await limited.status('POST', '/v1/alerts/rules', { ...draft, DeviceGroup: 'vault' }), 400);
  assert.equal(await limited.status('PATCH', `/v1/alerts/rules/${everywhere}`, { QuietMinutes: 1 }), 403);
  assert.equal(await limited.status('PATCH', `/v1/alerts/rules/${vault}`, { QuietMinutes: 1 }), 404);
  assert.equal(await limited.status('PATCH', `/v1/alerts/rules/${hall}`, { DeviceGroup: 'vault' }), 400);
  assert.equal(await limited.status('PATCH', `/v1/alerts/rules/${hall}`, { DeviceGroup: '' }), 400);
  assert.equal(await limited.status('PATCH', `/v1/alerts/rules/${hall}`, { QuietMinutes: 1 }), 200);
  assert.equal(await limited.status('DELETE', `/v1/alerts/rules/${everywhere}`), 403);
});

test('of a rule for the whole account, only one’s own devices fire', async () => {
  const { db } = service.context;
  await db.write(async (tx) => {
    const rule = await tx.get<{ seq: number }>("SELECT seq FROM alert_rules WHERE name = 'everywhere'");
    for (const { seq } of await tx.all<{ seq: number }>('SELECT seq FROM devices'))
      await tx.run(
        'INSERT INTO alert_firing (rule_seq, object, since, noted) VALUES (?, ?, ?, 1)',
        rule?.seq ?? 0,
        seq,
        1,
      );
    await tx.run('UPDATE alert_rules SET firing = 2 WHERE seq = ?', rule?.seq ?? 0);
  });
  const [alert, ...others] = await limited.json<{ Rule: string; Count: number; Devices: { DeviceId: string }[] }[]>(
    'GET',
    '/v1/alerts/firing',
  );
  assert.deepEqual(
    [alert?.Rule, alert?.Count, alert?.Devices.map(({ DeviceId }) => DeviceId)],
    ['everywhere', 1, [own]],
  );
  assert.deepEqual(others, []);
  assert.equal((await limited.json<{ AlertsFiring: number }>('GET', '/v1/account')).AlertsFiring, 1);
});

test('a delivery is shown if its message is of nothing but one’s own devices', async () => {
  const { db } = service.context;
  await db.write(async (tx) => {
    const all = { mine: [own], theirs: [foreign], both: [own, foreign], none: [] };
    for (const [name, ids] of Object.entries(all)) {
      const devices = JSON.stringify(ids.map((DeviceId) => ({ DeviceId, DeviceName: 'x' })));
      await tx.run(
        `INSERT INTO alert_messages (id, account_id, at, event, rule, text, devices, job_id, rollout_id)
         VALUES (?1, 1, 1, 'DeviceOffline', ?1, ?1, ?2, '', '')`,
        name,
        devices,
      );
      const message = await tx.get<{ seq: number }>('SELECT seq FROM alert_messages WHERE id = ?', name);
      await tx.run(
        `INSERT INTO alert_deliveries (id, account_id, message_seq, channel_seq, channel, state, due, until)
         VALUES (?, 1, ?, 1, 'hook', 'Delivered', 1, 1)`,
        name,
        message?.seq ?? 0,
      );
    }
  });
  const { Items } = await limited.json<{ Items: { Rule: string }[] }>('GET', '/v1/alerts/deliveries');
  assert.deepEqual(
    Items.map(({ Rule }) => Rule),
    ['mine'],
  );
});

test('the audit log shows what happened in one’s groups, and what one did', async () => {
  type Page = { Items: AuditEntry[]; Next: string };
  await limited.json('POST', '/v1/workflow', { Name: 'w', Command: 'true' });
  await admin('POST', '/v1/workflow', { Name: 'other', Command: 'true' });
  const { Items } = await limited.json<Page>('GET', '/v1/audit');
  const seen = Items.map(({ Action, ObjectName }) => `${Action} ${ObjectName}`);
  assert.ok(seen.includes('device.create lamp'), seen.join('\n'));
  assert.ok(seen.includes('workflow.create w'), seen.join('\n'));
  assert.ok(!seen.includes('workflow.create other'), seen.join('\n'));
  const about = await limited.json<Page>('GET', '/v1/audit?about=LAMP');
  assert.deepEqual(
    about.Items.map(({ Action }) => Action),
    ['device.create'],
  );
  assert.deepEqual(await limited.json('GET', '/v1/audit?about=quokka'), { Items: [], Next: '' });
  assert.deepEqual(await limited.json('GET', `/v1/audit?object=${foreign}`), { Items: [], Next: '' });
});

test('an entry that no page reaches is on a later one', async () => {
  const { db } = service.context;
  await db.write(async (tx) => {
    for (let at = 0; at < 600; at++)
      await tx.run(
        `INSERT INTO audit (at, account_id, actor, address, action, target, outcome) VALUES (1, 1, 'token:x', '', 'device.update', ?, 'done')`,
        foreign,
      );
  });
  const actions: string[] = [];
  for (let next = ''; ;) {
    const page: { Items: AuditEntry[]; Next: string } = await limited.json('GET', `/v1/audit?limit=1${next}`);
    actions.push(...page.Items.map(({ Action }) => Action));
    if (page.Next === '') break;
    next = `&before=${page.Next}`;
  }
  assert.ok(actions.includes('device.create'));
  assert.ok(!actions.includes('device.update'));
});

test('entries of a person are found by name, also after the person was removed', async () => {
  type Page = { Items: AuditEntry[] };
  const invitation = { Email: 'zoe@example.com', Name: 'Zoe Quist', Role: 'Viewer', Groups: [] };
  const { PersonId } = await admin<{ PersonId: string }>('POST', '/v1/people', invitation);
  await service.context.db.write((tx) =>
    service.context.audit.record(
      tx,
      { account: { id: 1, email: '' }, actor: `person:${PersonId}`, address: '' },
      'device.update',
      own,
    ),
  );
  await admin('DELETE', `/v1/people/${PersonId}`);
  for (const actor of ['quist', `person:${PersonId}`]) {
    const { Items } = await admin<Page>('GET', `/v1/audit?actor=${actor}`);
    assert.deepEqual(
      Items.map(({ Action, ActorName }) => [Action, ActorName]),
      [['device.update', 'Zoe Quist']],
    );
  }
});

test('figures of the whole service are for unlimited roles of its first account', async () => {
  assert.equal(await viewer.status('GET', '/metrics'), 403);
  const { secret } = await service.context.db.write(async (tx) => {
    const draft = { name: 'Other', email: 'other@example.com', maxDevices: 1, artifactLimit: 1 };
    return createToken(tx, await addAccount(tx, draft, Date.now()), 'other', Date.now());
  });
  const asked = await service.call('GET', '/metrics', undefined, { Authorization: `Bearer ${secret}` });
  assert.equal(asked.status, 403);
  assert.equal((await service.call('GET', '/metrics')).status, 200);
});

test('a full disk is reported to everybody, the figures of the machine only to unlimited roles', async () => {
  mock.method(service.context.disk, 'state', () => 'Low');
  mock.method(service.context.disk, 'free', () => 123_456_789);
  try {
    const all = await admin<Account>('GET', '/v1/account');
    assert.deepEqual([all.DiskState, all.DiskBytesFree], ['Low', 123_456_789]);
    for (const caller of [limited, viewer]) {
      const account = await caller.json<Account>('GET', '/v1/account');
      assert.equal(account.DiskState, 'Low');
      assert.ok(!('DiskBytesFree' in account));
    }
  } finally {
    mock.restoreAll();
  }
});
