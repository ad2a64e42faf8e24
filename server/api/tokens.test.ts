// API tokens: whose they are, what they may do, how long, and that nobody gets more by making one.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { crc32 } from 'node:zlib';
import type { ApiToken, NewApiToken, Session } from '#/contract/account.ts';
import type { Me } from '#/contract/people.ts';
import { join, PASSWORD, PersonBrowser } from '../auth/test-people.ts';
import { createSigninCode } from '../store/sessions.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

const DAY = 86_400_000;
let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.end());

const at = (after: number) => new Date(service.context.now() + after).toISOString();
const as = (token: string, method: string, path: string, body?: unknown) =>
  service.call(method, path, body, { Authorization: `Bearer ${token}` });
async function read<Answer>(answer: Promise<Response>): Promise<Answer> {
  const response = await answer;
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return JSON.parse(text) as Answer;
}
/** Makes a token with the account's first token, or with another. */
const make = (body: object, token = service.token ?? '') =>
  read<NewApiToken>(as(token, 'POST', '/v1/account/tokens', { Name: 'made', ...body }));
const refused = async (answer: Promise<Response>, status: number, field?: string) => {
  const response = await answer;
  const text = await response.text();
  assert.equal(response.status, status, text);
  if (field) assert.equal((JSON.parse(text) as { errors: { field: string }[] }).errors[0]?.field, field, text);
};
const tokensOf = (token: string) => read<ApiToken[]>(as(token, 'GET', '/v1/account/tokens'));
const tokenIn = (browser: PersonBrowser, body: object = {}) =>
  browser.get<NewApiToken>('POST', '/v1/account/tokens', { Name: 'own', Proof: PASSWORD, ...body });
const me = (token: string) => read<Me>(as(token, 'GET', '/v1/me'));

test('a token says what it is: a prefix for scanners, and a checksum', async () => {
  const { Token } = await make({});
  const [, body = '', sum = ''] = /^(mut_[\w-]{43})([\w-]{6})$/.exec(Token) ?? [];
  assert.equal(Buffer.from(sum, 'base64url').readUInt32BE(), crc32(body));
});

test('a token of before has no checksum, and works as an Admin of the account', async () => {
  const [first] = await tokensOf(service.token ?? '');
  assert.deepEqual([first?.Role, first?.Groups, first?.Owner, first?.ExpiresTime], ['Admin', [], 'account', '']);
});

test('a token has the role, groups and expiry that it was made with, and is listed with them and its last use', async () => {
  const { Token, TokenId } = await make({ Role: 'Deployer', Groups: ['a', 'b', 'a'], ExpiresTime: at(DAY) });
  const { Role, Groups, TokenId: own, PersonId } = await me(Token);
  assert.deepEqual([Role, Groups, own, PersonId], ['Deployer', ['a', 'b'], TokenId, undefined]);
  const listed = (await tokensOf(service.token ?? '')).find((token) => token.TokenId === TokenId);
  assert.deepEqual([listed?.Role, listed?.Groups, listed?.Owner], ['Deployer', ['a', 'b'], 'account']);
  assert.ok(Math.abs(Date.parse(listed?.ExpiresTime ?? '') - service.context.now() - DAY) < 60_000);
  assert.equal(listed?.LastUsedFrom, '127.0.0.1');
  assert.notEqual(listed?.LastUsedTime, '');
});

test('without a role and groups a token gets those of its maker', async () => {
  const operator = await join(service, 'op@x.example', 'Operator', ['a']);
  const { Token } = await tokenIn(operator);
  const { Role, Groups, PersonId } = await me(Token);
  assert.deepEqual([Role, Groups, PersonId], ['Operator', ['a'], operator.id]);
  const again = await make({}, Token);
  assert.deepEqual([(await me(again.Token)).Role, (await me(again.Token)).Groups], ['Operator', ['a']]);
});

test('nobody makes a token with more than they have', async () => {
  const operator = await join(service, 'op@x.example', 'Operator', ['a', 'b']);
  const ask = (body: object) => operator.ask('POST', '/v1/account/tokens', { Name: 'more', Proof: PASSWORD, ...body });
  await refused(ask({ Role: 'Admin' }), 403, 'Role');
  await refused(ask({ Groups: [] }), 403, 'Groups');
  await refused(ask({ Groups: ['a', 'c'] }), 403, 'Groups');
  await refused(ask({ Groups: ['c'] }), 403, 'Groups');
  await refused(ask({ Owner: 'account' }), 403);
  assert.deepEqual((await me((await tokenIn(operator, { Role: 'Viewer', Groups: ['b'] })).Token)).Groups, ['b']);
});

test('an Admin limited to groups makes no token without limits, for themselves or the account', async () => {
  const admin = await join(service, 'admin@x.example', 'Admin', ['a']);
  for (const Owner of ['me', 'account']) {
    const body = { Name: 'all', Proof: PASSWORD, Owner };
    await refused(admin.ask('POST', '/v1/account/tokens', { ...body, Groups: [] }), 403, 'Groups');
    const { Token } = await admin.get<NewApiToken>('POST', '/v1/account/tokens', body);
    assert.deepEqual((await me(Token)).Groups, ['a']);
    await refused(as(Token, 'POST', '/v1/account/tokens', { Name: 'all', Groups: [] }), 403, 'Groups');
  }
});

test('a token of the account needs the role Admin, whoever the token belongs to', async () => {
  const operator = await make({ Role: 'Operator' });
  await refused(as(operator.Token, 'POST', '/v1/account/tokens', { Name: 'x' }), 403);
  await refused(as(operator.Token, 'POST', '/v1/account/tokens', { Name: 'x', Owner: 'me' }), 400, 'Owner');
  // The token of a person who is an Admin, made as an Operator's.
  const admin = await join(service, 'admin@x.example', 'Admin');
  const lesser = await tokenIn(admin, { Role: 'Operator' });
  await refused(as(lesser.Token, 'POST', '/v1/account/tokens', { Name: 'x', Owner: 'account' }), 403);
  await refused(as(lesser.Token, 'POST', '/v1/account/tokens', { Name: 'x', Role: 'Admin' }), 403, 'Role');
});

test('when a role shrinks, the person’s tokens shrink at once, and do not grow again with it', async () => {
  const person = await join(service, 'p@x.example', 'Operator', ['a', 'b']);
  const { Token } = await tokenIn(person);
  const elsewhere = await tokenIn(person, { Groups: ['b'] });
  const change = (body: object) => service.call('PATCH', `/v1/people/${person.id}`, body);
  assert.equal((await change({ Role: 'Viewer', Groups: ['a'] })).status, 200);
  assert.deepEqual([(await me(Token)).Role, (await me(Token)).Groups], ['Viewer', ['a']]);
  assert.equal((await as(elsewhere.Token, 'GET', '/v1/me')).status, 401, 'nothing is left of it');
  await change({ Role: 'Admin', Groups: [] });
  assert.deepEqual([(await me(Token)).Role, (await me(Token)).Groups], ['Viewer', ['a']]);
  await change({ Disabled: true });
  assert.equal((await as(Token, 'GET', '/v1/me')).status, 401);
});

test('a removed person’s tokens end, those of the account go on', async () => {
  const person = await join(service, 'p@x.example', 'Admin');
  const [own, account] = [await tokenIn(person), await tokenIn(person, { Owner: 'account' })];
  assert.equal((await service.call('DELETE', `/v1/people/${person.id}`)).status, 200);
  assert.equal((await as(own.Token, 'GET', '/v1/me')).status, 401);
  assert.equal((await me(account.Token)).Role, 'Admin');
});

test('a token ends at its time by the corrected clock, and sessions that were opened with it', async () => {
  const { Token } = await make({ ExpiresTime: at(2 * DAY) });
  const browser = new PersonBrowser(service.url);
  await browser.ask('POST', '/auth/session', { Token });
  await refused(as(service.token ?? '', 'POST', '/v1/account/tokens', { Name: 'x', ExpiresTime: at(-1) }), 400);
  // Used now and then, so that the session does not end for want of use.
  for (let hours = 0; hours < 47; hours += 5) {
    service.clock.offset = hours * 3_600_000;
    assert.ok(await browser.isIn(), `${hours} hours`);
  }
  service.clock.offset = 2 * DAY + 1_000;
  assert.equal((await as(Token, 'GET', '/v1/me')).status, 401);
  assert.ok(!(await browser.isIn()));
  assert.equal((await browser.ask('POST', '/auth/session', { Token })).status, 401);
});

test('the date counts: a clock that was set back is waited for, one that was set ahead ends the token', async () => {
  const { Token } = await make({ ExpiresTime: at(DAY) });
  service.clock.set = -DAY;
  await service.context.clock.check();
  service.clock.offset = DAY + 60_000;
  assert.equal((await as(Token, 'GET', '/v1/me')).status, 200);
  service.clock.set = 0;
  await service.context.clock.check();
  assert.equal((await as(Token, 'GET', '/v1/me')).status, 401);
});

test('a token makes none that outlives it, and neither does a session that was opened with it', async () => {
  const { Token } = await make({ ExpiresTime: at(DAY) });
  await refused(as(Token, 'POST', '/v1/account/tokens', { Name: 'x', ExpiresTime: at(2 * DAY) }), 403, 'ExpiresTime');
  const next = await make({}, Token);
  const browser = new PersonBrowser(service.url);
  await browser.ask('POST', '/auth/session', { Token });
  const ask = { Name: 'x', Proof: Token, ExpiresTime: at(2 * DAY) };
  await refused(browser.ask('POST', '/v1/account/tokens', ask), 403, 'ExpiresTime');
  service.clock.offset = DAY + 1_000;
  assert.equal((await as(next.Token, 'GET', '/v1/me')).status, 401);
});

test('a session has the rights of its token, also in what it makes', async () => {
  const { Token } = await make({ Role: 'Viewer', Groups: ['a'] });
  const browser = new PersonBrowser(service.url);
  await browser.ask('POST', '/auth/session', { Token });
  const { Role, Groups } = await browser.get<Me>('GET', '/v1/me');
  assert.deepEqual([Role, Groups], ['Viewer', ['a']]);
  // A proof does not add anything.
  await refused(browser.ask('POST', '/v1/account/tokens', { Name: 'x', Proof: service.token }), 403);
  const [session] = await browser.get<Session[]>('GET', '/v1/account/sessions');
  assert.ok(session?.Current);
});

test('one sees and revokes one’s own tokens; an Admin of all groups those of everybody', async () => {
  const [ann, bob] = [await join(service, 'ann@x.example', 'Admin', ['a']), await join(service, 'bob@x.example')];
  const [anns, bobs] = [await tokenIn(ann), await tokenIn(bob)];
  const seen = async (browser: PersonBrowser) =>
    (await browser.get<ApiToken[]>('GET', '/v1/account/tokens')).map(({ TokenId }) => TokenId);
  assert.deepEqual([await seen(ann), await seen(bob)], [[anns.TokenId], [bobs.TokenId]]);
  assert.equal((await ann.ask('DELETE', `/v1/account/tokens/${bobs.TokenId}`)).status, 404);
  assert.equal((await bob.ask('DELETE', `/v1/account/tokens/${anns.TokenId}`)).status, 404);
  // A token of the account without the role sees itself.
  const viewer = await make({ Role: 'Viewer' });
  assert.deepEqual(
    (await tokensOf(viewer.Token)).map(({ TokenId }) => TokenId),
    [viewer.TokenId],
  );
  assert.equal((await as(viewer.Token, 'DELETE', `/v1/account/tokens/${bobs.TokenId}`)).status, 404);
  const all = await tokensOf(service.token ?? '');
  assert.deepEqual(
    all.map(({ Owner, OwnerName }) => [Owner, OwnerName ?? '']),
    [
      ['account', ''],
      ['person', 'ann@x.example'],
      ['person', 'bob@x.example'],
      ['account', ''],
    ],
  );
  assert.equal((await service.call('DELETE', `/v1/account/tokens/${bobs.TokenId}`)).status, 200);
  assert.equal((await as(bobs.Token, 'GET', '/v1/me')).status, 401);
});

test('an Admin of some groups sees and revokes the account’s tokens within them, and no others', async () => {
  const ann = await join(service, 'ann@x.example', 'Admin', ['a', 'b']);
  const bob = await join(service, 'bob@x.example', 'Admin', ['a']);
  const bobs = await tokenIn(bob, { Owner: 'me' });
  const within = await tokenIn(ann, { Owner: 'account', Groups: ['b'] });
  const own = await tokenIn(ann, { Owner: 'me', Role: 'Viewer' });
  const outside = [
    await make({ Name: 'other', Groups: ['c'] }),
    await make({ Name: 'across', Groups: ['b', 'c'] }),
    await make({ Name: 'everything' }),
    bobs,
  ];
  const seen = async () =>
    (await ann.get<ApiToken[]>('GET', '/v1/account/tokens')).map(({ TokenId, Owner }) => [TokenId, Owner]);
  assert.deepEqual(await seen(), [
    [within.TokenId, 'account'],
    [own.TokenId, 'me'],
  ]);
  for (const { TokenId, Token } of outside) {
    assert.equal((await ann.ask('DELETE', `/v1/account/tokens/${TokenId}`)).status, 404);
    assert.equal((await as(Token, 'GET', '/v1/me')).status, 200);
  }
  assert.equal((await ann.ask('DELETE', `/v1/account/tokens/${within.TokenId}`)).status, 200);
  assert.equal((await as(within.Token, 'GET', '/v1/me')).status, 401);

  // A token of the account does the same, and so does one that was made for fewer groups.
  const [ofB, ofBoth] = [await make({ Groups: ['b'] }), await make({ Groups: ['a', 'b'] })];
  assert.deepEqual(
    (await tokensOf(ofB.Token)).map(({ TokenId }) => TokenId),
    [ofB.TokenId],
  );
  assert.equal((await as(ofB.Token, 'DELETE', `/v1/account/tokens/${ofBoth.TokenId}`)).status, 404);
  assert.equal((await as(ofBoth.Token, 'DELETE', `/v1/account/tokens/${ofB.TokenId}`)).status, 200);
  // Only an Admin: an Operator of the groups has their own.
  const operator = await make({ Role: 'Operator', Groups: ['a', 'b'] });
  assert.deepEqual(
    (await tokensOf(operator.Token)).map(({ TokenId }) => TokenId),
    [operator.TokenId],
  );
});

test('a proof is the password, or a token of one’s own or of the account with at least the same rights', async () => {
  const [ann, bob] = [await join(service, 'ann@x.example', 'Operator'), await join(service, 'bob@x.example', 'Admin')];
  const prove = (Proof?: string) => ann.ask('POST', '/v1/account/tokens', { Name: 'x', ...(Proof && { Proof }) });
  await refused(prove(), 400, 'Proof');
  await refused(prove('another password'), 403, 'Proof');
  await refused(prove((await tokenIn(bob)).Token), 403, 'Proof');
  await refused(prove((await make({ Role: 'Viewer' })).Token), 403, 'Proof');
  assert.equal((await prove((await make({ Role: 'Operator' })).Token)).status, 200);
  assert.equal((await prove((await tokenIn(ann)).Token)).status, 200);
  assert.equal((await prove(PASSWORD)).status, 200);
  const code = await service.context.db.write((tx) => createSigninCode(tx, 1, service.context.now()));
  assert.equal((await prove(`${service.url}/sign-in#code=${code}`)).status, 200);
});

test('the same Idempotency-Key gives nobody the token of somebody else', async () => {
  const [ann, bob] = [await join(service, 'ann@x.example'), await join(service, 'bob@x.example')];
  const ask = (browser: PersonBrowser) =>
    browser.ask('POST', '/v1/account/tokens', { Name: 'x', Proof: PASSWORD }, { 'Idempotency-Key': 'one-key' });
  assert.equal((await ask(ann)).status, 200);
  assert.equal((await ask(ann)).status, 200);
  assert.equal((await ask(bob)).status, 409);
});
