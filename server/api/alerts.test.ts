// Channels, rules and deliveries of alerts over real HTTP, with a receiver of the test.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { after, before, test } from 'node:test';
import type { Account } from '#/contract/account.ts';
import type {
  AlertChannel,
  AlertDelivery,
  AlertRule,
  ChannelTest,
  FiringAlert,
  RuleTrialResult,
} from '#/contract/alerts.ts';
import type { AuditEntry } from '#/contract/audit.ts';
import type { ProblemBody } from '#/contract/problem.ts';
import { until } from '../../scripts/test-process.ts';
import { startTestSmtp, type TestSmtp } from '../../scripts/test-smtp.ts';
import { FakeAgent } from '../test-agents.ts';
import { TestStream } from '../test-events.ts';
import { testFleet } from '../test-fleet.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
let receiver: Server;
let smtp: TestSmtp;
let hook: string;
before(async () => {
  smtp = await startTestSmtp();
  receiver = createServer((request, response) => request.resume().on('end', () => response.end('x'.repeat(100))));
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/services/T0/secret-path?token=1`;
  service = await startTestService(
    { ALERT_PRIVATE_TARGETS: '1', SMTP_URL: smtp.url, SMTP_FROM: 'muster@example.com' },
    undefined,
    undefined,
    { alertTimes: { everyMs: 50, gatherMs: 0 } },
  );
});
after(async () => {
  await service.end();
  await smtp.close();
  receiver.close();
});

async function ask<Answer>(method: string, path: string, body?: unknown, on = service): Promise<Answer> {
  const response = await on.call(method, path.startsWith('/') ? path : `/v1/alerts/${path}`, body);
  const text = await response.text();
  assert.equal(response.status, 200, `${method} ${path}: ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as Answer;
}
async function refused(method: string, path: string, body?: unknown, on = service): Promise<[number, string]> {
  const response = await on.call(method, `/v1/alerts/${path}`, body);
  const problem = (await response.json()) as ProblemBody;
  return [response.status, problem.errors?.map(({ field }) => field).join() ?? problem.title ?? ''];
}
const webhook = (more: object = {}) => ({ Name: 'Ops', Kind: 'webhook', Url: hook, Format: 'slack', ...more });
const makeChannel = (body: object = webhook()) => ask<{ ChannelId: string; Secret?: string }>('POST', 'channels', body);
const rule = (Channels: string[], more: object = {}) => ({
  Name: 'Rule',
  When: 'DeviceOffline',
  ForMinutes: 0,
  QuietMinutes: 0,
  Channels,
  ...more,
});

test('a channel is made, tested, listed without what is secret, and deleted', async () => {
  const { ChannelId, Secret } = await makeChannel();
  assert.match(Secret ?? '', /^whsec_.{43}$/);
  const text = await (await service.call('GET', '/v1/alerts/channels')).text();
  assert.doesNotMatch(text, /secret-path|whsec|token/);
  const [listed] = JSON.parse(text) as AlertChannel[];
  assert.deepEqual([listed?.Name, listed?.Kind, listed?.Format], ['Ops', 'webhook', 'slack']);
  assert.equal(listed?.Url, `${new URL(hook).origin}/…`);
  const tested = await ask<ChannelTest>('POST', `channels/${ChannelId}/test`);
  assert.deepEqual(tested, { Delivered: true, Because: '', Status: 200 });
  await ask('DELETE', `channels/${ChannelId}`);
  assert.equal((await service.call('POST', `/v1/alerts/channels/${ChannelId}/test`)).status, 404);
  const { Items } = await ask<{ Items: AuditEntry[] }>('GET', `/v1/audit?object=${ChannelId}`);
  assert.deepEqual(
    Items.map(({ Action }) => Action),
    ['alert-channel.remove', 'alert-channel.test', 'alert-channel.create'],
  );
  assert.doesNotMatch(JSON.stringify(Items), /secret-path|whsec/);
});

test('a channel is tested before it is created, and one that would be refused is not', async () => {
  const listed = await (await service.call('GET', '/v1/alerts/channels')).text();
  assert.equal((await ask<ChannelTest>('POST', 'channels/test', webhook())).Delivered, true);
  assert.equal(await (await service.call('GET', '/v1/alerts/channels')).text(), listed);
  assert.deepEqual(await refused('POST', 'channels/test', webhook({ Url: 'ftp://example.com/' })), [400, 'Url']);
});

test('test messages of an account are limited in number, to whichever channel', async () => {
  const busy = await startTestService({ ALERT_PRIVATE_TARGETS: '1' });
  try {
    const { ChannelId } = await ask<{ ChannelId: string }>('POST', 'channels', webhook(), busy);
    const paths = ['channels/test', `channels/${ChannelId}/test`];
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, nth) => busy.call('POST', `/v1/alerts/${paths[nth % 2]}`, webhook())),
    );
    const sent = answers.filter(({ status }) => status === 200).length;
    const tooMany = answers.filter(({ status }) => status === 429);
    assert.ok(sent >= 20 && tooMany.length > 0 && sent + tooMany.length === 40, `${sent} sent`);
    const problem = (await tooMany[0]?.json()) as ProblemBody | undefined;
    assert.equal(problem?.title, 'Too many test messages');
  } finally {
    await busy.end();
  }
});

test('a channel for e-mail is tested with a real message', async () => {
  const { ChannelId, Secret } = await makeChannel({ Name: 'Mail', Kind: 'email', To: ['ops@example.com'] });
  assert.equal(Secret, undefined);
  assert.equal((await ask<ChannelTest>('POST', `channels/${ChannelId}/test`)).Delivered, true);
  assert.deepEqual(smtp.received[0]?.to, ['ops@example.com']);
  await ask('DELETE', `channels/${ChannelId}`);
});

test('a channel sent twice is made once, and its secret is in both answers', async () => {
  const send = () => service.call('POST', '/v1/alerts/channels', webhook(), { 'Idempotency-Key': 'k1' });
  const [one, other] = [await (await send()).text(), await (await send()).text()];
  assert.equal(one, other);
  const { ChannelId } = JSON.parse(one) as { ChannelId: string };
  await ask('DELETE', `channels/${ChannelId}`);
});

test('what cannot be a channel is refused with its field', async () => {
  for (const [body, field] of [
    [webhook({ Url: 'ftp://example.com' }), 'Url'],
    [webhook({ Url: 'https://user:pass@example.com' }), 'Url'],
    [webhook({ Url: 'example.com' }), 'Url'],
    [webhook({ Format: 'xml' }), 'Format'],
    [webhook({ Secret: 'short' }), 'Secret'],
    [{ Name: 'Mail', Kind: 'email', To: [] }, 'To'],
    [{ Name: 'Mail', Kind: 'email', To: ['a@b.example\r\nBcc: c@d.example'] }, 'To.0'],
    [{ Name: 'Mail', Kind: 'email', To: ['A <a@b.example>'] }, 'To.0'],
    [{ Name: 'x', Kind: 'pager' }, 'Kind'],
  ] as const)
    assert.deepEqual(await refused('POST', 'channels', body), [400, field]);
});

test('without the settings of the service there is no e-mail, and no webhook to a private address', async () => {
  const plain = await startTestService();
  try {
    assert.ok(!(await ask<Account>('GET', '/v1/account', undefined, plain)).Capabilities?.includes('alert-email'));
    const mail = { Name: 'Mail', Kind: 'email', To: ['ops@example.com'] };
    assert.deepEqual(await refused('POST', 'channels', mail, plain), [409, 'This service sends no e-mail']);
    for (const Url of [hook, 'http://localhost:9/', 'http://[::1]/', 'http://169.254.169.254/'])
      for (const path of ['channels', 'channels/test'])
        assert.deepEqual(await refused('POST', path, webhook({ Url }), plain), [400, 'Url']);
  } finally {
    await plain.end();
  }
});

test('a rule is tried before it is created: what would fire now, and how often it would have', async () => {
  const trial = { When: 'DeviceOffline', ForMinutes: 5, DeviceGroup: 'nobody' };
  const found = await ask<RuleTrialResult>('POST', 'rules/try', trial);
  assert.deepEqual(found, { Count: 0, Devices: [], Fired: 0, Hours: 168 });
  assert.deepEqual(await refused('POST', 'rules/try', { When: 'JobFailed', ForMinutes: 5 }), [400, 'ForMinutes']);
});

test('a rule is made, changed, silenced and deleted', async () => {
  const { ChannelId } = await makeChannel();
  const { RuleId } = await ask<{ RuleId: string }>(
    'POST',
    'rules',
    rule([ChannelId], { DeviceGroup: 'shops', Facts: { os: 'debian' } }),
  );
  await ask('PATCH', `rules/${RuleId}`, { Name: 'Shops', ForMinutes: 5 });
  const Until = new Date(Date.now() + 3_600_000).toISOString();
  await ask('POST', `rules/${RuleId}/silence`, { Until, Reason: 'maintenance' });
  const [shown] = await ask<AlertRule[]>('GET', 'rules');
  assert.deepEqual(
    [shown?.Name, shown?.DeviceGroup, shown?.ForMinutes, shown?.Channels, shown?.Silence?.Reason],
    ['Shops', 'shops', 5, [ChannelId], 'maintenance'],
  );
  assert.deepEqual(shown?.Facts, { os: 'debian' });
  await ask('POST', `rules/${RuleId}/silence`, { Until: '', Reason: '' });
  assert.equal((await ask<AlertRule[]>('GET', 'rules'))[0]?.Silence, undefined);
  await ask('DELETE', `rules/${RuleId}`);
  const { Items } = await ask<{ Items: AuditEntry[] }>('GET', '/v1/audit?action=alert-rule');
  assert.deepEqual(
    Items.map(({ Action }) => Action.slice('alert-rule.'.length)),
    ['remove', 'unsilence', 'silence', 'update', 'create'],
  );
  await ask('DELETE', `channels/${ChannelId}`);
});

test('a rule without a channel is kept, and a limit has the share that the rule sets', async () => {
  const { RuleId } = await ask<{ RuleId: string }>('POST', 'rules', rule([], { When: 'QuotaNear', Percent: 80 }));
  const shown = async () => (await ask<AlertRule[]>('GET', 'rules'))[0];
  assert.deepEqual([(await shown())?.Channels, (await shown())?.Percent], [[], 80]);
  await ask('PATCH', `rules/${RuleId}`, { Name: 'Storage' });
  assert.equal((await shown())?.Percent, 80);
  await ask('PATCH', `rules/${RuleId}`, { When: 'JobFailed' });
  assert.equal((await shown())?.Percent, undefined);
  await ask('PATCH', `rules/${RuleId}`, { When: 'QuotaNear' });
  assert.equal((await shown())?.Percent, 90);
  await ask('DELETE', `rules/${RuleId}`);
});

test('a rule that could not work is refused with its field', async () => {
  const { ChannelId } = await makeChannel();
  for (const [more, field] of [
    [{ When: 'Never' }, 'When'],
    [{ ForMinutes: -1 }, 'ForMinutes'],
    [{ When: 'JobFailed', ForMinutes: 5 }, 'ForMinutes'],
    [{ When: 'QuotaNear', DeviceGroup: 'shops' }, 'DeviceGroup'],
    [{ When: 'QuotaNear', Facts: { os: 'debian' } }, 'Facts'],
    [{ Facts: { OS: 'debian' } }, 'Facts'],
    [{ Facts: JSON.parse('{"__proto__":"x"}') as object }, 'Facts'],
    [{ When: 'QuotaNear', Percent: 100 }, 'Percent'],
    [{ Percent: 80 }, 'Percent'],
    [{ Channels: ['another'] }, 'Channels'],
  ] as const)
    assert.deepEqual(await refused('POST', 'rules', rule([ChannelId], more)), [400, field]);
  assert.deepEqual(await refused('POST', 'rules/none/silence', { Until: '2020-01-01', Reason: '' }), [400, 'Until']);
  assert.deepEqual(await ask<AlertRule[]>('GET', 'rules'), []);
  await ask('DELETE', `channels/${ChannelId}`);
});

test('an agent that goes away fires, is delivered, and is in the streams of events', async () => {
  const fleet = testFleet((...asked) => service.call(...asked));
  const { id, key } = await fleet.device('', 'till');
  const agent = await FakeAgent.connect(service.url, key);
  await agent.receive('welcome');
  const { ChannelId } = await makeChannel();
  await ask('POST', 'rules', rule([ChannelId]));
  const stream = await TestStream.open(service);
  await agent.end();
  await until('the delivery', async () => {
    const { Items } = await ask<{ Items: AlertDelivery[] }>('GET', 'deliveries');
    return Items[0]?.State === 'Delivered';
  });
  const [fires] = await ask<FiringAlert[]>('GET', 'firing');
  assert.deepEqual([fires?.Rule, fires?.Count, fires?.Devices[0]?.DeviceId], ['Rule', 1, id]);
  assert.equal((await ask<Account>('GET', '/v1/account')).AlertsFiring, 1);
  await until('the event', () => stream.events.some(({ data }) => data.Alerts && data.Account));
  stream.close();
  const metrics = await (await service.call('GET', '/metrics')).text();
  assert.match(metrics, /^muster_alert_attempts_total\{outcome="delivered"\} [1-9]/m);
});
