// Attacks on the second factor: replays, guesses, and clocks that are off.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { OtpSetup, SignedIn, SignInSession } from '#/contract/sign-in.ts';
import type { ProblemBody } from '#/contract/problem.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { otpAt, otpStep } from './otp.ts';
import { addSecondFactor, join, PASSWORD, PersonBrowser } from './test-people.ts';

const STEP = 30_000;
const OTHER_PASSWORD = 'eleven doors to the yard';

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.end());

const browser = () => new PersonBrowser(service.url);
const change = (id: string, body: object) => service.call('PATCH', `/v1/people/${id}`, body);
const problem = async (response: Response) => (await response.json()) as ProblemBody & { Needs?: string };
const otp = (secret: string, steps = 0) => otpAt(secret, otpStep(service.context.now()) + steps);

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
  assert.deepEqual(
    both.map(({ status }) => status).toSorted((one, other) => one - other),
    [200, 401],
  );
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

test('adding a second factor signs out the person’s other browsers, which came in without it', async () => {
  const anna = await join(service, 'anna@example.com');
  const bert = await join(service, 'bert@example.com');
  const other = browser();
  assert.equal((await other.signIn('anna@example.com')).status, 200);
  const { Secret, Setup } = await anna.get<OtpSetup>('POST', '/auth/otp/begin', { Password: PASSWORD });
  assert.equal((await anna.ask('POST', '/auth/otp/confirm', { Setup, Otp: otp(Secret, 5) })).status, 400);
  assert.ok(await other.isIn(), 'nothing ends before it is in force');
  await anna.get('POST', '/auth/otp/confirm', { Setup, Otp: otp(Secret) });
  assert.deepEqual([await anna.isIn(), await other.isIn(), await bert.isIn()], [true, false, true]);
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
