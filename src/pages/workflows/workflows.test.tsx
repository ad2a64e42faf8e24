// The page of the workflows, which were before artifacts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { screen, waitFor, within } from '@testing-library/dom';
import { dialogOf, expectGone, expectText, testPage } from '#/test-page.ts';

test('workflows are marked as legacy, and link to artifacts', async (t) => {
  const { open, user, fill } = await testPage(t);
  await open('/workflows');
  await expectText(() => screen.getByRole('heading', { level: 1 }), 'Workflows Legacy');
  await screen.findByText(/^Workflows are legacy/);
  await user.click(screen.getByRole('link', { name: 'Go to Artifacts' }));
  await screen.findByRole('heading', { level: 1, name: 'Artifacts' });

  // What was typed survives closing the dialog by mistake.
  history.back();
  await user.click(await screen.findByRole('button', { name: 'Create workflow' }));
  const command = async () =>
    within(await dialogOf('Create workflow')).getByRole<HTMLTextAreaElement>('textbox', { name: /^Command/ });
  await fill(await command(), 'uptime');
  await user.keyboard('{Escape}');
  await expectGone(() => screen.queryByRole('dialog'));
  await user.click(screen.getByRole('button', { name: 'Create workflow' }));
  assert.equal((await command()).value, 'uptime');
});

test('a workflow whose answer is lost may have been accepted, and the list shows it', async (t) => {
  const { open, user, fill, route } = await testPage(t);
  let isLost = false;
  route(/^\/v1\/workflow$/, async (ask, { method }) => {
    const answer = await ask();
    if (isLost || method !== 'POST') return answer;
    isLost = true;
    throw new TypeError('the connection was cut');
  });
  await open('/workflows?dialog=create');
  const dialog = await dialogOf('Create workflow');
  await fill(within(dialog).getByRole('textbox', { name: /^Name/ }), 'restart');
  await fill(within(dialog).getByRole('textbox', { name: /^Command/ }), 'systemctl restart app');
  await user.click(within(dialog).getByRole('button', { name: 'Create workflow' }));
  await expectText(() => within(dialog).getByRole('alert'), /The workflow may have been accepted\./);
  await user.click(within(dialog).getByRole('button', { name: 'Cancel' }));
  await waitFor(() => assert.ok(screen.queryAllByText('restart').length > 0));
});
