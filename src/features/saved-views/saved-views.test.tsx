// Saved views of the device table: deployed to, deleted, and changed by two at once. What needs a browser:
// e2e/fleet-views.spec.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { screen, waitFor, within } from '@testing-library/dom';
import { expectGone, expectRead, expectText, testPage, type TestPage } from '#/test-page.ts';

const NAME = 'Gates <b>& strays</b>';
const VIEW = 'group=gates&no=group&sort=-name&cols=name,status,group,lastSeen,id&density=comfortable';

const menu = () => screen.getByRole('button', { name: /^View:/ });
async function choose({ user }: TestPage, item: string): Promise<void> {
  await user.click(menu());
  const [first] = await screen.findAllByRole('menuitem', { name: new RegExp(`^${item}`) });
  assert.ok(first);
  await user.click(first);
  // While it closes, its items are found and do what they did.
  await expectGone(() => screen.queryByRole('menu'));
}

/** Five devices, of which the view of the link has three. */
async function openView({ service, open }: TestPage): Promise<void> {
  for (const [name, group] of [
    ['gate 1', 'gates'],
    ['gate 2', 'gates'],
    ['pump 1', 'pumps'],
    ['lamp 1', 'lamps'],
    ['stray', ''],
  ] as const)
    await service.createDevice(name, group);
  await open(`/devices?${VIEW}`);
  await screen.findByRole('status', { name: 'Devices shown' });
  await expectText(() => screen.getByRole('status', { name: 'Devices shown' }), '3 of 5 devices');
}

/** Opens the view, and saves it under its name. */
async function saveView(page: TestPage): Promise<void> {
  await openView(page);
  await page.user.click(await screen.findByRole('button', { name: 'Save this view' }));
  const dialog = await screen.findByRole('dialog');
  await page.fill(await within(dialog).findByRole('textbox', { name: /^Name/ }), NAME);
  await page.user.click(within(dialog).getByRole('button', { name: 'Save view' }));
  await expectText(menu, /Gates/);
}

test('the devices of a view are deployed to from its menu', async (t) => {
  const page = await testPage(t);
  await openView(page);
  await choose(page, 'Deploy to these 3 devices');
  await within(await screen.findByRole('region', { name: 'Review' })).findByText('3 devices', { exact: true });
});

test('a view that somebody else has changed meanwhile is not overwritten', async (t) => {
  const page = await testPage(t);
  await saveView(page);
  const table = screen.getByRole('table', { name: 'Devices' });
  await page.user.click(within(table).getByRole('button', { name: 'Status' }));
  await expectText(menu, /changed/);
  const path = `/v1/views/${encodeURIComponent(NAME)}`;
  await page.service.call('PUT', path, { Query: 'group=pumps' });
  await choose(page, 'Save changes');
  await waitFor(() => {
    const alerts = screen.getAllByRole('alert');
    assert.ok(alerts.some(({ textContent }) => textContent.includes('was saved meanwhile')));
  });
  await expectRead();
  await choose(page, 'Save changes');
  await waitFor(() => assert.doesNotMatch(menu().textContent, /changed/));
});

test('a view is deleted from its menu', async (t) => {
  const page = await testPage(t);
  await saveView(page);
  await choose(page, 'Delete view');
  const dialog = await screen.findByRole('dialog');
  await page.user.click(await within(dialog).findByRole('button', { name: 'Delete view' }));
  await expectText(menu, /Views$/);
  await page.user.click(menu());
  await screen.findByRole('menuitem', { name: /^Save as a new view/ });
  assert.ok(!screen.queryAllByRole('menuitem').some(({ textContent }) => textContent.includes('Gates')));
});
