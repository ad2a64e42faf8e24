// Attacks on what people sign in with: links, passwords and second factors, over real HTTP.
import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, beforeEach, test } from 'node:test';
import type { TestContext } from 'node:test';
import type { Invitation, Me } from '#/contract/people.ts';
import type { OtpSetup, SignedIn, SignInSession } from '#/contract/sign-in.ts';
import type { ProblemBody } from '#/contract/problem.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { otpAt, otpStep } from './otp.ts';
import { addSecondFactor, codeOf, invite, join, PASSWORD, PersonBrowser } from './test-people.ts';

const HOUR = 3_600_000;
const STEP = 30_000;
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
const otp = (secret: string, steps = 0) => otpAt(secret, otpStep(service.context.now()) + steps);

// ---- Links -----------------------------------------------------------------------------------------------------------

test('an invitation signs in once, with a name and a password', async () => {
  const invitation = await invite(service, 'anna@example.com', 'Operator', ['plant']);
  const anna = browser();
  const body = { Code: codeOf(invitation), Name: 'Anna', Password: PASSWORD };
  assert.deepEqual(await anna.get('POST', '/auth/accept', body), { UserEmail: 'anna@example.com' });
  const me = await anna.get<Me>('GET', '/v1/me');
  assert.equal(me.Name, 'Anna');
  assert.deepEqual([me.Role, me.Groups], ['Operator', ['plant']]);
  assert.match(me.Permissions[0]?.Source ?? '', /^Operator of plant, given by AUTH_TOKEN/);
  const session = await anna.get<SignInSession>('GET', '/auth/session');
  assert.deepEqual(
    [session.PersonId, session.Name, session.Methods],
    [invitation.PersonId, 'Anna', ['token', 'password']],
  );
  assert.equal((await accept(codeOf(invitation))).status, 401, 'a replay');
  assert.equal((await browser().signIn('ANNA@example.com')).status, 200);
});

test('an invitation that is wrong, late, replaced, or of a person who is gone is refused', async () => {
  assert.equal((await accept('mup_wrong')).status, 401);
  const first = await invite(service, 'anna@example.com');
  const second = await newLink(first.PersonId);
  assert.equal((await accept(codeOf(first))).status, 401, 'the second ends the first');
  await change(first.PersonId, { Disabled: true });
  assert.equal((await accept(codeOf(second))).status, 401, 'disabled');
  await change(first.PersonId, { Disabled: false });
  assert.equal((await accept(codeOf(second))).status, 401, 'a link does not come back');
  const third = await newLink(first.PersonId);
  await service.call('DELETE', `/v1/people/${first.PersonId}`);
  assert.equal((await accept(codeOf(third))).status, 401, 'removed');
  const late = await invite(service, 'bert@example.com');
  service.clock.offset = 72 * HOUR - 60_000;
  const weak = await accept(codeOf(late), { Password: '123456789qwerty' });
  assert.equal(weak.status, 400, 'in time');
  service.clock.offset = 72 * HOUR;
  assert.equal((await accept(codeOf(late))).status, 401, 'late');
});

test('two who take an invitation at once: one is in', async () => {
  const code = codeOf(await invite(service, 'anna@example.com'));
  const answers = await Promise.all([accept(code), accept(code), accept(code)]);
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 401, 401]);
});

test('a link for a new password works for an hour, and ends all sessions', async () => {
  const anna = await join(service, 'anna@example.com');
  const late = await newLink(anna.id);
  assert.match(late.InviteUrl, /\/reset#code=/);
  service.clock.offset = HOUR;
  assert.equal((await accept(codeOf(late))).status, 401);
  assert.ok(await anna.isIn());
  const reset = await newLink(anna.id);
  assert.equal((await accept(codeOf(reset), { Name: 'Mallory', Password: OTHER_PASSWORD })).status, 200);
  assert.equal(await anna.isIn(), false);
  assert.equal((await browser().signIn('anna@example.com')).status, 401);
  const again = browser();
  assert.equal((await again.signIn('anna@example.com', OTHER_PASSWORD)).status, 200);
  assert.equal((await again.get<Me>('GET', '/v1/me')).Name, '', 'only an invitation sets the name');
});

test('a link does not get past the second factor', async () => {
  const anna = await join(service, 'anna@example.com');
  const { recovery } = await addSecondFactor(anna, service.context.now());
  const code = codeOf(await newLink(anna.id));
  const refused = await accept(code);
  assert.equal(refused.status, 401);
  assert.equal((await problem(refused)).Needs, 'Otp');
  assert.equal((await accept(code, { Otp: '000000' })).status, 401);
  assert.equal((await accept(code, { Otp: recovery[0] })).status, 200, 'the link was not used up');
});

test('asking for a new password answers the same for every address', async () => {
  await join(service, 'anna@example.com');
  for (const Email of ['anna@example.com', 'nobody@example.com'])
    assert.deepEqual(await browser().get('POST', '/auth/reset', { Email }), { Emailed: false });
  assert.deepEqual(await service.context.db.all('SELECT 1 FROM person_codes'), []);
});

// ---- Passwords -------------------------------------------------------------------------------------------------------

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
  await owner.get('POST', '/auth/password', { Old: service.token, New: PASSWORD });
  assert.equal((await browser().signIn('operator@localhost')).status, 200);
});

// ---- The second factor -----------------------------------------------------------------------------------------------

test('a second factor is asked for after the password, and each code works once', async () => {
  const anna = await join(service, 'anna@example.com');
  const { secret } = await addSecondFactor(anna, service.context.now());
  const sealed = await service.context.db.all<object>('SELECT otp_secret, recovery_json FROM people');
  assert.ok(!JSON.stringify(sealed).includes(secret));
  const missing = await browser().signIn('anna@example.com');
  assert.equal(missing.status, 401);
  assert.equal((await problem(missing)).Needs, 'Otp');
  const wrongPassword = await browser().signIn('anna@example.com', OTHER_PASSWORD, otp(secret));
  assert.equal((await problem(wrongPassword)).Needs, undefined, 'only whoever knows the password learns of it');
  assert.equal((await browser().signIn('anna@example.com', PASSWORD, otp(secret))).status, 401, 'the setup used it up');
  service.clock.offset += STEP;
  const code = otp(secret);
  const both = await Promise.all([1, 2].map(() => browser().signIn('anna@example.com', PASSWORD, code)));
  assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 401]);
  assert.equal((await browser().signIn('anna@example.com', PASSWORD, otp(secret, -1))).status, 401, 'an earlier one');
});

test('the clock of the phone may be off by half a minute, and not by more', async () => {
  const anna = await join(service, 'anna@example.com');
  const { secret } = await addSecondFactor(anna, service.context.now());
  service.clock.offset += 10 * STEP;
  for (const steps of [-2, 2])
    assert.equal((await browser().signIn('anna@example.com', PASSWORD, otp(secret, steps))).status, 401, `${steps}`);
  assert.equal((await browser().signIn('anna@example.com', PASSWORD, otp(secret, -1))).status, 200);
  assert.equal((await browser().signIn('anna@example.com', PASSWORD, otp(secret, 1))).status, 200);
});

test('guessing codes ends after ten in an hour; a recovery code still works, once', async () => {
  await service.end();
  service = await startTestService({ SIGNIN_LIMIT: '1000' });
  const anna = await join(service, 'anna@example.com');
  const { secret, recovery } = await addSecondFactor(anna, service.context.now());
  service.clock.offset += STEP;
  const right = [-1, 0, 1].map((steps) => otp(secret, steps));
  const wrong = ['000000', '111111', '222222', '333333'].find((code) => !right.includes(code));
  let refused = 0;
  for (let tries = 0; tries < 20; tries += 1) {
    const { status } = await browser().signIn('anna@example.com', PASSWORD, wrong);
    assert.ok(status === 401 || status === 429);
    if (status === 429) refused += 1;
  }
  assert.ok(refused >= 8, `${refused} were not even checked`);
  assert.equal((await browser().signIn('anna@example.com', PASSWORD, otp(secret))).status, 429);
  const [code = ''] = recovery;
  const typed = code.toUpperCase().replaceAll('-', ' ');
  const answer = await browser().signIn('anna@example.com', PASSWORD, typed);
  assert.equal(((await answer.json()) as SignedIn).RecoveryCodes, 9);
  assert.equal((await browser().signIn('anna@example.com', PASSWORD, code)).status, 401);
});

test('a setup is of one person, for ten minutes, and needs the password', async () => {
  const anna = await join(service, 'anna@example.com');
  const bert = await join(service, 'bert@example.com');
  assert.equal((await anna.ask('POST', '/auth/otp/begin', { Password: OTHER_PASSWORD })).status, 403);
  const { Secret, Setup, Uri } = await anna.get<OtpSetup>('POST', '/auth/otp/begin', { Password: PASSWORD });
  assert.equal(new URL(Uri).searchParams.get('secret'), Secret);
  const confirm = (by: PersonBrowser, code: string) => by.ask('POST', '/auth/otp/confirm', { Setup, Otp: code });
  assert.equal((await confirm(bert, otp(Secret))).status, 409);
  assert.equal((await confirm(anna, otp(Secret, 5))).status, 400);
  service.clock.offset += 600_000;
  assert.equal((await confirm(anna, otp(Secret))).status, 409);
  await addSecondFactor(anna, service.context.now());
  assert.equal((await anna.ask('POST', '/auth/otp/begin', { Password: PASSWORD })).status, 409);
  assert.equal((await anna.ask('POST', '/auth/otp/remove', { Password: OTHER_PASSWORD })).status, 403);
  await anna.get('POST', '/auth/otp/remove', { Password: PASSWORD });
  assert.equal((await browser().signIn('anna@example.com')).status, 200);
});

test('an account that requires a second factor lets nobody do anything else first', async () => {
  const anna = await join(service, 'anna@example.com', 'Admin');
  const refused = await anna.ask('PATCH', '/v1/account', { NeedsSecondFactor: true });
  assert.equal(refused.status, 409, 'she would lock herself out');
  const bert = await join(service, 'bert@example.com');
  const { secret } = await addSecondFactor(anna, service.context.now());
  await anna.get('PATCH', '/v1/account', { NeedsSecondFactor: true });
  assert.ok(await anna.isIn());
  const stopped = await bert.ask('GET', '/v1/devices');
  assert.equal(stopped.status, 403);
  assert.equal((await problem(stopped)).Needs, 'OtpSetup');
  const again = browser();
  assert.equal(((await (await again.signIn('bert@example.com')).json()) as SignedIn).Needs, 'OtpSetup');
  assert.equal((await again.get<SignInSession>('GET', '/auth/session')).Needs, 'OtpSetup');
  await addSecondFactor(again, service.context.now());
  assert.ok(await again.isIn());
  // An Admin takes away a second factor that was lost.
  await change(anna.id, { SecondFactor: false });
  service.clock.offset += STEP;
  assert.equal((await browser().signIn('anna@example.com', PASSWORD, otp(secret))).status, 200);
  assert.equal(await anna.isIn(), false);
});

// ---- Other sites -----------------------------------------------------------------------------------------------------

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
