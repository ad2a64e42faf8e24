// The pages of the settings: each at its own address, with the links that were to the one page that they have grown from.
import { test } from 'node:test';
import { screen } from '@testing-library/dom';
import { expectAddress, testPage } from '#/test-page.ts';

const PAGES = [
  ['people', 'People'],
  ['tokens', 'Tokens'],
  ['sessions', 'Sessions'],
  ['channels', 'Alert channels'],
  ['usage', 'Usage'],
  ['sign-in', 'Sign-in'],
  ['appearance', 'Appearance'],
] as const;

for (const [from, to] of [
  ['/account', '/settings/people'],
  ['/account?dialog=make', '/settings/tokens?dialog=make'],
  ['/account?dialog=end-sessions', '/settings/sessions?dialog=end-sessions'],
  ['/account?dialog=clear&kept=all', '/settings/appearance?dialog=clear&kept=all'],
  ['/activity/alerts?dialog=channel', '/settings/channels?dialog=channel'],
  ['/activity/alerts?dialog=delete-channel&alert=c1', '/settings/channels?dialog=delete-channel&channel=c1'],
] as const)
  test(`a link to the former ${from} leads to where that is now`, async (t) => {
    const { open } = await testPage(t);
    await open(from);
    await expectAddress(to);
    if (from === '/account?dialog=make') await screen.findByRole('dialog', { name: 'Create API token' });
  });

test('the palette finds each page of the settings', async (t) => {
  const { open, user } = await testPage(t);
  await open('/');
  await screen.findByRole('heading', { level: 1, name: 'Overview' });
  for (const [path, name] of PAGES) {
    await user.keyboard('{Control>}k{/Control}');
    await user.type(await screen.findByRole('combobox'), name);
    await user.click(await screen.findByRole('option', { name }));
    await expectAddress(`/settings/${path}`);
  }
});
