// Who is who, what an Admin sees and changes of a person, and what cannot be taken from whom. Invitations: e2e/people.spec.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { screen, waitFor, within } from '@testing-library/dom';
import { acceptLink, signIn } from '#/api/session.ts';
import {
  dialogOf,
  expectAccessible,
  expectAddress,
  expectGone,
  expectText,
  testPage,
  type TestPage,
} from '#/test-page.ts';

interface Invited {
  PersonId: string;
  InviteUrl: string;
}

const PASSWORD = 'green stairs and thunder';
const codeOf = ({ InviteUrl }: Pick<Invited, 'InviteUrl'>) => InviteUrl.split('#code=')[1] ?? '';

const invite = ({ service }: TestPage, Name: string, Role: string, Groups: string[] = []) =>
  service.call<Invited>('POST', '/v1/people', { Email: `${Name.toLowerCase()}@example.com`, Name, Role, Groups });

/** Sends this to the service from another browser; the cookie that it sets is that browser's session. */
async function cookieOf({ service }: TestPage, path: string, body: object): Promise<string> {
  const answer = await fetch(service.url + path, {
    method: 'POST',
    headers: { origin: service.url, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.equal(answer.status, 200);
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

/** Accepts an invitation in another browser. */
const accept = (page: TestPage, invited: Invited) =>
  cookieOf(page, '/auth/accept', { Code: codeOf(invited), Password: PASSWORD });
const statusOf = async ({ service }: TestPage, cookie: string) =>
  (await fetch(`${service.url}/v1/me`, { headers: { cookie } })).status;

/** The owner's browser, signed in by the printed link. */
async function openAsOwner({ open, service }: TestPage, at: string): Promise<void> {
  if (service.cookies.size === 0) await signIn({ Code: codeOf({ InviteUrl: service.running.signinLink }) });
  await open(at);
}

const expectPermission = async (about: string, reason: RegExp) => {
  await screen.findByRole('table', { name: 'Permissions' });
  await waitFor(() => {
    const rows = within(screen.getByRole('table', { name: 'Permissions' })).getAllByRole('row');
    assert.match(rows.find(({ textContent }) => textContent.includes(about))?.textContent ?? '', reason);
  });
};

test('a page per person says what they can do and why, and ends their sessions', async (t) => {
  const page = await testPage(t);
  const { user } = page;
  const anna = await invite(page, 'Anna', 'Operator', ['plant']);
  const hers = await accept(page, anna);
  await openAsOwner(page, `/settings/people/${anna.PersonId}`);
  await screen.findByRole('heading', { level: 1, name: 'Anna' });
  await expectPermission('open tunnels', /plant/);
  await expectPermission('open tunnels', /Role Operator, given by AUTH_TOKEN/);
  await expectPermission('Manage people', /Needs the role Admin/);
  const sessions = await screen.findByRole('table', { name: 'Sessions of this person' });
  assert.equal(within(sessions).getAllByRole('row').length, 2);
  await expectAccessible();
  await user.click(within(sessions).getByRole('button', { name: /^Sign out/ }));
  await screen.findByText('Signed in nowhere.');
  assert.equal(await statusOf(page, hers), 401);
});

test('a person is given a lesser role, which ends sessions, disabled, enabled, given a new password link, and removed', async (t) => {
  const page = await testPage(t);
  const { user } = page;
  const anna = await invite(page, 'Anna', 'Operator');
  const hers = await accept(page, anna);
  await openAsOwner(page, `/settings/people/${anna.PersonId}`);
  await user.click(await screen.findByRole('button', { name: 'Edit' }));
  const edit = await dialogOf('Edit Anna');
  await user.selectOptions(within(edit).getByLabelText('Role'), 'Admin');
  assert.doesNotMatch(edit.textContent, /Ends/);
  await user.selectOptions(within(edit).getByLabelText('Role'), 'Viewer');
  await expectText(() => edit, /Ends the session of Anna\./);
  await expectAccessible();
  await user.click(within(edit).getByRole('button', { name: 'Save' }));
  await expectGone(() => screen.queryByRole('dialog'));
  await expectPermission('Edit devices', /Needs the role Deployer/);
  assert.equal(await statusOf(page, hers), 401);

  const again = await cookieOf(page, '/auth/session', { Email: 'anna@example.com', Password: PASSWORD });
  await openAsOwner(page, `/settings/people/${anna.PersonId}`);
  await user.click(await screen.findByRole('button', { name: 'Disable' }));
  const disable = await dialogOf('Disable Anna');
  await expectText(() => disable, /This ends 1 session\./);
  await expectAccessible();
  await user.click(within(disable).getByRole('button', { name: 'Disable' }));
  await waitFor(() => assert.equal(document.title, 'Anna · Disabled · Muster'));
  assert.equal(await statusOf(page, again), 401);
  await user.click(await screen.findByRole('button', { name: 'Enable' }));
  await waitFor(() => assert.equal(document.title, 'Anna · Active · Muster'));

  await user.click(screen.getByRole('button', { name: 'New password link' }));
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Create link' }));
  const done = await screen.findByRole<HTMLButtonElement>('button', { name: 'Done' });
  const link = await dialogOf('New password for Anna');
  assert.equal(done.disabled, true);
  await user.click(within(link).getByRole('button', { name: 'Reveal' }));
  await expectText(() => within(link).getByLabelText('password link'), /\/reset#code=/);
  await user.click(within(link).getByRole('button', { name: 'Download' }));
  await user.click(done);

  await user.click(await screen.findByRole('button', { name: 'Remove' }));
  const remove = await dialogOf('Remove Anna');
  await expectText(() => remove, /so does the name in the audit log/);
  await user.click(within(remove).getByRole('button', { name: 'Remove person' }));
  await expectAddress('/settings/people');
  await screen.findByText('You are the only one here');
  await openAsOwner(page, `/settings/people/${anna.PersonId}`);
  await screen.findByText('There is no such person');
});

test('nothing can be taken from the last Admin, and the reason is given', async (t) => {
  const page = await testPage(t);
  const { open, service, user } = page;
  const [owner] = await service.call<{ PersonId: string }[]>('GET', '/v1/people');
  await invite(page, 'Anna', 'Operator');
  const link = await service.call<Invited>('POST', `/v1/people/${owner?.PersonId}/invite`);
  await acceptLink({ Code: codeOf(link), Password: PASSWORD });
  await open('/settings/people');
  await user.click(await screen.findByRole('link', { name: 'operator@localhost' }));
  await screen.findByText('This is you.');
  const reason = 'operator@localhost is the last Admin of the account. Make another person Admin of all devices first.';
  for (const name of ['Disable', 'Remove']) {
    const button = await screen.findByRole('button', { name, description: reason });
    assert.equal(button.getAttribute('aria-disabled'), 'true');
  }
  await user.click(screen.getByRole('button', { name: 'Edit' }));
  const dialog = await screen.findByRole('dialog', { name: 'Edit operator@localhost' });
  assert.equal(within(dialog).getByLabelText<HTMLSelectElement>('Role').disabled, true);
  await within(dialog).findByText(reason);
});

test('people are found by name, role and state', async (t) => {
  const page = await testPage(t);
  const { open, user } = page;
  await invite(page, 'Anna', 'Operator', ['plant']);
  await invite(page, 'Ben', 'Viewer');
  await open('/settings/people');
  const expectRows = (count: number) =>
    waitFor(() =>
      assert.equal(within(screen.getByRole('table', { name: 'People' })).getAllByRole('row').length, count),
    );
  await expectRows(4);
  await user.keyboard('/');
  await user.keyboard('plant');
  await expectRows(2);
  await expectAddress('/settings/people?q=plant');
  await user.click(screen.getByRole('button', { name: 'Clear' }));
  await user.selectOptions(screen.getByLabelText('State'), 'Active');
  await expectRows(2);
  await user.selectOptions(screen.getByLabelText('Role'), 'Viewer');
  await screen.findByText('No person matches these filters.');
  await user.click(screen.getByRole('button', { name: 'Clear filters' }));
  await expectRows(4);
});
