// Who is who, and what cannot be taken from whom. What people do to each other, each in a browser: e2e/people.spec.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { screen, waitFor, within } from '@testing-library/dom';
import { acceptLink } from '#/api/session.ts';
import { expectAddress, testPage, type TestPage } from '#/test-page.ts';

const invite = ({ service }: TestPage, Name: string, Role: string, Groups: string[] = []) =>
  service.call('POST', '/v1/people', { Email: `${Name.toLowerCase()}@example.com`, Name, Role, Groups });

test('nothing can be taken from the last Admin, and the reason is given', async (t) => {
  const page = await testPage(t);
  const { open, service, user } = page;
  const [owner] = await service.call<{ PersonId: string }[]>('GET', '/v1/people');
  await invite(page, 'Anna', 'Operator');
  const { InviteUrl } = await service.call<{ InviteUrl: string }>('POST', `/v1/people/${owner?.PersonId}/invite`);
  await acceptLink({ Code: InviteUrl.split('#code=')[1] ?? '', Password: 'green stairs and thunder' });
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
