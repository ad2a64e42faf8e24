// The page of a device: its fields, and what it shows when the device is deleted or has reported little.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { screen, waitFor, within } from '@testing-library/dom';
import { expectAccessible, expectGone, expectRead, expectText, testPage } from '#/test-page.ts';

test('fields of a device are edited in place', async (t) => {
  const { open, user, fill, service, route } = await testPage(t);
  const { DeviceId } = await service.createDevice('lift 1', 'house A');
  const sent: unknown[] = [];
  route(/^\/v1\/devices\//, (ask, { method, body }) => {
    if (method === 'PATCH') sent.push(body);
    return ask();
  });
  await open(`/devices/${DeviceId}`);
  await user.click(await screen.findByRole('button', { name: 'Edit group' }));
  const group = () => screen.findByRole('textbox', { name: 'Group' });
  assert.ok(document.activeElement === (await group()));
  await fill(await group(), 'house B');
  await user.keyboard('{Escape}');
  await screen.findByText('house A');
  await waitFor(() => assert.ok(document.activeElement === screen.getByRole('button', { name: 'Edit group' })));

  await user.keyboard('{Enter}');
  await fill(await group(), 'house B');
  await user.keyboard('{Enter}');
  await screen.findByText('house B');
  assert.deepEqual(sent, [{ DeviceGroup: 'house B' }]);
  await expectGone(() => screen.queryByRole('textbox', { name: 'Group' }));

  await user.click(screen.getByRole('button', { name: 'Edit name' }));
  const name = await screen.findByRole('textbox', { name: 'Name' });
  await fill(name, ' ');
  await user.keyboard('{Enter}');
  await screen.findByText('Name must not be empty');
  await fill(name, 'lift 2');
  await user.keyboard('{Enter}');
  await screen.findByRole('heading', { level: 1, name: /lift 2/ });
  await expectRead();
  await open(`/devices/${DeviceId}`);
  await screen.findByRole('heading', { level: 1, name: /lift 2/ });
  await screen.findByText('house B');
});

test('the page of a device that is gone says so, whether it never existed or was deleted meanwhile', async (t) => {
  const { open, user, service } = await testPage(t);
  await open('/devices/no-such-device');
  await screen.findByText(/^There is no device with this id\./);
  await screen.findByText('no-such-device');

  const { DeviceId } = await service.createDevice('short-lived');
  await open(`/devices/${DeviceId}`);
  await screen.findByRole('heading', { level: 1, name: /short-lived/ });
  await service.call('DELETE', `/v1/devices/${DeviceId}`);
  await screen.findByText(/^short-lived no longer exists\./);
  await user.click(screen.getByRole('link', { name: 'All devices' }));
  await screen.findByText('No devices yet');

  const other = await service.createDevice('last one');
  await open(`/devices/${other.DeviceId}`);
  await user.click(await screen.findByRole('link', { name: 'Delete' }));
  await user.click(await screen.findByRole('button', { name: 'Delete device' }));
  await screen.findByText('No devices yet');
});

test('a device without facts says so', async (t) => {
  const { open, service } = await testPage(t);
  const { DeviceId } = await service.createDevice('unit 1');
  await open(`/devices/${DeviceId}`);
  const facts = await screen.findByRole('region', { name: 'Facts' });
  await expectText(() => facts, /Its agent has reported no facts yet\./);
});

test('the page of a device whose agent speaks HTTP says what that agent does not have', async (t) => {
  const { open, service } = await testPage(t);
  const { DeviceId, DeviceKey } = await service.createDevice('router');
  const said = await fetch(`${service.url}/agent/v1/hello`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${DeviceKey}` },
    body: 'agent=1.0\nkind=sh\nos=Linux\n',
  });
  assert.equal(said.status, 200);
  await open(`/devices/${DeviceId}`);
  const agent = await screen.findByRole('region', { name: 'Agent' });
  await expectText(() => agent, /Version1\.0 \(sh\)/);
  const tunnels = await screen.findByRole('region', { name: 'Tunnels' });
  await expectText(() => tunnels, /This agent runs jobs and reports facts, but has no tunnels\./);
  const button = await within(tunnels).findByRole('button', { name: 'Open a tunnel' });
  assert.equal(button.getAttribute('aria-disabled'), 'true');
  await expectAccessible();
});
