// The people of an account over real HTTP: who may manage them, and what they keep when something is taken away.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { Invitation, Me, Person } from '#/contract/people.ts';
import type { SignInSession } from '#/contract/sign-in.ts';
import type { ProblemBody } from '#/contract/problem.ts';
import { addSecondFactor, join, PASSWORD, PersonBrowser } from '../auth/test-people.ts';
import type { PersonRow } from '../store/people.ts';
import { IDLE_MS } from '../store/sessions.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.end());

const people = async () => (await (await service.call('GET', '/v1/people')).json()) as Person[];
async function invite(email: string, role = 'Viewer', groups: string[] = []): Promise<Invitation> {
  const response = await service.call('POST', '/v1/people', { Email: email, Name: '', Role: role, Groups: groups });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return JSON.parse(text) as Invitation;
}
const change = (id: string, body: object) => service.call('PATCH', `/v1/people/${id}`, body);
const problem = async (response: Response) => (await response.json()) as ProblemBody;

test('the first person has the address of the account, is Admin, and cannot be lost', async () => {
  const [owner] = await people();
  assert.ok(owner);
  assert.deepEqual(
    { ...owner, PersonId: '' },
    {
      PersonId: '',
      Name: '',
      Email: 'operator@localhost',
      Role: 'Admin',
      Groups: [],
      State: 'Active',
      Source: 'password',
      SecondFactor: false,
      LastSeenTime: '',
      RoleSource: 'given by the operator of the service',
    },
  );
  for (const body of [{ Role: 'Operator' }, { Groups: ['plant'] }, { Disabled: true }]) {
    const refused = await change(owner.PersonId, body);
    assert.equal(refused.status, 409);
    assert.equal((await problem(refused)).title, 'operator@localhost is the last Admin of the account');
  }
  assert.equal((await service.call('DELETE', `/v1/people/${owner.PersonId}`)).status, 409);
  // An Admin of some groups cannot manage the account, and somebody who is only invited may never come.
  await invite('anna@example.com', 'Admin', ['plant']);
  await invite('bert@example.com', 'Admin');
  assert.equal((await service.call('DELETE', `/v1/people/${owner.PersonId}`)).status, 409);
});

test('the owner follows ACCOUNT_EMAIL, unless somebody else has that address', async () => {
  await invite('anna@example.com');
  for (const [ACCOUNT_EMAIL, email] of [
    ['chief@example.com', 'chief@example.com'],
    ['anna@example.com', 'chief@example.com'],
    ['boss@example.com', 'chief@example.com'],
  ] as const) {
    await service.close();
    service = await startTestService({ ACCOUNT_EMAIL }, service.dataDir);
    assert.deepEqual(
      (await people()).map(({ Email }) => Email),
      [email, 'anna@example.com'],
    );
  }
});

test('an invitation is a link that is shown once, and an address belongs to one person', async () => {
  const { PersonId, InviteUrl, ExpiresTime } = await invite('Anna@Example.com', 'Operator', ['plant', 'hall', 'plant']);
  assert.match(InviteUrl, new RegExp(`^${service.url}/accept#code=mup_[\\w-]{43}$`));
  const [, anna] = await people();
  assert.equal(anna?.PersonId, PersonId);
  assert.equal(anna.State, 'Invited');
  assert.equal(anna.ExpiresTime, ExpiresTime);
  assert.deepEqual(anna.Groups, ['plant', 'hall']);
  assert.match(anna.RoleSource ?? '', /^given by AUTH_TOKEN/);
  const again = { Email: 'anna@example.COM', Name: '', Role: 'Viewer', Groups: [] };
  assert.equal((await service.call('POST', '/v1/people', again)).status, 409);
  const stored = await service.context.db.all<Record<string, unknown>>('SELECT * FROM person_codes');
  assert.ok(!JSON.stringify(stored).includes(InviteUrl.split('=')[1] ?? '?'));
});

test('a removed person leaves only a name, for the audit log', async () => {
  const { PersonId } = await invite('anna@example.com');
  assert.equal((await service.call('DELETE', `/v1/people/${PersonId}`)).status, 200);
  assert.equal((await people()).length, 1);
  assert.equal((await change(PersonId, { Name: 'Anna' })).status, 404);
  assert.equal((await service.call('POST', `/v1/people/${PersonId}/invite`)).status, 404);
  const { Items } = (await (await service.call('GET', '/v1/audit?action=person.remove')).json()) as {
    Items: { ObjectName?: string }[];
  };
  assert.equal(Items[0]?.ObjectName, 'anna@example.com');
  await invite('anna@example.com');
});

test('nothing that is a removed person’s alone is kept', async () => {
  const anna = await join(service, 'anna@example.com', 'Admin');
  await addSecondFactor(anna, service.context.now());
  await anna.get('PUT', '/v1/views/own', { Query: 'hers', Private: true });
  await anna.get('PUT', '/v1/views/shared', { Query: 'for all' });
  await anna.get('POST', '/v1/account/tokens', { Name: 'hers', Proof: PASSWORD });
  assert.equal((await service.call('DELETE', `/v1/people/${anna.id}`)).status, 200);
  const { db } = service.context;
  const person = (await db.get<PersonRow>('SELECT * FROM people WHERE id = ?', anna.id))!;
  const { email, password, otp_secret, recovery_json, issuer, subject } = person;
  assert.deepEqual(
    { email, password, otp_secret, recovery_json, issuer, subject },
    { email: '', password: '', otp_secret: null, recovery_json: '[]', issuer: null, subject: null },
  );
  const views = await db.all<{ name: string }>('SELECT name FROM views');
  assert.deepEqual(
    views.map(({ name }) => name),
    ['shared'],
  );
  const sessions = await db.all<object>('SELECT address, id_token, ends FROM sessions WHERE person_id = ?', anna.id);
  // What tells her browser why.
  assert.deepEqual(
    sessions.map((session) => ({ ...session })),
    [{ address: '', id_token: null, ends: 0 }],
  );
  assert.deepEqual(await db.all('SELECT 1 FROM tokens WHERE person_id = ? AND revoked IS NULL', anna.id), []);
});

test('a removed or disabled person is told so and by whom, in that person’s own browser only, and comes back with no old session', async () => {
  const ada = await join(service, 'ada@example.com', 'Admin');
  const bert = await join(service, 'bert@example.com');
  const cleo = await join(service, 'cleo@example.com');
  const ended = async (browser: PersonBrowser) => {
    const session = await browser.get<SignInSession>('GET', '/auth/session');
    assert.equal(session.SignedIn, false);
    return session.Ended;
  };
  await ada.get('PATCH', `/v1/people/${ada.id}`, { Name: 'Ada' });
  await ada.get('PATCH', `/v1/people/${bert.id}`, { Disabled: true });
  assert.deepEqual(await ended(bert), { Because: 'Disabled', By: 'Ada' });
  assert.equal(await ended(new PersonBrowser(service.url)), undefined);
  assert.equal(await bert.isIn(), false);
  const sessions = (await (await service.call('GET', '/v1/account/sessions')).json()) as { PersonId?: string }[];
  assert.equal(sessions.filter(({ PersonId }) => PersonId === bert.id).length, 0);

  const cookie = bert.cookie;
  await ada.get('PATCH', `/v1/people/${bert.id}`, { Disabled: false });
  assert.equal(await ended(bert), undefined);
  assert.equal(await bert.isIn(), false, 'a session that was ended does not come back');
  assert.equal((await bert.signIn('bert@example.com')).status, 200);
  assert.equal(await bert.isIn(), true);
  await ada.get('DELETE', `/v1/people/${bert.id}`);
  assert.deepEqual(await ended(bert), { Because: 'Removed', By: 'Ada' });
  bert.cookie = cookie;
  assert.deepEqual(await ended(bert), { Because: 'Removed', By: 'Ada' });

  // A token is no person, and its name is nobody's business any more.
  assert.equal((await service.call('DELETE', `/v1/people/${cleo.id}`)).status, 200);
  assert.deepEqual(await ended(cleo), { Because: 'Removed' });
  // As a session that ended by itself: not for ever.
  service.clock.offset += IDLE_MS;
  assert.equal(await ended(cleo), undefined);
});

test('the same Idempotency-Key gives nobody the invitation of somebody else', async () => {
  const [anna, bert] = [
    await join(service, 'anna@example.com', 'Admin'),
    await join(service, 'bert@example.com', 'Admin'),
  ];
  const invitation = { Email: 'cleo@example.com', Name: '', Role: 'Viewer', Groups: [] };
  const ask = (browser: PersonBrowser) =>
    browser.ask('POST', '/v1/people', invitation, { 'Idempotency-Key': 'one-key' });
  const first = await ask(anna);
  assert.equal(first.status, 200);
  assert.deepEqual(await (await ask(anna)).json(), await first.json());
  assert.equal((await ask(bert)).status, 409);
});

test('a token of the account says who it is, and what it may do', async () => {
  const me = (await (await service.call('GET', '/v1/me')).json()) as Me;
  assert.equal(me.PersonId, undefined);
  assert.equal(me.Role, 'Admin');
  assert.deepEqual(
    me.Permissions.map(({ Permission }) => Permission),
    ['read', 'operate', 'connect', 'admin'],
  );
  assert.equal(me.Permissions[0]?.Source, `Admin, token "${me.Name}"`);
  assert.equal(me.HasOthers, false);
  await invite('anna@example.com');
  assert.equal(((await (await service.call('GET', '/v1/me')).json()) as Me).HasOthers, true);
});
