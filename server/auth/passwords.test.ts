// Attacks on passwords: guessing, finding out who has one, and requests of another site.
import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, beforeEach, test } from 'node:test';
import type { TestContext } from 'node:test';
import type { Invitation } from '#/contract/people.ts';
import type { SignInSession } from '#/contract/sign-in.ts';
import type { ProblemBody } from '#/contract/problem.ts';
import { hashSecret } from '../store/ids.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { codeOf, invite, join, PASSWORD, PersonBrowser } from './test-people.ts';

const HOUR = 3_600_000;
const OTHER_PASSWORD = 'eleven doors to the yard';

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.end());

const browser = () => new PersonBrowser(service.url);
const accept = (code: string, more: object = {}) =>
  browser().ask('POST', '/auth/accept', { Code: code, Password: PASSWORD, ...more });
const change = (id: string, body: object) => service.call('PATCH', `/v1/people/${id}`, body);
const newLink = async (id: string) =>
  (await (await service.call('POST', `/v1/people/${id}/invite`)).json()) as Invitation;
const problem = async (response: Response) => (await response.json()) as ProblemBody & { Needs?: string };

test('short, common and obvious passwords are refused', async () => {
  const code = codeOf(await invite(service, 'long-address@example.com'));
  for (const [password, message] of [
    ['eleven char', /at least 12/],
    ['1Qaz2wsx3edC', /most common/],
    ['aaaaaaaaaaaaaaaa', /repeats/],
    ['Long-Address@example.com', /e-mail/],
  ] as const) {
    const refused = await accept(code, { Password: password });
    assert.equal(refused.status, 400, password);
    assert.match((await problem(refused)).detail ?? '', message);
  }
  assert.equal((await accept(code)).status, 200);
});

/** Counts hash computations, which take far longer than everything else. */
function countHashes(t: TestContext): () => number {
  const spy = t.mock.method(crypto, 'argon2');
  syncBuiltinESMExports();
  t.after(() => {
    spy.mock.restore();
    syncBuiltinESMExports();
  });
  let before = 0;
  return () => {
    const count = spy.mock.callCount() - before;
    before = spy.mock.callCount();
    return count;
  };
}

test('known, unknown, invited and disabled addresses get the same answer after the same work', async (t) => {
  await join(service, 'anna@example.com');
  const gone = await join(service, 'gone@example.com');
  await change(gone.id, { Disabled: true });
  await invite(service, 'invited@example.com');
  const hashes = countHashes(t);
  const answers = new Set<string>();
  for (const email of ['anna', 'gone', 'invited', 'nobody', 'operator']) {
    const address = email === 'operator' ? 'operator@localhost' : `${email}@example.com`;
    const refused = await browser().signIn(address, 'not the right password');
    assert.equal(refused.status, 401);
    answers.add(await refused.text());
    assert.equal(hashes(), 1, email);
  }
  assert.equal(answers.size, 1);
  // The right password of a disabled person is no better.
  assert.equal((await browser().signIn('gone@example.com')).status, 401);
  assert.equal(hashes(), 1);
});

test('guessing a password becomes slow, and locks nobody out', async () => {
  await service.end();
  service = await startTestService({ SIGNIN_LIMIT: '3', TRUSTED_PROXY: '127.0.0.1' });
  const anna = await join(service, 'anna@example.com');
  const ending = new AbortController();
  const guess = (from: string, password = 'not the right password') =>
    fetch(new URL('/auth/session', service.url), {
      method: 'POST',
      headers: { 'X-Forwarded-For': from },
      body: JSON.stringify({ Email: 'anna@example.com', Password: password }),
      signal: ending.signal,
    });
  const many = (count: number, network: number) =>
    Array.from({ length: count }, (_, index) => guess(`10.0.${network}.${index}`));
  const first = await Promise.all(many(3, 0));
  assert.deepEqual(
    first.map(({ status }) => status),
    [401, 401, 401],
  );
  // From then on one has its turn every twenty seconds, and few may wait for theirs.
  const rest = many(6, 1);
  const refused = rest.map(async (answer) => assert.equal((await answer).status, 429));
  await Promise.any(refused);
  assert.equal((await guess('10.0.2.1', PASSWORD)).status, 429, 'even the right one has to wait');
  ending.abort();
  await Promise.allSettled([...rest, ...refused]);
  assert.ok(await anna.isIn());
  // What nobody can guess is never slowed down.
  const reset = await newLink(anna.id);
  const again = browser();
  await again.get('POST', '/auth/accept', { Code: codeOf(reset), Password: OTHER_PASSWORD });
  assert.ok(await again.isIn());
  assert.equal((await browser().ask('POST', '/auth/session', { Token: service.token })).status, 200);
});

test('changing the password needs the old one and ends the other sessions', async () => {
  const anna = await join(service, 'anna@example.com');
  const other = browser();
  await other.signIn('anna@example.com');
  const wrong = await anna.ask('POST', '/auth/password', { Old: OTHER_PASSWORD, New: OTHER_PASSWORD });
  assert.equal(wrong.status, 403);
  assert.ok(await other.isIn());
  await anna.get('POST', '/auth/password', { Old: PASSWORD, New: OTHER_PASSWORD });
  assert.ok(await anna.isIn());
  assert.equal(await other.isIn(), false);
  assert.equal((await browser().signIn('anna@example.com')).status, 401);
  assert.equal((await browser().signIn('anna@example.com', OTHER_PASSWORD)).status, 200);
});

test('the first person sets a password by the printed link, and later only with proof', async () => {
  const owner = browser();
  await owner.get('POST', '/auth/session', { Code: new URL(service.signinLink).hash.replace('#code=', '') });
  const before = await owner.get<SignInSession>('GET', '/auth/session');
  assert.deepEqual(before.Methods, ['token'], 'nobody has a password');
  service.clock.offset = HOUR;
  assert.equal((await owner.ask('POST', '/auth/password', { Old: '', New: PASSWORD })).status, 403);
  assert.equal((await owner.ask('POST', '/auth/password', { Old: 'mut_wrong', New: PASSWORD })).status, 403);
  // Who holds a lesser token of the owner must not become the owner.
  await service.context.db.write((tx) =>
    tx.run(
      `INSERT INTO tokens (id, account_id, name, prefix, hash, source, created, person_id, role)
       SELECT 'lesser', 1, 'lesser', 'mut', ?, 'made', 0, id, 'Viewer' FROM people`,
      hashSecret('mut_lesser'),
    ),
  );
  assert.equal((await owner.ask('POST', '/auth/password', { Old: 'mut_lesser', New: PASSWORD })).status, 403);
  await owner.get('POST', '/auth/password', { Old: service.token, New: PASSWORD });
  assert.equal((await browser().signIn('operator@localhost')).status, 200);
});

test('another site changes nothing, whether somebody is signed in or not', async () => {
  const anna = await join(service, 'anna@example.com');
  const foreign = { Origin: 'https://evil.example.com' };
  const code = codeOf(await newLink(anna.id));
  for (const [at, body] of [
    ['/auth/session', { Email: 'anna@example.com', Password: PASSWORD }],
    ['/auth/accept', { Code: code, Password: OTHER_PASSWORD }],
    ['/auth/reset', { Email: 'anna@example.com' }],
    ['/auth/password', { Old: PASSWORD, New: OTHER_PASSWORD }],
    ['/auth/otp/begin', { Password: PASSWORD }],
    ['/auth/otp/confirm', { Setup: 'x', Otp: '000000' }],
    ['/auth/otp/remove', { Password: PASSWORD }],
  ] as const)
    assert.equal((await anna.ask('POST', at, body, foreign)).status, 403, at);
  assert.equal((await anna.ask('DELETE', '/auth/session', undefined, foreign)).status, 403);
  assert.ok(await anna.isIn());
});
