// Keeping or gaining rights that one should not have: what is taken away ends at once, wherever it is used.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { Session } from '#/contract/account.ts';
import type { Me, Person } from '#/contract/people.ts';
import { until } from '../../scripts/test-process.ts';
import { startTestCluster } from '../cluster/test-cluster.ts';
import { hashSecret, newId, newSecret } from '../store/ids.ts';
import { onPostgres } from '../store/test-database.ts';
import { TestStream } from '../test-events.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { join, PersonBrowser } from './test-people.ts';

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.end());

const change = (id: string, body: object) => service.call('PATCH', `/v1/people/${id}`, body);
const taken = async (id: string, body: object) => assert.equal((await change(id, body)).status, 200);
const ownerId = async () => ((await (await service.call('GET', '/v1/people')).json()) as Person[])[0]?.PersonId ?? '';

/** A token of a person. */
async function tokenOf(personId: string, role = 'Admin', groups: string[] = []): Promise<string> {
  const secret = newSecret('mut');
  await service.context.db.write((tx) =>
    tx.run(
      `INSERT INTO tokens (id, account_id, name, prefix, hash, source, created, person_id, role, groups_json)
       VALUES (?, 1, 'hers', 'mut', ?, 'made', 0, ?, ?, ?)`,
      newId(),
      hashSecret(secret),
      personId,
      role,
      JSON.stringify(groups),
    ),
  );
  return secret;
}
const withToken = (secret: string, method = 'GET', path = '/v1/me', body?: unknown) =>
  service.call(method, path, body, { Authorization: `Bearer ${secret}` });
const meOf = async (secret: string) => (await (await withToken(secret)).json()) as Me;

test('nobody gives themselves or others more than an Admin of all groups lets them', async () => {
  const anna = await join(service, 'anna@example.com', 'Operator');
  const bert = await join(service, 'bert@example.com', 'Admin', ['plant']);
  const invitation = { Email: 'more@example.com', Name: '', Role: 'Admin', Groups: [] };
  for (const browser of [anna, bert]) {
    const token = await tokenOf(browser.id);
    for (const [method, path, body] of [
      ['PATCH', `/v1/people/${browser.id}`, { Role: 'Admin', Groups: [] }],
      ['PATCH', `/v1/people/${await ownerId()}`, { Disabled: true }],
      ['POST', '/v1/people', invitation],
      ['POST', `/v1/people/${await ownerId()}/invite`, undefined],
      ['DELETE', `/v1/people/${anna.id}`, undefined],
      ['GET', '/v1/people', undefined],
      ['PATCH', '/v1/account', { NeedsSecondFactor: false }],
    ] as const) {
      assert.equal((await browser.ask(method, path, body)).status, 403, `${method} ${path}`);
      assert.equal((await withToken(token, method, path, body)).status, 403, `${method} ${path} with a token`);
    }
  }
});

test('a role that shrinks ends sessions and limits tokens for good; one that grows ends none', async () => {
  const anna = await join(service, 'anna@example.com', 'Operator', ['plant', 'hall']);
  const wide = await tokenOf(anna.id);
  const narrow = await tokenOf(anna.id, 'Viewer', ['hall']);
  await taken(anna.id, { Groups: ['hall', 'yard', 'plant'] });
  assert.ok(await anna.isIn());
  assert.deepEqual((await meOf(wide)).Groups, ['hall', 'yard', 'plant']);
  await taken(anna.id, { Groups: ['plant'] });
  assert.equal(await anna.isIn(), false);
  assert.equal((await withToken(narrow)).status, 401, 'nothing is left of it');
  await taken(anna.id, { Role: 'Admin', Groups: [] });
  const { Role, Groups } = await meOf(wide);
  assert.deepEqual([Role, Groups], ['Operator', ['plant']]);
  assert.equal((await withToken(narrow)).status, 401);
});

test('a person who is disabled or removed is out at once, with every token', async () => {
  const anna = await join(service, 'anna@example.com', 'Admin');
  const token = await tokenOf(anna.id);
  const viaToken = new PersonBrowser(service.url);
  await viaToken.get('POST', '/auth/session', { Token: token });
  await taken(anna.id, { Disabled: true });
  assert.deepEqual([await anna.isIn(), await viaToken.isIn(), (await withToken(token)).status], [false, false, 401]);
  assert.equal((await new PersonBrowser(service.url).signIn('anna@example.com')).status, 401);
  await taken(anna.id, { Disabled: false });
  assert.equal(await anna.isIn(), false, 'a session does not come back');
  assert.equal((await anna.signIn('anna@example.com')).status, 200);
  assert.equal((await service.call('DELETE', `/v1/people/${anna.id}`)).status, 200);
  assert.deepEqual([await anna.isIn(), (await withToken(token)).status], [false, 401]);
});

test('a request that was let in before its role changed is refused when its turn comes', async () => {
  const anna = await join(service, 'anna@example.com', 'Admin');
  const token = await tokenOf(anna.id);
  const { db } = service.context;
  const gate = Promise.withResolvers<void>();
  const blocked = db.write(() => gate.promise);
  const before = db.waiting();
  const demoted = change(anna.id, { Role: 'Viewer' });
  await until('the change to wait', () => db.waiting() > before);
  const late = ['x@example.com', 'y@example.com'].map((Email, index) => {
    const invitation = { Email, Name: '', Role: 'Admin', Groups: [] };
    return index === 0
      ? anna.ask('POST', '/v1/people', invitation)
      : withToken(token, 'POST', '/v1/people', invitation);
  });
  await until('the invitations to wait', () => db.waiting() > before + 2);
  gate.resolve();
  await blocked;
  assert.equal((await demoted).status, 200);
  assert.deepEqual(
    (await Promise.all(late)).map(({ status }) => status),
    [401, 403],
  );
});

test('two Admins who are made less at the same time do not leave the account without one', async () => {
  const anna = await join(service, 'anna@example.com', 'Admin');
  const answers = await Promise.all([anna.id, await ownerId()].map((id) => change(id, { Role: 'Viewer' })));
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((one, other) => one - other),
    [200, 409],
  );
});

test('streams end with the rights that they were opened with', async () => {
  const anna = await join(service, 'anna@example.com', 'Operator');
  const bert = await join(service, 'bert@example.com', 'Operator');
  const token = await tokenOf(anna.id);
  const ofSession = await TestStream.open(service, { Cookie: anna.cookie ?? '' });
  const ofToken = await TestStream.open(service, { Authorization: `Bearer ${token}` });
  const other = await TestStream.open(service, { Cookie: bert.cookie ?? '' });
  await taken(anna.id, { Role: 'Viewer' });
  await ofSession.over();
  await ofToken.over();
  await other.next('change');
  assert.equal(other.isOver, false);
  await taken(bert.id, { Disabled: true });
  await other.over();
});

test('people see and end their own sessions, an Admin everybody’s', async () => {
  const anna = await join(service, 'anna@example.com', 'Viewer');
  const bert = await join(service, 'bert@example.com', 'Admin', ['plant']);
  const carl = await join(service, 'carl@example.com', 'Admin');
  const list = (browser: PersonBrowser) => browser.get<Session[]>('GET', '/v1/account/sessions');
  const names = async (browser: PersonBrowser) => (await list(browser)).map(({ PersonName }) => PersonName);
  assert.deepEqual(await names(anna), ['anna@example.com']);
  assert.deepEqual(await names(bert), ['bert@example.com']);
  assert.equal((await names(carl)).length, 3);
  const [own] = await list(bert);
  assert.ok(own?.Current);
  assert.equal(own.How, 'Password');
  assert.equal((await anna.ask('DELETE', `/v1/account/sessions/${own.SessionId}`)).status, 404);
  await anna.get('DELETE', '/v1/account/sessions');
  assert.ok(await bert.isIn());
  await carl.get('DELETE', `/v1/account/sessions/${own.SessionId}`);
  assert.equal(await bert.isIn(), false);
  const seen = (await carl.get<Person[]>('GET', '/v1/people')).filter(({ LastSeenTime }) => LastSeenTime !== '');
  assert.equal(seen.length, 3, 'all but the owner, who was never there');
});

if (onPostgres)
  void test('rights that shrink or end at one node end streams at another', async (t) => {
    const cluster = await startTestCluster(2);
    t.after(() => cluster.end());
    const [here, there] = cluster.nodes;
    assert.ok(here && there);
    const { TokenId, Token } = (await (
      await here.call('POST', '/v1/account/tokens', { Name: 'of a script', Owner: 'account' })
    ).json()) as { TokenId: string; Token: string };
    const ofToken = { Authorization: `Bearer ${Token}` };
    const tokenStream = await TestStream.open(there, ofToken);
    assert.equal((await here.call('DELETE', `/v1/account/tokens/${TokenId}`)).status, 200);
    await tokenStream.over();
    assert.equal((await there.call('GET', '/v1/me', undefined, ofToken)).status, 401);

    const person = (id: string, body: object) => here.call('PATCH', `/v1/people/${id}`, body);
    const ends: Record<string, (id: string, browser: PersonBrowser) => Promise<Response>> = {
      'a lesser role': (id) => person(id, { Role: 'Viewer' }),
      disabled: (id) => person(id, { Disabled: true }),
      removed: (id) => here.call('DELETE', `/v1/people/${id}`),
      'signed out everywhere else': (_, browser) => browser.ask('DELETE', '/v1/account/sessions'),
    };
    for (const [at, [how, end]] of Object.entries(ends).entries()) {
      const email = `person-${at}@example.com`;
      const anna = await join(here, email, 'Operator');
      const Cookie = anna.cookie ?? '';
      const stream = await TestStream.open(there, { Cookie });
      const again = new PersonBrowser(here.url);
      await again.signIn(email);
      assert.equal((await end(anna.id, again)).status, 200, how);
      await stream.over();
      assert.equal((await fetch(new URL('/v1/me', there.url), { headers: { Cookie } })).status, 401, how);
    }
  });

test('a browser that an Admin left open yields no link for a new password of that Admin', async () => {
  const admin = await join(service, 'admin@example.com', 'Admin');
  const own = await admin.ask('POST', `/v1/people/${admin.id}/invite`);
  assert.equal(own.status, 409);
  assert.ok(!(await own.text()).includes('#code='));
  const other = await join(service, 'other@example.com');
  assert.equal((await admin.ask('POST', `/v1/people/${other.id}/invite`)).status, 200);
});
