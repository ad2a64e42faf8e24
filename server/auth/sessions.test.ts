// Signing in, staying signed in and signing out, as a browser does it.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { Session } from '#/contract/account.ts';
import type { ProblemBody } from '#/contract/problem.ts';
import { createSigninCode } from '../store/sessions.ts';
import { createToken } from '../store/tokens.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.end());

/** A browser: stores one cookie and sends the origin of its page. */
class Browser {
  cookie: string | undefined;
  setCookie = '';

  async ask(method: string, at: string, body?: unknown, origin: string | undefined = service.url): Promise<Response> {
    const response = await fetch(new URL(at, service.url), {
      method,
      headers: {
        ...(this.cookie !== undefined && { Cookie: this.cookie }),
        ...(method !== 'GET' && origin !== undefined && { Origin: origin }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    this.setCookie = response.headers.get('Set-Cookie') ?? '';
    if (this.setCookie) this.cookie = this.setCookie.split(';')[0];
    return response;
  }

  signIn = (body: unknown = { Token: service.token }) => this.ask('POST', '/auth/session', body);
  isIn = async () => (await this.ask('GET', '/v1/account')).status === 200;
}

async function signedIn(): Promise<Browser> {
  const browser = new Browser();
  assert.equal((await browser.signIn()).status, 200);
  return browser;
}
const code = () => new URL(service.signinLink).hash.replace('#code=', '');

test('a token is exchanged for a cookie that no script can read', async () => {
  const browser = new Browser();
  assert.deepEqual(await (await browser.ask('GET', '/auth/session')).json(), {
    SignedIn: false,
    Methods: ['token'],
    Service: 'muster',
    Version: '0.1.0',
  });
  const response = await browser.signIn();
  assert.deepEqual(await response.json(), { UserEmail: 'operator@localhost' });
  assert.equal(response.headers.get('Cache-Control'), 'no-store');
  assert.match(browser.setCookie, /^muster_\w+=[^;]{22,}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800$/);
  assert.ok(!browser.setCookie.includes(service.token ?? ''));
  assert.deepEqual(await (await browser.ask('GET', '/auth/session')).json(), {
    SignedIn: true,
    UserEmail: 'operator@localhost',
    Methods: ['token'],
    Service: 'muster',
    Version: '0.1.0',
  });
  assert.ok(await browser.isIn());
  const stored = service.context.db.get<Record<string, unknown>>('SELECT * FROM sessions');
  for (const value of Object.values(stored ?? {})) assert.notEqual(String(value), browser.cookie?.split('=')[1]);
});

test('behind https the cookie is bound to the host and never sent without it', async () => {
  await service.end();
  service = await startTestService({ PUBLIC_URL: 'https://muster.example.com' });
  const response = await fetch(`http://127.0.0.1:${service.port}/auth/session`, {
    method: 'POST',
    headers: { Origin: 'https://muster.example.com' },
    body: JSON.stringify({ Token: service.token }),
  });
  assert.match(response.headers.get('Set-Cookie') ?? '', /^__Host-muster_\w+=[^;]+; Path=\/; HttpOnly; .*; Secure$/);
  assert.equal(response.headers.get('Strict-Transport-Security'), 'max-age=31536000');
});

test('two services on one host do not share a cookie name', async () => {
  const other = await startTestService();
  assert.notEqual(other.context.instanceId, service.context.instanceId);
  await other.end();
});

test('the printed link signs in once', async () => {
  const browser = new Browser();
  assert.equal((await browser.signIn({ Code: code() })).status, 200);
  assert.ok(await browser.isIn());
  assert.equal((await new Browser().signIn({ Code: code() })).status, 401);
});

test('the printed link signs in for ten minutes', async () => {
  service.clock.offset = 10 * MINUTE;
  assert.equal((await new Browser().signIn({ Code: code() })).status, 401);
});

test('a restart ends the link of the start before, and keeps sessions', async () => {
  const browser = await signedIn();
  const before = code();
  await service.close();
  service = await startTestService({ PORT: String(service.port) }, service.dataDir);
  assert.equal((await new Browser().signIn({ Code: before })).status, 401);
  assert.ok(await browser.isIn());
});

test('what is no token and no code is refused without a cookie', async () => {
  for (const body of [{ Token: 'wrong' }, { Code: 'wrong' }]) {
    const browser = new Browser();
    const response = await browser.signIn(body);
    assert.equal(response.status, 401);
    assert.equal(browser.cookie, undefined);
    assert.ok(!(await response.text()).includes('wrong'));
  }
  for (const body of [{}, { Token: 5 }, [], 'x']) assert.equal((await new Browser().signIn(body)).status, 400);
});

test('too many failed sign-ins: 429 with a time for what is wrong; a right token or link gets in', async () => {
  for (let attempt = 0; attempt < 10; attempt++)
    assert.equal((await new Browser().signIn({ Token: 'wrong' })).status, 401);
  for (const wrong of [{ Token: 'wrong' }, { Code: 'wrong' }, { Token: '' }]) {
    const refused = await new Browser().signIn(wrong);
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers.get('Retry-After')) >= 1);
  }
  await signedIn();
  assert.equal((await new Browser().signIn({ Code: code() })).status, 200);
  assert.equal((await service.call('GET', '/v1/account')).status, 200);
  assert.equal((await new Browser().signIn({ Token: 'wrong' })).status, 429, 'a success does not set it back');
  const audited = await service.context.db.get<{ count: number }>(
    "SELECT count(*) AS count FROM audit WHERE outcome = 'refused'",
  );
  assert.equal(audited?.count, 10, 'nobody fills the log by guessing');
  service.clock.offset = MINUTE;
  await signedIn();
});

test("a browser's changes need the exact origin; reading and API clients do not", async () => {
  const browser = await signedIn();
  const create = (origin: string | undefined) =>
    browser.ask('POST', '/v1/devices', { DeviceName: 'a', DeviceGroup: '' }, origin);
  const port = new URL(service.url).port;
  for (const origin of [
    'null',
    '',
    'https://evil.example',
    `${service.url}.evil.example`,
    `http://localhost:${port}`,
  ]) {
    const response = await create(origin);
    assert.equal(response.status, 403, origin);
    assert.match(((await response.json()) as { detail: string }).detail, new RegExp(service.url));
  }
  const bare = await fetch(new URL('/v1/devices', service.url), {
    method: 'POST',
    headers: { Cookie: browser.cookie ?? '' },
    body: '{"DeviceName":"a","DeviceGroup":""}',
  });
  assert.equal(bare.status, 403, 'no Origin at all');
  assert.equal((await create(service.url)).status, 200);
  assert.equal((await browser.ask('GET', '/v1/account')).status, 200);
  const client = await service.call('POST', '/v1/devices', { DeviceName: 'b', DeviceGroup: '' });
  assert.equal(client.status, 200);
});

test('nobody is signed in by a page of another site', async () => {
  for (const origin of ['null', 'https://evil.example'])
    assert.equal((await new Browser().ask('POST', '/auth/session', { Token: service.token }, origin)).status, 403);
});

test('no answer lets another origin read it', async () => {
  const response = await fetch(new URL('/v1/account', service.url), {
    headers: { Authorization: `Bearer ${service.token}`, Origin: 'https://evil.example' },
  });
  assert.equal(response.headers.get('Access-Control-Allow-Origin'), null);
});

test('a header that is there counts alone: a bad token is not helped by a good cookie', async () => {
  const browser = await signedIn();
  const response = await fetch(new URL('/v1/account', service.url), {
    headers: { Cookie: browser.cookie ?? '', Authorization: 'Bearer wrong' },
  });
  assert.equal(response.status, 401);
});

test('the value of the cookie changes with use; the one before works for a minute', async () => {
  const browser = await signedIn();
  const first = browser.cookie;
  service.clock.offset = 14 * MINUTE;
  assert.ok(await browser.isIn());
  assert.equal(browser.cookie, first, 'not yet');

  service.clock.offset = 16 * MINUTE;
  assert.ok(await browser.isIn());
  assert.notEqual(browser.cookie, first);
  const second = browser.cookie;

  const late = new Browser();
  late.cookie = first;
  service.clock.offset += 59_000;
  assert.ok(await late.isIn(), 'a request that was under way');
  assert.equal(late.cookie, second, 'and is told the new value, in case the first answer was lost');
  late.cookie = first;
  service.clock.offset += 1_000;
  assert.ok(!(await late.isIn()));
  assert.ok(await browser.isIn());
});

test('requests that come together rotate once, and all of them work', async () => {
  const browser = await signedIn();
  service.clock.offset = 16 * MINUTE;
  const asked = Array.from({ length: 8 }, async () => {
    const same = new Browser();
    same.cookie = browser.cookie;
    return { ok: await same.isIn(), cookie: same.cookie };
  });
  const results = await Promise.all(asked);
  assert.ok(results.every(({ ok }) => ok));
  assert.equal(new Set(results.map(({ cookie }) => cookie)).size, 1);
});

test('a session that is not used ends after 12 hours', async () => {
  const [used, unused] = [await signedIn(), await signedIn()];
  service.clock.offset = 11 * HOUR;
  assert.ok(await used.isIn());
  service.clock.offset = 12 * HOUR;
  assert.ok(await used.isIn());
  assert.ok(!(await unused.isIn()));
});

test('a session ends after 7 days, however much it is used', async () => {
  const browser = await signedIn();
  for (let hours = 10; hours < 7 * 24; hours += 10) {
    service.clock.offset = hours * HOUR;
    assert.ok(await browser.isIn(), `after ${hours} hours`);
  }
  service.clock.offset = 7 * 24 * HOUR;
  assert.ok(!(await browser.isIn()));
});

test('a clock that was ten years behind or ahead for a while ends no session that was not used meanwhile', async () => {
  const browser = await signedIn();
  for (const years of [-10, 10]) {
    service.clock.offset = years * 365 * 24 * HOUR;
    await signedIn();
    service.clock.offset = 0;
    assert.ok(await browser.isIn(), `after ${years} years`);
  }
});

test('a session that a clock ten years ahead has opened does not last ten years', async () => {
  service.clock.offset = 10 * 365 * 24 * HOUR;
  const browser = await signedIn();
  service.clock.offset = 0;
  assert.ok(!(await browser.isIn()));
  await signedIn();
});

test('signing out ends the session on the server, and clears the cookie', async () => {
  const browser = await signedIn();
  const cookie = browser.cookie;
  assert.equal((await browser.ask('DELETE', '/auth/session', undefined, 'https://evil.example')).status, 403);
  assert.equal((await browser.ask('DELETE', '/auth/session')).status, 200);
  assert.match(browser.setCookie, /Max-Age=0/);
  browser.cookie = cookie;
  assert.ok(!(await browser.isIn()));
  assert.equal((await browser.ask('DELETE', '/auth/session')).status, 200, 'twice is no error');
});

test('a session dies with the token that opened it', async () => {
  const made = (await (await service.call('POST', '/v1/account/tokens', { Name: 'mine' })).json()) as {
    Token: string;
    TokenId: string;
  };
  const browser = new Browser();
  await browser.signIn({ Token: made.Token });
  const other = await signedIn();
  assert.ok(await browser.isIn());
  await service.call('DELETE', `/v1/account/tokens/${made.TokenId}`);
  assert.ok(!(await browser.isIn()));
  assert.ok(await other.isIn());
});

test('a changed AUTH_TOKEN ends the one before and its sessions', async () => {
  const browser = await signedIn();
  const before = service.token ?? '';
  await service.close();
  service = await startTestService(
    { PORT: String(service.port), AUTH_TOKEN: 'another-token-for-tests' },
    service.dataDir,
  );
  assert.ok(!(await browser.isIn()));
  const ask = (token: string) => service.call('GET', '/v1/account', undefined, { Authorization: `Bearer ${token}` });
  assert.equal((await ask(before)).status, 401);
  assert.equal((await ask('another-token-for-tests')).status, 200);
});

test('a changed AUTH_TOKEN ends the sessions of sign-in links too; the same one, or a restart, does not', async () => {
  const browser = new Browser();
  assert.equal((await browser.signIn({ Code: code() })).status, 200);
  const again = async (env: Record<string, string>) => {
    await service.close();
    service = await startTestService({ PORT: String(service.port), ...env }, service.dataDir);
  };
  await again({});
  assert.ok(await browser.isIn());
  await again({ AUTH_TOKEN: 'another-token-for-tests' });
  assert.ok(!(await browser.isIn()));
});

const sessionsOf = async (browser: Browser) =>
  (await (await browser.ask('GET', '/v1/account/sessions')).json()) as Session[];

test('sessions are listed without secrets, and ended one by one or all but this one', async () => {
  const [own, byLink, third] = [await signedIn(), new Browser(), await signedIn()];
  await byLink.signIn({ Code: code() });
  const listed = await sessionsOf(own);
  assert.deepEqual(
    listed.map(({ How, TokenName, Address, Current }) => [How, TokenName, Address, Current]),
    [
      ['Link', undefined, '127.0.0.1', false],
      ['Token', 'AUTH_TOKEN', '127.0.0.1', false],
      ['Token', 'AUTH_TOKEN', '127.0.0.1', true],
    ],
  );
  const text = JSON.stringify(listed);
  for (const { cookie } of [own, byLink, third]) assert.ok(!text.includes(cookie?.split('=')[1] ?? 'none'));
  assert.ok(!text.includes(service.token ?? 'none'));

  const link = listed[0]?.SessionId ?? '';
  const end = (id: string, by = own, origin?: string) =>
    by.ask('DELETE', `/v1/account/sessions/${id}`, undefined, origin);
  assert.equal((await end(link, own, 'https://evil.example')).status, 403);
  assert.ok(await byLink.isIn());
  assert.equal((await end(link)).status, 200);
  assert.ok(!(await byLink.isIn()));
  assert.equal((await end(link)).status, 404);
  assert.equal((await own.ask('DELETE', '/v1/account/sessions')).status, 200);
  assert.deepEqual([await own.isIn(), await third.isIn()], [true, false]);
  assert.equal((await sessionsOf(own)).length, 1);
  // With a token there is no current session.
  assert.equal((await service.call('DELETE', '/v1/account/sessions')).status, 200);
  assert.ok(!(await own.isIn()));
  const audited = await service.context.db.all<{ action: string }>(
    "SELECT action FROM audit WHERE action LIKE 'session.end%' ORDER BY seq",
  );
  assert.deepEqual(
    audited.map(({ action }) => action),
    ['session.end', 'session.end-all', 'session.end-all'],
  );
});

test('what is over is not listed, and use is noted', async () => {
  const browser = await signedIn();
  const old = await signedIn();
  service.clock.offset = 11 * HOUR;
  assert.ok(await browser.isIn());
  service.clock.offset = 13 * HOUR;
  assert.ok(!(await old.isIn()));
  const [only, ...others] = await sessionsOf(browser);
  assert.deepEqual([only?.Current, others.length], [true, 0]);
  assert.ok(Date.parse(only?.LastUsedTime ?? '') - Date.parse(only?.CreatedTime ?? '') >= 11 * HOUR);
});

test("another account's sessions are not there", async () => {
  const browser = await signedIn();
  const [own] = await sessionsOf(browser);
  const { secret } = await service.context.db.write(async (tx) => {
    await tx.run(`INSERT INTO accounts (id, email, max_devices, artifact_limit, created) VALUES (2, 'b@b', 5, 5, 0)`);
    return createToken(tx, 2, 'theirs', Date.now());
  });
  const asOther = (method: string, at: string) =>
    service.call(method, at, undefined, { Authorization: `Bearer ${secret}` });
  assert.deepEqual(await (await asOther('GET', '/v1/account/sessions')).json(), []);
  assert.equal((await asOther('DELETE', `/v1/account/sessions/${own?.SessionId}`)).status, 404);
  await asOther('DELETE', '/v1/account/sessions');
  assert.ok(await browser.isIn());
  const foreign = await browser.ask('POST', '/v1/account/tokens', { Name: 'x', Proof: secret });
  assert.equal(foreign.status, 403, 'their token proves nothing here');
});

test('a browser makes a token only with a token, or a fresh link, besides', async () => {
  const browser = new Browser();
  await browser.signIn({ Code: code() });
  const make = (more: object) => browser.ask('POST', '/v1/account/tokens', { Name: 'ci', ...more });
  const refused = async (more: object, status: number) => {
    const response = await make(more);
    const { errors } = (await response.json()) as ProblemBody;
    assert.deepEqual([response.status, errors?.[0]?.field], [status, 'Proof']);
  };
  const count = async () => ((await (await service.call('GET', '/v1/account/tokens')).json()) as unknown[]).length;
  const before = await count();
  await refused({}, 400);
  await refused({ Proof: ' ' }, 400);
  await refused({ Proof: code() }, 403); // it was used up
  await refused({ Proof: browser.cookie?.split('=')[1] }, 403);
  assert.equal(await count(), before);
  const fresh = () => service.context.db.write((tx) => createSigninCode(tx, 1, service.context.now()));
  const link = `${service.url}/sign-in#code=${await fresh()}`;
  assert.equal((await make({ Proof: link })).status, 200);
  await refused({ Proof: link }, 403);
  // Repeated by the browser after a lost answer: the same token, although the link is used up.
  const order = {
    method: 'POST',
    headers: { Cookie: browser.cookie ?? '', Origin: service.url, 'Idempotency-Key': 'one-order' },
    body: JSON.stringify({ Name: 'ci', Proof: await fresh() }),
  };
  const send = async () => (await (await fetch(new URL('/v1/account/tokens', service.url), order)).json()) as object;
  assert.deepEqual(await send(), await send());
  assert.equal((await make({ Proof: ` ${service.token} ` })).status, 200);
  assert.equal(await count(), before + 3);

  // Wrong proofs count like wrong sign-ins, and a right one is still accepted.
  for (let turn = 3; turn < 10; turn += 1) await refused({ Proof: 'wrong' }, 403);
  assert.equal((await make({ Proof: 'wrong' })).status, 429);
  assert.equal((await new Browser().signIn({ Token: 'wrong' })).status, 429);
  assert.equal((await make({ Proof: service.token })).status, 200);
  // An API client already proves itself by its token.
  assert.equal((await service.call('POST', '/v1/account/tokens', { Name: 'ci' })).status, 200);
});

test('an AUTH_TOKEN that was revoked stays revoked at the next start', async () => {
  const [token] = (await (await service.call('GET', '/v1/account/tokens')).json()) as { TokenId: string }[];
  await service.call('DELETE', `/v1/account/tokens/${token?.TokenId}`);
  await service.close();
  service = await startTestService({}, service.dataDir);
  assert.ok(service.context.startup.envTokenRevoked);
  assert.equal((await service.call('GET', '/v1/account')).status, 401);
});

test('signing in again replaces the session that was there', async () => {
  const browser = await signedIn();
  const before = browser.cookie;
  await browser.signIn();
  browser.cookie = before;
  assert.ok(!(await browser.isIn()));
});
