// Signing in at an identity provider: what a good one does, and what a bad one, a thief or another site may try.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { Person } from '#/contract/people.ts';
import type { Role } from '#/contract/permissions.ts';
import type { JoinAnswer } from '#/contract/sign-in.ts';
import { until } from '../../scripts/test-process.ts';
import { startTestSmtp } from '../../scripts/test-smtp.ts';
import { createSigninCode } from '../store/sessions.ts';
import { createToken } from '../store/tokens.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { CLIENT, FakeProvider } from '../../scripts/test-identity-provider.ts';

const ROLES = [
  { Claim: 'bosses', Role: 'Admin' },
  { Claim: 'ops', Role: 'Operator', Groups: ['plant'] },
  { Claim: 'readers', Role: 'Viewer' },
];

let provider: FakeProvider;
let service: TestService;

const settings = (issuer: string) => ({
  OIDC_ISSUER: issuer,
  OIDC_CLIENT_ID: CLIENT.id,
  OIDC_CLIENT_SECRET: CLIENT.secret,
  OIDC_ROLES: JSON.stringify(ROLES),
});

beforeEach(async () => {
  provider = await new FakeProvider().start();
  service = await startTestService(settings(provider.url));
});
afterEach(async () => {
  await service.end();
  await provider.end();
});

/** A browser with the service's cookies, by name. */
class Browser {
  readonly cookies = new Map<string, string>();

  async ask(at: string, { method = 'GET', body }: { method?: string; body?: unknown } = {}): Promise<Response> {
    const response = await fetch(new URL(at, service.url), {
      method,
      redirect: 'manual',
      headers: {
        cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(method !== 'GET' && { origin: service.url }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    for (const each of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }

  /** To the provider and back: where the browser ends, below the service. */
  async signIn(query = ''): Promise<string> {
    return this.comeBack(await this.leave(query));
  }

  /** The address that the provider sends the browser back to. */
  async leave(query = ''): Promise<string> {
    const to = locationOf(await this.ask(`/auth/oidc/start${query}`));
    if (to.startsWith(service.url)) return to;
    return locationOf(await fetch(to, { redirect: 'manual' }));
  }

  async comeBack(address: string): Promise<string> {
    if (!address.includes('/auth/oidc/callback')) return address.replace(service.url, '');
    return locationOf(await this.ask(address)).replace(service.url, '');
  }

  session = async () =>
    (await (await this.ask('/auth/session')).json()) as {
      SignedIn: boolean;
      UserEmail?: string;
      PersonId?: string;
      Methods: string[];
      Provider?: string;
    };
  me = async () => (await (await this.ask('/v1/me')).json()) as { Role: string; Groups: string[]; PersonId: string };
}

const locationOf = (response: Response) => {
  assert.equal(response.status, 302);
  return response.headers.get('location') ?? '';
};

const people = async () => (await (await service.call('GET', '/v1/people')).json()) as Person[];

test('a person signs in at the provider with the role and groups of the first entry that fits', async () => {
  const browser = new Browser();
  const before = await browser.session();
  assert.ok(before.Methods.includes('oidc'));
  assert.equal(before.Provider, new URL(provider.url).host);
  assert.equal(await browser.signIn('?next=/devices%3Fstatus%3DOnline'), '/devices?status=Online');
  assert.equal((await browser.session()).UserEmail, 'ada@example.com');
  const { Role, Groups, PersonId } = await browser.me();
  assert.deepEqual({ Role, Groups }, { Role: 'Operator', Groups: ['plant'] });
  const ada = (await people()).find((each) => each.PersonId === PersonId);
  assert.equal(ada?.Source, 'oidc');
  assert.equal(ada?.RoleSource, 'given by the claim groups: ops');

  // The same person again, in another browser.
  const other = new Browser();
  await other.signIn();
  assert.equal((await other.me()).PersonId, PersonId);
});

test('the request to the provider has PKCE, state, nonce and the exact redirect URI', async () => {
  const url = new URL(locationOf(await new Browser().ask('/auth/oidc/start')));
  const of = (name: string) => url.searchParams.get(name) ?? '';
  assert.equal(of('redirect_uri'), `${service.url}/auth/oidc/callback`);
  assert.equal(of('response_type'), 'code');
  assert.equal(of('code_challenge_method'), 'S256');
  for (const name of ['code_challenge', 'state', 'nonce']) assert.match(of(name), /^[\w-]{43}$/);
});

test('what a browser keeps meanwhile is sealed, for that path only, and not readable by scripts', async () => {
  const response = await new Browser().ask('/auth/oidc/start?next=/jobs');
  const [cookie = ''] = response.headers.getSetCookie();
  assert.match(cookie, /^muster_oidc_\w+=[\w-]+; Path=\/auth\/oidc; HttpOnly; SameSite=Lax; Max-Age=600$/);
  const state = new URL(locationOf(response)).searchParams.get('state') ?? '';
  assert.ok(!Buffer.from(cookie.split(/[=;]/)[1] ?? '', 'base64url').includes(state));
});

test('a session lasts twelve hours at most', async () => {
  const browser = new Browser();
  await browser.signIn();
  service.clock.offset += 6 * 3_600_000;
  assert.equal((await browser.session()).SignedIn, true);
  service.clock.offset += 6 * 3_600_000;
  assert.equal((await browser.session()).SignedIn, false);
});

test('a next that leads to another host leads to the first page', async () => {
  for (const next of [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    '/.//evil.example',
    'javascript:1',
  ]) {
    const browser = new Browser();
    const back = await browser.leave(`?next=${encodeURIComponent(next)}`);
    assert.equal(locationOf(await browser.ask(back)), `${service.url}/`, next);
  }
});

const refusedWith = async (word: string, browser = new Browser()) => {
  assert.equal(await browser.signIn(), `/sign-in?refused=${word}`);
  assert.equal((await browser.session()).SignedIn, false);
};

const CLAIMS: [what: string, claims: Record<string, unknown>][] = [
  ['a wrong nonce', { nonce: 'another' }],
  ['no nonce', { nonce: undefined }],
  ['a wrong issuer', { iss: 'https://evil.example' }],
  ['a wrong audience', { aud: 'another-client' }],
  ['several audiences without ours', { aud: ['one', 'two'] }],
  ['an expired token', { exp: Math.floor(Date.now() / 1000) - 3600 }],
  ['a token of the future', { iat: Math.floor(Date.now() / 1000) + 3600, exp: Math.floor(Date.now() / 1000) + 7200 }],
  ['a token that is not valid yet', { nbf: Math.floor(Date.now() / 1000) + 3600 }],
  ['no subject', { sub: undefined }],
];
for (const [what, claims] of CLAIMS)
  test(`${what} is refused`, async () => {
    provider.wrong = { claims };
    await refusedWith('invalid');
    assert.equal((await people()).length, 1);
  });

test('a token without a signature, or signed with the shared secret, is refused', async () => {
  for (const alg of ['none', 'HS256'] as const) {
    provider.wrong = { alg };
    await refusedWith('invalid');
  }
});

test('a token that was signed with another key is refused', async () => {
  provider.wrong = { foreignKey: true };
  await refusedWith('invalid');
});

test('a provider may change its keys at any time', async () => {
  await new Browser().signIn();
  provider.rotateKey();
  const browser = new Browser();
  assert.equal(await browser.signIn(), '/');
  assert.equal((await browser.session()).SignedIn, true);
});

test('an answer in the name of another issuer is refused before its code is sent anywhere (mix-up)', async () => {
  provider.wrong = { iss: 'https://evil.example' };
  const browser = new Browser();
  assert.equal(await browser.signIn(), '/sign-in?refused=invalid');
  assert.ok(!provider.heard.includes('POST /token'));
});

test('a provider that names another issuer than the setting is not used', async () => {
  provider.wrong = { issuer: 'https://evil.example' };
  await refusedWith('unreachable');
});

test('a code that was used is refused, in the same browser too', async () => {
  const browser = new Browser();
  const back = await browser.leave();
  const kept = new Map(browser.cookies);
  assert.equal(await browser.comeBack(back), '/');
  assert.equal(await browser.comeBack(back), '/sign-in?refused=expired');
  const thief = new Browser();
  for (const [name, value] of kept) thief.cookies.set(name, value);
  assert.equal(await thief.comeBack(back), '/sign-in?refused=invalid');
  assert.equal((await thief.session()).SignedIn, false);
});

test('an answer for another browser is refused', async () => {
  const victim = new Browser();
  const attacker = new Browser();
  const back = await attacker.leave();
  assert.equal(await victim.comeBack(back), '/sign-in?refused=expired');
  await victim.leave();
  assert.equal(await victim.comeBack(back), '/sign-in?refused=expired');
  assert.equal((await victim.session()).SignedIn, false);
});

test('a sign-in that takes longer than ten minutes begins again', async () => {
  const browser = new Browser();
  const back = await browser.leave();
  service.clock.offset += 601_000;
  assert.equal(await browser.comeBack(back), '/sign-in?refused=expired');
});

test('an e-mail address never says who somebody is', async () => {
  await new Browser().signIn();
  // Another subject of the same provider, with the same address.
  provider.who = { ...provider.who, sub: 'mallory' };
  await refusedWith('email-taken');
  // The owner of the service, whose address anybody could type at a provider.
  provider.who = { sub: 'eve', email: 'operator@localhost', groups: ['bosses'] };
  await refusedWith('email-taken');
});

test('the same subject at two providers is two people', async () => {
  await new Browser().signIn();
  const other = await new FakeProvider().start();
  const { dataDir } = service;
  await service.close();
  service = await startTestService(settings(other.url), dataDir);
  await refusedWith('email-taken');
  other.who = { ...other.who, email: 'other@example.com' };
  const browser = new Browser();
  assert.equal(await browser.signIn(), '/');
  assert.equal((await people()).filter(({ Source }) => Source === 'oidc').length, 2);
  await other.end();
});

test('nobody without a role gets in, and an account without entry for everybody lets in nobody else', async () => {
  for (const groups of [[], ['others'], undefined, 'others', [{}], ['*']]) {
    provider.who = { sub: 'ada', email: 'ada@example.com', groups };
    await refusedWith('no-role');
  }
  assert.equal((await people()).length, 1);
});

test('a role that shrank at the provider ends the other sessions of that person', async () => {
  provider.who['groups'] = ['readers', 'ops'];
  const first = new Browser();
  await first.signIn();
  assert.deepEqual((await first.me()).Groups, ['plant']);
  provider.who['groups'] = ['readers'];
  const second = new Browser();
  await second.signIn();
  assert.equal((await second.me()).Role, 'Viewer');
  assert.equal((await first.session()).SignedIn, false);

  provider.who['groups'] = [];
  await refusedWith('no-role');
});

test('a person whom an Admin has disabled stays out', async () => {
  const browser = new Browser();
  await browser.signIn();
  const { PersonId } = await browser.me();
  await service.call('PATCH', `/v1/people/${PersonId}`, { Disabled: true });
  await refusedWith('disabled');
});

/** The owner, in a browser that was opened by a printed link. */
async function owner(): Promise<Browser> {
  const browser = new Browser();
  assert.equal((await browser.ask('/auth/session', { method: 'POST', body: { Code: await newProof() } })).status, 200);
  return browser;
}
/** The code of a new link; those before end. */
const newProof = () => service.context.db.write((tx) => createSigninCode(tx, 1, service.context.now()));
const askToJoin = (browser: Browser, Proof?: string) =>
  browser.ask('/auth/oidc/join', { method: 'POST', body: { Proof } });
/** The address that the provider sends the browser back to. */
async function leaveToJoin(browser: Browser, proof?: string): Promise<string> {
  const answer = await askToJoin(browser, proof ?? (await newProof()));
  assert.equal(answer.status, 200);
  return locationOf(await fetch(((await answer.json()) as JoinAnswer).Url, { redirect: 'manual' }));
}
const join = async (browser: Browser, proof?: string) => browser.comeBack(await leaveToJoin(browser, proof));
/** A browser that is signed in with a new token of a person. */
async function byToken(PersonId: string, role: Role): Promise<Browser> {
  const { secret } = await service.context.db.write((tx) =>
    createToken(tx, 1, 'theirs', service.context.now(), { personId: PersonId, rights: { role } }),
  );
  const browser = new Browser();
  await browser.ask('/auth/session', { method: 'POST', body: { Token: secret } });
  return browser;
}

test('an identity is joined to a person from a session of that person, with a proof', async () => {
  provider.who['groups'] = ['bosses'];
  assert.equal((await askToJoin(new Browser(), await newProof())).status, 401);
  const account = new Browser();
  await account.ask('/auth/session', { method: 'POST', body: { Token: service.token ?? '' } });
  assert.equal((await askToJoin(account, await newProof())).status, 409);

  const browser = await owner();
  const { PersonId } = await browser.me();
  for (const [proof, status] of [
    [undefined, 400],
    ['not a proof', 403],
    ['mut_wrong', 403],
  ] as const)
    assert.equal((await askToJoin(browser, proof)).status, status, proof);
  assert.equal(await join(browser), '/settings/sign-in');
  const elsewhere = new Browser();
  assert.equal(await elsewhere.signIn(), '/');
  assert.equal((await elsewhere.me()).PersonId, PersonId);
});

test('a session that was opened with a token of the person joins nothing, whatever the token may do', async () => {
  provider.who = { sub: 'mallory', email: 'mallory@example.com', groups: ['bosses'] };
  const { PersonId } = await (await owner()).me();
  for (const role of ['Viewer', 'Admin'] as const) {
    const thief = await byToken(PersonId, role);
    assert.equal((await askToJoin(thief, await newProof())).status, 403);
    // Nor by the address that joined without a proof in earlier versions.
    assert.equal(await thief.signIn('?join=1'), '/');
    assert.notEqual((await thief.me()).PersonId, PersonId);
  }
  const person = (await people()).find((each) => each.PersonId === PersonId);
  assert.deepEqual(
    { Source: person?.Source, Email: person?.Email },
    { Source: 'password', Email: 'operator@localhost' },
  );
});

test('a proof of somebody with less joins nothing', async () => {
  const browser = await owner();
  const { PersonId } = await browser.me();
  const { db, now } = service.context;
  const { secret } = await db.write((tx) =>
    createToken(tx, 1, 'lesser', now(), { personId: PersonId, rights: { role: 'Operator' } }),
  );
  assert.equal((await askToJoin(browser, secret)).status, 403);
  const { count } = (await db.get<{ count: number }>(
    "SELECT count(*) AS count FROM audit WHERE action = 'person.join' AND outcome = 'refused'",
  ))!;
  assert.equal(count, 1);
});

test('another site makes nobody join', async () => {
  const browser = await owner();
  const answer = await fetch(new URL('/auth/oidc/join', service.url), {
    method: 'POST',
    headers: {
      cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      origin: 'https://evil.example',
    },
    body: JSON.stringify({ Proof: await newProof() }),
  });
  assert.equal(answer.status, 403);
});

test('a sign-in at the provider proves for ten minutes who is there', async () => {
  const browser = new Browser();
  await browser.signIn();
  const make = () => browser.ask('/v1/account/tokens', { method: 'POST', body: { Name: 'made' } });
  service.clock.offset += 599_000;
  assert.equal((await make()).status, 200);
  service.clock.offset += 2_000;
  const late = await make();
  assert.equal(late.status, 400);
  assert.match(await late.text(), /"field":"Proof"/);
  assert.equal((await askToJoin(browser)).status, 400);
});

test('joining ends the other sessions, and is told to the address that the person had', async () => {
  const smtp = await startTestSmtp();
  await service.end();
  service = await startTestService({ ...settings(provider.url), SMTP_URL: smtp.url, SMTP_FROM: 'muster@example.com' });
  provider.who['groups'] = ['bosses'];
  const [browser, other] = [await owner(), await owner()];
  assert.equal((await other.session()).SignedIn, true);
  assert.equal(await join(browser), '/settings/sign-in');
  assert.equal((await browser.session()).UserEmail, 'ada@example.com');
  assert.equal((await other.session()).SignedIn, false);
  await until('the message', () => smtp.received.length > 0);
  const [mail] = smtp.received;
  assert.deepEqual(mail?.to, ['operator@localhost']);
  assert.match(mail.text, /If you did not do this/);
  await smtp.close();
});

test('a session that ended while the person was at the provider joins nothing', async () => {
  provider.who['groups'] = ['bosses'];
  const browser = await owner();
  const back = await leaveToJoin(browser);
  await browser.ask('/auth/session', { method: 'DELETE' });
  assert.equal(await browser.comeBack(back), '/sign-in?refused=not-signed-in&next=%2Fsettings%2Fsign-in');
  assert.equal((await people()).length, 1);
});

test('the last Admin is not made less by joining or signing in', async () => {
  assert.match(await join(await owner()), /^\/sign-in\?refused=last-admin&/);
  const [person] = await people();
  assert.deepEqual({ Role: person?.Role, Source: person?.Source }, { Role: 'Admin', Source: 'password' });
});

test('an identity of somebody else is not joined', async () => {
  await new Browser().signIn();
  provider.who['groups'] = ['bosses'];
  assert.match(await join(await owner()), /^\/sign-in\?refused=identity-taken&/);
});

test('a provider that does not answer joins nothing', async () => {
  const browser = await owner();
  provider.isUp = false;
  assert.equal((await askToJoin(browser, await newProof())).status, 502);
  provider.isUp = true;
});

test('signing out names the page of the provider, with the ID token as a hint', async () => {
  const browser = new Browser();
  await browser.signIn();
  const response = await browser.ask('/auth/session', { method: 'DELETE' });
  const { SignOutUrl } = (await response.json()) as { SignOutUrl: string };
  const url = new URL(SignOutUrl);
  assert.equal(url.origin + url.pathname, `${provider.url}/end`);
  assert.equal(url.searchParams.get('post_logout_redirect_uri'), `${service.url}/sign-in`);
  assert.match(url.searchParams.get('id_token_hint') ?? '', /^[\w-]+\.[\w-]+\.[\w-]+$/);
  assert.equal((await browser.session()).SignedIn, false);
});

test('a provider that is down stops neither the service nor other ways to sign in, and is asked again', async () => {
  provider.isUp = false;
  await refusedWith('unreachable');
  const browser = new Browser();
  const Code = new URL(service.signinLink).hash.replace('#code=', '');
  assert.equal((await browser.ask('/auth/session', { method: 'POST', body: { Code } })).status, 200);
  provider.isUp = true;
  assert.equal(await new Browser().signIn(), '/');
});

test('an error of the provider is said in words of ours', async () => {
  const browser = new Browser();
  const back = new URL(await browser.leave());
  back.searchParams.delete('code');
  back.searchParams.set('error', 'access_denied');
  back.searchParams.set('error_description', '<b>Call 0900-12345</b>');
  assert.equal(await browser.comeBack(back.href), '/sign-in?refused=denied');
});
