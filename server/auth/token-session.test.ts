// What a session that was opened with a token may do to the person whose token it is: nothing. Whoever finds a token, however
// little it may do, must not become the person. Each route that changes a person has its decision here.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Role } from '#/contract/permissions.ts';
import type { Operations } from '#/contract/resource.ts';
import { CLIENT, FakeProvider } from '../../scripts/test-identity-provider.ts';
import type { Operation } from '../api/operation.ts';
import { createApp } from '../app.ts';
import { API } from '../http/api-groups.ts';
import { createSigninCode } from '../store/sessions.ts';
import { createToken } from '../store/tokens.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { addSecondFactor, join, PASSWORD, PersonBrowser } from './test-people.ts';

const NEW_PASSWORD = 'nine boats on the lake';

/** The person of a token, and what is theirs. */
interface Victim {
  id: string;
  session: string;
  token: string;
}
interface Try {
  path?: (victim: Victim) => string;
  body?: object;
  /** The body is a fresh proof. */
  proves?: true;
  /** The answer to a token that may only read, and to one that may do all that its person, an Admin, may. */
  viewer: number;
  admin: number;
}
/** Why a request changes nothing of the person. */
type Decision = Try[] | string;

const refused = (more: Omit<Try, 'viewer' | 'admin'> = {}): Try => ({ ...more, viewer: 403, admin: 403 });
const ofAccount = 'It is about the account or about others, and needs the role Admin.';

const DECISIONS: Record<string, Decision> = {
  'GET /auth/session': 'It reads who is signed in.',
  'POST /auth/session': 'Signing in as somebody else ends only this session.',
  'DELETE /auth/session': 'Signing out ends only this session.',
  'POST /auth/accept': 'It is about the person of the link, whoever is signed in.',
  'POST /auth/reset': 'Anybody may ask for the mail, which goes to the person.',
  'POST /auth/password': [refused({ body: { Old: PASSWORD, New: NEW_PASSWORD } })],
  'POST /auth/otp/begin': [refused({ body: { Password: PASSWORD } })],
  'POST /auth/otp/confirm': [refused({ body: { Setup: 'x', Otp: '000000' } })],
  'POST /auth/otp/remove': [refused({ body: { Password: PASSWORD } })],
  'GET /auth/oidc/start': 'Signing in as somebody else ends only this session.',
  'GET /auth/oidc/callback': 'It ends what start or join began.',
  'POST /auth/oidc/join': [refused({ proves: true })],
  'GET /v1/me': 'It reads who is signed in.',
  'POST /v1/people': ofAccount,
  'POST /v1/people/:person_id/invite': [{ viewer: 403, admin: 409 }],
  'PATCH /v1/people/:person_id': [
    refused({ body: { Name: 'Mallory' } }),
    refused({ body: { Role: 'Viewer' } }),
    refused({ body: { Groups: ['a'] } }),
    refused({ body: { Disabled: true } }),
    refused({ body: { SecondFactor: false } }),
  ],
  'DELETE /v1/people/:person_id': [refused()],
  'PATCH /v1/account': ofAccount,
  'GET /v1/account/tokens': 'It lists this token, to an Admin all of the account.',
  'POST /v1/account/tokens': 'The new one may do no more than this one, lasts no longer, and needs a proof.',
  // An Admin manages the tokens and sessions of everybody.
  'DELETE /v1/account/tokens/:token_id': [{ viewer: 404, admin: 200 }],
  'GET /v1/account/sessions': 'It lists those of this token, to an Admin all of the account.',
  'DELETE /v1/account/sessions': [{ viewer: 200, admin: 200 }],
  'DELETE /v1/account/sessions/:session_id': [{ viewer: 404, admin: 200 }],
  'PUT /v1/views/:name': [
    refused({ path: () => '/v1/views/own', body: { Query: 'mine', Private: true } }),
    refused({ path: () => '/v1/views/another', body: { Query: 'mine', Private: true } }),
    refused({ path: () => '/v1/views/own', body: { Query: 'mine', Private: false } }),
  ],
  'DELETE /v1/views/:name': [refused({ path: () => '/v1/views/own' })],
};

let provider: FakeProvider;
let service: TestService;
before(async () => {
  provider = await new FakeProvider().start();
  service = await startTestService({
    OIDC_ISSUER: provider.url,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
    OIDC_ROLES: '[{ "Claim": "*", "Role": "Admin" }]',
  });
});
after(async () => {
  await service.end();
  await provider.end();
});

const newCode = () => service.context.db.write((tx) => createSigninCode(tx, 1, service.context.now()));

/** All requests below /auth, and those of /v1 that are about oneself or change people, the account or views. */
function routes(): string[] {
  const below = createApp(service.context, {} as Operation)
    .routes.filter(({ method, path }) => method !== 'ALL' && path.startsWith('/auth/'))
    .map(({ method, path }) => `${method} ${path}`);
  const rows = Object.values<Operations>(API)
    .flatMap((operations) => Object.values(operations))
    .filter(
      ({ permission, method, resource }) =>
        permission === 'self' || (method !== 'GET' && ['people', 'account', 'views'].includes(resource.name)),
    )
    .map(({ method, path }) => `${method} ${path}`);
  return [...new Set([...below, ...rows])];
}

/** All that is stored of a person, except when it was last seen, and what was opened with the token in question. */
async function stored({ id }: Victim, tokenId: string): Promise<unknown> {
  const { db } = service.context;
  const { last_seen: _, ...person } = (await db.get<Record<string, unknown>>('SELECT * FROM people WHERE id = ?', id))!;
  return {
    person,
    tokens: await db.all(
      'SELECT id, role, groups_json, expires, revoked FROM tokens WHERE person_id = ? ORDER BY id',
      id,
    ),
    sessions: await db.all(
      'SELECT id FROM sessions WHERE person_id = ? AND coalesce(token_id, ?) <> ? ORDER BY id',
      id,
      '',
      tokenId,
    ),
    views: await db.all('SELECT name, query, owner FROM views WHERE owner = ? ORDER BY name', `person:${id}`),
    codes: await db.all('SELECT purpose FROM person_codes WHERE person_id = ?', id),
  };
}

let count = 0;
/** An Admin with a password, a second factor, a private view, and another token. */
async function newVictim(): Promise<Victim> {
  const browser = await join(service, `anna${++count}@example.com`, 'Admin');
  await addSecondFactor(browser, service.context.now());
  await browser.get('PUT', '/v1/views/own', { Query: 'hers', Private: true });
  const { db, now } = service.context;
  const { id: token } = await db.write((tx) => createToken(tx, 1, 'other', now(), { personId: browser.id }));
  const session = await db.get<{ id: string }>('SELECT id FROM sessions WHERE person_id = ?', browser.id);
  return { id: browser.id, token, session: session?.id ?? '' };
}

/** A browser that is signed in with a new token of the person. */
async function signedInAs({ id }: Victim, role: Role): Promise<{ browser: PersonBrowser; tokenId: string }> {
  const { db, now } = service.context;
  const token = await db.write((tx) => createToken(tx, 1, 'found', now(), { personId: id, rights: { role } }));
  const browser = new PersonBrowser(service.url);
  await browser.get('POST', '/auth/session', { Token: token.secret });
  return { browser, tokenId: token.id };
}

test('each route that changes a person has a decision', () => {
  assert.deepEqual(Object.keys(DECISIONS).toSorted(), routes().toSorted());
});

for (const [route, decision] of Object.entries(DECISIONS)) {
  if (typeof decision === 'string') continue;
  for (const [index, each] of decision.entries())
    test(`${route} ${index + 1} changes nothing of the person whose token it is`, async () => {
      for (const role of ['Viewer', 'Admin'] as const) {
        const victim = await newVictim();
        const { browser, tokenId } = await signedInAs(victim, role);
        const [method = '', pattern = ''] = route.split(' ');
        const path =
          each.path?.(victim) ??
          pattern
            .replace(':person_id', victim.id)
            .replace(':token_id', victim.token)
            .replace(':session_id', victim.session);
        const known = await stored(victim, tokenId);
        const body = each.proves ? { Proof: await newCode() } : each.body;
        const expected = role === 'Viewer' ? each.viewer : each.admin;
        const answer = await browser.ask(method, path, body);
        assert.equal(answer.status, expected, `${role}: ${await answer.text()}`);
        // An Admin manages everybody's tokens and sessions, and so those of the own person.
        if (role === 'Viewer' || expected >= 400) assert.deepEqual(await stored(victim, tokenId), known, role);
      }
    });
}

test('the token itself, shown by a program, changes no more', async () => {
  const victim = await newVictim();
  const { db, now } = service.context;
  const { secret, id } = await db.write((tx) => createToken(tx, 1, 'found', now(), { personId: victim.id }));
  const known = await stored(victim, id);
  const as = (method: string, path: string, body?: object) =>
    service.call(method, path, body, { Authorization: `Bearer ${secret}` });
  assert.equal((await as('PATCH', `/v1/people/${victim.id}`, { SecondFactor: false })).status, 403);
  assert.equal((await as('DELETE', `/v1/people/${victim.id}`)).status, 403);
  assert.equal((await as('DELETE', '/v1/views/own')).status, 403);
  assert.deepEqual(await stored(victim, id), known);
});

test('a token revokes itself, and signs out what was opened with it', async () => {
  const victim = await newVictim();
  const { browser, tokenId } = await signedInAs(victim, 'Viewer');
  assert.equal((await browser.ask('DELETE', `/v1/account/tokens/${tokenId}`)).status, 200);
  assert.equal(await browser.isIn(), false);
});

test('nobody takes the own second factor away without the password', async () => {
  const anna = await join(service, 'anna@example.com', 'Admin');
  await addSecondFactor(anna, service.context.now());
  assert.equal((await anna.ask('PATCH', `/v1/people/${anna.id}`, { SecondFactor: false })).status, 409);
  assert.equal((await anna.ask('POST', '/auth/otp/remove', { Password: PASSWORD })).status, 200);
});
