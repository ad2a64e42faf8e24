// How a blocked action says why.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { screen, waitFor, within } from '@testing-library/dom';
import { expectGone, expectText, testPage } from '#/test-page.ts';

const reasonFor = (doing: string, role = 'Deployer') => `${doing} needs the role ${role}; yours is Viewer.`;

test('a blocked button shows its reason on hover, focus and tap, until Escape, blur or a tap elsewhere', async (t) => {
  const { open, service, signInAs, user } = await testPage(t);
  const { DeviceId } = await service.call<{ DeviceId: string }>('POST', '/v1/devices', {
    DeviceName: 'pump',
    DeviceGroup: 'lab',
  });
  await signInAs('Viewer');
  await open(`/devices/${DeviceId}`);
  const remove = await screen.findByRole('button', { name: 'Delete', description: reasonFor('Deleting devices') });
  const edit = screen.getByRole('button', { name: 'Edit', description: reasonFor('Editing devices') });
  const expectShown = (...texts: string[]) =>
    waitFor(() =>
      assert.deepEqual(
        [...document.querySelectorAll('.reason')].map(({ textContent }) => textContent),
        texts,
      ),
    );
  await expectShown();

  await user.hover(remove);
  await expectShown(reasonFor('Deleting devices'));
  await user.hover(screen.getByRole('tooltip'));
  await expectShown(reasonFor('Deleting devices'));
  await user.unhover(screen.getByRole('tooltip'));
  await expectShown();
  await user.hover(remove);
  await user.keyboard('{Escape}');
  await expectShown();
  await user.unhover(remove);

  edit.focus();
  await expectShown(reasonFor('Editing devices'));
  assert.ok(document.activeElement === edit);
  await user.hover(edit);
  await user.unhover(edit);
  await expectShown(reasonFor('Editing devices'));
  await user.keyboard('{Escape}');
  await expectShown();
  await user.keyboard('{Enter}');
  await expectShown(reasonFor('Editing devices'));
  remove.focus();
  await expectShown(reasonFor('Deleting devices'));
  remove.blur();
  await expectShown();

  await user.pointer({ keys: '[TouchA]', target: edit });
  await expectShown(reasonFor('Editing devices'));
  await user.pointer({ keys: '[TouchA]', target: screen.getByRole('heading', { level: 1 }) });
  await expectShown();
  assert.ok(!screen.queryByRole('dialog'));
  assert.ok(!screen.queryByRole('alert'));
});

test('a blocked item of a menu shows its reason, and the menu stays open', async (t) => {
  const { open, service, signInAs, user } = await testPage(t);
  await service.call('POST', '/v1/devices', { DeviceName: 'pump', DeviceGroup: 'lab' });
  await signInAs('Viewer');
  await open('/devices');
  await user.click(await screen.findByRole('button', { name: 'Actions for pump' }));
  const menu = await screen.findByRole('menu');
  const edit = await within(menu).findByRole('menuitem', {
    name: 'Edit',
    description: reasonFor('Editing devices'),
  });
  await user.pointer({ keys: '[TouchA]', target: edit });
  await expectText(() => document.querySelector('.reason') ?? menu, reasonFor('Editing devices'));
  assert.ok(menu.isConnected);
  // The first Escape is for the reason, the next for the menu.
  edit.focus();
  await user.keyboard('{Escape}');
  await expectGone(() => document.querySelector('.reason'));
  assert.ok(menu.isConnected);
  await user.keyboard('{Escape}');
  await expectGone(() => screen.queryByRole('menu'));
});

test('Enter in a field sends nothing while the button of its form is blocked, and shows why', async (t) => {
  const { open, service, fill, user, route } = await testPage(t);
  await service.call('POST', '/v1/devices', { DeviceName: 'pump', DeviceGroup: 'lab' });
  await open('/devices');
  const writes: string[] = [];
  route(/./, (ask, { method, url }) => {
    if (method !== 'GET') writes.push(url.pathname);
    return ask();
  });
  await user.click(await screen.findByRole('checkbox', { name: 'Select pump' }));
  await user.click(await screen.findByRole('button', { name: 'Actions' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Set customer' }));
  const dialog = await screen.findByRole('dialog');
  const field = await within(dialog).findByLabelText('Customer');
  await user.click(field);
  await user.keyboard('{Enter}');
  await expectText(() => screen.getByRole('tooltip'), 'Type a customer first.');
  assert.ok(document.activeElement === field);
  assert.deepEqual(writes, []);
  await fill(field, 'Acme');
  await expectGone(() => screen.queryByRole('tooltip'));
  await user.keyboard('{Enter}');
  await waitFor(() => assert.equal(writes.length, 1));
});
