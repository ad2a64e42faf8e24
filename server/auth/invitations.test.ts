// Attacks on the links by which people join and get a new password.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { Invitation, Me } from '#/contract/people.ts';
import type { SignInSession } from '#/contract/sign-in.ts';
import type { ProblemBody } from '#/contract/problem.ts';
import { until } from '../../scripts/test-process.ts';
import { startTestSmtp } from '../../scripts/test-smtp.ts';
import { createToken } from '../store/tokens.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { addSecondFactor, codeOf, invite, join, PASSWORD, PersonBrowser } from './test-people.ts';

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
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((one, other) => one - other),
    [200, 401, 401],
  );
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

test('an invitation whose answer was lost is asked for again, and invites once', async () => {
  const body = { Email: 'anna@example.com', Name: 'Anna', Role: 'Viewer', Groups: [] };
  const ask = (key: string, more: object = {}, as = {}) =>
    service.call('POST', '/v1/people', { ...body, ...more }, { 'Idempotency-Key': key, ...as });
  const answers = await Promise.all([ask('one'), ask('one'), ask('one')]);
  const [first, ...others] = (await Promise.all(answers.map((answer) => answer.json()))) as Invitation[];
  assert.ok(first);
  assert.deepEqual(others, [first, first]);
  assert.equal((await ask('one', { Role: 'Admin' })).status, 409, 'another request');
  assert.equal((await ask('two')).status, 409, 'the address is taken');
  const other = await service.context.db.write((tx) => createToken(tx, 1, 'other', service.context.now()));
  const foreign = await ask('one', {}, { Authorization: `Bearer ${other.secret}` });
  assert.equal(foreign.status, 409, 'somebody else');
  assert.ok(!(await foreign.text()).includes(codeOf(first)));
  assert.equal((await accept(codeOf(first))).status, 200);
  const used = await ask('one');
  assert.equal((await problem(used)).title, 'The person was invited, but the link is lost');
});

test('links are sent where there is a server for e-mail, to the person only', async (t) => {
  await service.end();
  const smtp = await startTestSmtp();
  t.after(() => smtp.close());
  service = await startTestService({ SMTP_URL: smtp.url, SMTP_FROM: 'muster@example.com' });
  const linkIn = (text = '') =>
    /\/\w+#code=mup_[\w-]{43}/.exec(text.replaceAll(/=\n/g, '').replaceAll('=3D', '='))?.[0];
  const invitation = await invite(service, 'anna@example.com');
  assert.equal(invitation.Emailed, true);
  assert.deepEqual(smtp.received[0]?.to, ['anna@example.com']);
  assert.ok(invitation.InviteUrl.endsWith(linkIn(smtp.received[0].text) ?? '?'));
  await browser().get('POST', '/auth/accept', { Code: codeOf(invitation), Password: PASSWORD });
  for (const Email of ['nobody@example.com', 'Anna@example.com'])
    assert.deepEqual(await browser().get('POST', '/auth/reset', { Email }), { Emailed: true });
  await until('the e-mail', () => smtp.received.length === 2);
  assert.deepEqual(smtp.received[1]?.to, ['anna@example.com']);
  const [, code = ''] = /#code=(.*)/.exec(linkIn(smtp.received[1].text) ?? '') ?? [];
  assert.equal((await accept(code, { Password: OTHER_PASSWORD })).status, 200);
  assert.equal((await browser().signIn('anna@example.com', OTHER_PASSWORD)).status, 200);
});
