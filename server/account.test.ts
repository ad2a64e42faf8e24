// Several accounts on one service, managed beside it from the command line.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import type { Account } from '#/contract/account.ts';
import { CLOSE } from '#/contract/agent-link.ts';
import type { Me } from '#/contract/people.ts';
import { endProcesses, TestProcess, until } from '../scripts/test-process.ts';
import { PersonBrowser } from './auth/test-people.ts';
import { SCHEMA } from './store/schema.ts';
import { onPostgres } from './store/test-database.ts';
import { FakeAgent } from './test-agents.ts';
import { testFleet } from './test-fleet.ts';
import { killableService } from './test-killable.ts';
import { tusClient } from './test-tus.ts';
import { startTestService } from './test-service.ts';
import type { TestService } from './test-service.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ ALERT_PRIVATE_TARGETS: '1' });
});
afterEach(endProcesses);
after(() => service.end());

function run(file: 'account' | 'token', args: string[], env: Record<string, string> = {}): TestProcess {
  const { dataDir, context } = service;
  const { databaseUrl, clusterSecret = '' } = context.config;
  const database = databaseUrl ? { DATABASE_URL: databaseUrl.href, CLUSTER_SECRET: clusterSecret } : {};
  return new TestProcess([`server/${file}.ts`, ...args], {
    env: { DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: String(service.port), ...database, ...env },
  });
}
async function command(file: 'account' | 'token', args: string[], env: Record<string, string> = {}) {
  const program = run(file, args, env);
  return { code: await program.ended, output: program.printed };
}
const account = (...args: string[]) => command('account', args);
const token = (...args: string[]) => command('token', args);

interface Added {
  id: string;
  code: string;
  secret: string;
}
async function add(name: string, email: string, env?: Record<string, string>): Promise<Added> {
  const { code: exit, output } = await command('account', ['add', ...name.split(' '), '--email', email], env);
  assert.equal(exit, 0, output);
  const found = (pattern: RegExp) => pattern.exec(output)?.[1] ?? assert.fail(output);
  return {
    id: found(/^Account: (\d+)$/m),
    code: found(/^Sign in: \S+\/sign-in#code=(\S+)$/m),
    secret: found(/^Token: +(mut_\S+)$/m),
  };
}
const as = (secret: string) => (method: string, at: string, body?: unknown) =>
  service.call(method, at, body, { Authorization: `Bearer ${secret}` });
const read = async <Answer>(answer: Promise<Response>) => (await (await answer).json()) as Answer;

test('an account is added with its first Admin and a token, and has its own name and limits', async () => {
  const { id, code, secret } = await add('Plant South', 'south@x.example');
  const call = as(secret);
  const me = await read<Me>(call('GET', '/v1/me'));
  assert.deepEqual([me.Account.Name, me.Role, me.HasOthers], ['Plant South', 'Admin', false]);
  const browser = new PersonBrowser(service.url);
  await browser.get('POST', '/auth/session', { Code: code });
  const owner = await browser.get<Me>('GET', '/v1/me');
  assert.deepEqual([owner.Email, owner.Role, owner.Account.Name], ['south@x.example', 'Admin', 'Plant South']);

  assert.equal((await account('limits', id, '--devices', '1', '--artifacts-mb', '2')).code, 0);
  const limits = await read<Account>(call('GET', '/v1/account'));
  assert.deepEqual([limits.PlanMaxDeviceLimit, limits.ArtifactBytesLimit], [1, 2 * 1024 * 1024]);
  const device = { DeviceName: 'd', DeviceGroup: '' };
  assert.equal((await call('POST', '/v1/devices', device)).status, 200);
  assert.equal((await call('POST', '/v1/devices', device)).status, 403);
  assert.notEqual((await read<Account>(service.call('GET', '/v1/account'))).PlanMaxDeviceLimit, 1);

  assert.equal((await account('rename', id, 'Plant', 'North')).code, 0);
  assert.equal((await read<Me>(call('GET', '/v1/me'))).Account.Name, 'Plant North');
  assert.match((await account()).output, new RegExp(`^${id} +1 of 1 +2 MB .* south@x\\.example +Plant North$`, 'm'));
});

test('an address belongs to one person on the whole service', async () => {
  await add('one', 'same@x.example');
  const again = await account('add', 'two', '--email', 'SAME@x.example');
  assert.equal(again.code, 1);
  assert.match(again.output, /SAME@x\.example is taken/);
});

test('what is wrong is said in a line, and changes nothing', async () => {
  const { output: listed } = await account();
  for (const [args, says] of [
    [['add', 'x'], /--email ADDRESS/],
    [['add', 'x', '--email', 'nobody'], /no e-mail address/],
    [['add', '--email', 'a@b'], /^Usage:/],
    [['rename', '1'], /^Usage:/],
    [['rename', '99', 'x'], /No account "99"/],
    [['limits', '99', '--devices', '1'], /No account "99"/],
    [['limits', '1', '--devices', '1'], /MAX_DEVICES/],
    [['limits', '2', '--devices', 'many'], /whole number/],
    [['remove', '1', '--yes'], /Account 1 cannot be removed/],
    [['remove', '99', '--yes'], /No account "99"/],
    [['remove', 'x', '--yes'], /whole number/],
    [['delete', '1'], /^Usage:/],
  ] as [string[], RegExp][]) {
    const { code, output } = await account(...args);
    assert.deepEqual([code, says.test(output)], [1, true], output);
  }
  assert.equal((await account()).output, listed);
});

test('tokens and links of an account are managed by its id', async () => {
  const { id, secret } = await add('tokens', 'tokens@x.example');
  const made = await token('make', 'ci', '--role', 'deployer', '--groups', 'a, b', '--days', '30', '--account', id);
  const me = await read<Me>(as(made.output.split('\n')[0] ?? '')('GET', '/v1/me'));
  assert.deepEqual([me.Account.Name, me.Role, me.Groups], ['tokens', 'Deployer', ['a', 'b']]);
  const { output } = await token('list', '--account', id);
  assert.match(output, /Deployer +a, b +the account +\S+ \S+ UTC +\S+ \S+ UTC .*ci$/m);
  assert.doesNotMatch((await token()).output, /Deployer/, 'account 1 has none of it');
  const tokenId = /^(\S+) .* ci$/m.exec(output)?.[1] ?? '';
  assert.equal((await token('revoke', tokenId)).code, 1);
  assert.equal((await token('revoke', tokenId, '--account', id)).code, 0);
  for (const wrong of [
    ['--role', 'King'],
    ['--groups', ','],
    ['--days', '0'],
    ['--account', '99'],
  ])
    assert.equal((await token('make', 'x', ...wrong)).code, 1, wrong.join(' '));
  assert.equal((await as(secret)('GET', '/v1/me')).status, 200);
});

test('the link lets the owner in, whatever the account requires', async () => {
  const { id } = await add('strict', 'strict@x.example');
  await service.context.db.write((tx) => tx.run('UPDATE accounts SET needs_otp = 1 WHERE id = ?', Number(id)));
  await service.context.db.write((tx) =>
    tx.run("UPDATE people SET source = 'oidc', issuer = 'https://idp', subject = 'x' WHERE account_id = ?", Number(id)),
  );
  const { output } = await token('link', '--account', id);
  const browser = new PersonBrowser(service.url);
  await browser.get('POST', '/auth/session', { Code: /#code=(\S+)/.exec(output)?.[1] });
  assert.equal((await browser.get<Me>('GET', '/v1/me')).Email, 'strict@x.example');
  assert.ok(await browser.isIn());
});

/** Something of every kind in an account. */
async function fill(secret: string) {
  const call = as(secret);
  const fleet = testFleet(call);
  const ok = async (method: string, at: string, body?: unknown) => {
    const response = await call(method, at, body);
    assert.equal(response.status, 200, `${method} ${at}: ${await response.clone().text()}`);
    return response;
  };
  const device = await fleet.device('hall', 'theirs');
  await ok('POST', '/v1/tag/red');
  const [tag] = await read<{ TagId: string }[]>(call('GET', '/v1/tag'));
  await ok('POST', `/v1/devices/${device.id}/tag/${tag?.TagId}`);
  await ok('POST', `/v1/device/${device.id}/notes`, { Text: 'theirs' });
  const artifact = await fleet.artifact('theirs.sh', '1');
  const WorkflowId = await fleet.workflow('true');
  const target = { DeviceGroup: 'hall', WorkflowId };
  await fleet.submit(target);
  await fleet.submit({ DeviceId: device.id, ArtifactId: artifact });
  await ok('PUT', '/v1/orders/order', { DeviceGroup: 'other', ArtifactId: artifact });
  await ok('POST', '/v1/rollout', {
    ...target,
    Name: 'rollout',
    Waves: [{ Percent: 100 }],
    Gate: { SuccessPercent: 100, OnlineMinutes: 0, TimeoutMinutes: 60 },
    PauseAfter: { FailedCount: 0 },
    Advance: 'auto',
    IncludeNew: false,
  });
  await ok('POST', '/v1/bulk', { Action: 'delete', Devices: ['nothing'] });
  const hook = { Name: 'hook', Kind: 'webhook', Url: 'http://127.0.0.1:9/', Format: 'json' };
  const { ChannelId } = (await (await ok('POST', '/v1/alerts/channels', hook)).json()) as { ChannelId: string };
  const rule = { Name: 'rule', When: 'JobFailed', ForMinutes: 0, QuietMinutes: 0, Channels: [ChannelId] };
  await ok('POST', '/v1/alerts/rules', rule);
  const enrolment = { Name: 'key', DeviceGroup: 'hall', MaxUses: 0, NeedsApproval: true };
  const { EnrolKey } = (await (await ok('POST', '/v1/enrolment', enrolment)).json()) as { EnrolKey: string };
  const machine = { EnrolKey, MachineId: 'machine-1', DeviceName: 'waits', Facts: { os: 'debian' } };
  assert.equal((await call('POST', '/v1/enrol', machine)).status, 202);
  const agent = await FakeAgent.connect(service.url, device.key);
  await agent.receive('welcome');
  agent.say({ type: 'facts', facts: [{ name: 'os', value: 'debian' }], problems: [] });
  const facts = `/v1/device/${device.id}/facts`;
  await until('its facts', async () => (await read<{ Items: unknown[] }>(call('GET', facts))).Items.length > 0);
  const tus = tusClient(service.url, secret);
  const script = { filename: 'part.sh', version: '1', type: 'script', destination: '/tmp', command: 'true' };
  const upload = await tus.begin(3, script);
  assert.equal((await tus.patch(upload, 0, Buffer.from('a'))).status, 204);
  const pieces = path.join(service.dataDir, 'artifacts/uploads', path.basename(upload));
  return { device, artifact, agent, pieces };
}

const TABLES = SCHEMA.flatMap((definition) => {
  const [, name] =
    (typeof definition === 'string' && /^\s*CREATE TABLE (\w+) \([^]*\baccount_id INTEGER/.exec(definition)) || [];
  // Entries of the audit log stay; the log of changes empties itself.
  return name && name !== 'audit' && name !== 'changes' ? [name] : [];
});
/** Filled by jobs that end, by alerts, tunnels and the passing of days. */
const FILLED_BY_USE = [
  'alert_deliveries',
  'alert_messages',
  'device_versions',
  'enrolled_machines',
  'idempotency_keys',
  'outcome_rules',
  'tunnels',
  'usage_days',
  'views',
];
const left = async (id: string) => {
  const { db } = service.context;
  const found = [];
  for (const table of TABLES)
    if (await db.get(`SELECT 1 FROM ${table} WHERE account_id = ?`, Number(id))) found.push(table);
  return found;
};

test('a removed account ends at once, with everything in it; others and the audit log stay', async () => {
  const { id, secret, code } = await add('gone', 'gone@x.example');
  const kept = await testFleet((...request) => service.call(...request)).artifact('ours.sh', '1');
  const browser = new PersonBrowser(service.url);
  await browser.get('POST', '/auth/session', { Token: secret });
  const { agent, artifact, device, pieces } = await fill(secret);
  const filled = await left(id);
  assert.ok(TABLES.length > 15, TABLES.join());
  assert.deepEqual(TABLES.filter((table) => !filled.includes(table)).toSorted(), FILLED_BY_USE);
  assert.ok(service.stored().includes(artifact));
  assert.ok(existsSync(pieces));

  const asked = await account('remove', id);
  assert.deepEqual([asked.code, /--yes/.test(asked.output)], [1, true]);
  const { code: exit, output } = await account('remove', id, '--yes');
  assert.deepEqual([exit, output], [0, 'Removed.\n']);
  assert.equal((await as(secret)('GET', '/v1/me')).status, 401);
  assert.ok(!(await browser.isIn()));
  assert.equal((await new PersonBrowser(service.url).ask('POST', '/auth/session', { Code: code })).status, 401);
  await until('the agent to be cut off', () => agent.closed);
  assert.equal(agent.closed?.code, CLOSE.revoked);
  assert.deepEqual(await left(id), []);
  assert.deepEqual([service.stored().includes(artifact), service.stored().includes(kept)], [false, true]);
  assert.ok(!existsSync(pieces));
  const entries = await service.context.db.all<{ action: string; target: string }>(
    'SELECT action, target FROM audit WHERE account_id = ?',
    Number(id),
  );
  for (const entry of [
    { action: 'device.create', target: device.id },
    { action: 'account.remove', target: id },
  ])
    assert.ok(entries.some(({ action, target }) => action === entry.action && target === entry.target));
  // Nobody is given the entries of the account that is gone.
  const next = await add('next', 'gone@x.example');
  assert.ok(Number(next.id) > Number(id));
  assert.equal((await account('remove', id, '--yes')).code, 1);
});

// Services that are killed keep their data in SQLite. Not skipped elsewhere, because a skipped test counts as failed.
if (!onPostgres)
  test('a removal that was killed goes on at the next start', async (t) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'muster-accounts-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const killable = await killableService(folder);
    const env = { DATA_DIR: folder };
    const { id, secret } = await add('gone', 'gone@x.example', env);
    const call = (method: string, at: string, body?: unknown) =>
      fetch(new URL(at, killable.url), {
        method,
        headers: { Authorization: `Bearer ${secret}` },
        ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
      });
    const fleet = testFleet(call);
    await fleet.device('hall');
    await fleet.artifact('theirs.sh', '1');
    await fleet.run('true', { DeviceGroup: 'hall' });
    for (const at of ['DELETE FROM devices', 'DELETE FROM artifacts', 'DELETE FROM jobs', 'DELETE FROM accounts']) {
      await killable.stop();
      const program = await killable.start(at);
      // The first marks the account; the service goes on by itself.
      const removal = run('account', ['remove', id, '--yes'], env);
      await program.ended;
      await removal.end('SIGKILL');
      assert.match((await command('account', [], env)).output, /is being deleted/, at);
    }
    await killable.start();
    await until('the account to be deleted', async () => {
      const { output } = await command('account', [], env);
      return !output.includes('gone@x.example');
    });
    await killable.stop();
  });
