// The page of a device: its fields, tags, location, key and timeline, and what it shows when the device is deleted.
import { expect, expectAccessible, test } from './fixtures.ts';

test('fields of a device are edited in place', async ({ signedIn: page, service }) => {
  const { DeviceId } = await service.createDevice('lift 1', 'house A');
  await page.goto(`${service.url}/devices/${DeviceId}`);
  await page.getByRole('button', { name: 'Edit group' }).click();
  const group = page.getByRole('textbox', { name: 'Group' });
  await expect(group).toBeFocused();
  await group.fill('house B');
  await page.keyboard.press('Escape');
  await expect(page.getByText('house A')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Edit group' })).toBeFocused();

  await page.keyboard.press('Enter');
  await group.fill('house B');
  const sent = page.waitForRequest((request) => request.method() === 'PATCH');
  await page.keyboard.press('Enter');
  expect((await sent).postDataJSON()).toEqual({ DeviceGroup: 'house B' });
  await expect(page.getByText('house B')).toBeVisible();
  await expect(group).toBeHidden();

  await page.getByRole('button', { name: 'Edit name' }).click();
  const name = page.getByRole('textbox', { name: 'Name' });
  await name.fill(' ');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Name must not be empty')).toBeVisible();
  await name.fill('lift 2');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: /lift 2/ })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { level: 1, name: /lift 2/ })).toBeVisible();
  await expect(page.getByText('house B')).toBeVisible();
});

test('tags are added and removed, and the location is set from pasted coordinates @main', async ({
  signedIn: page,
  service,
}) => {
  const { DeviceId } = await service.createDevice('buoy');
  await page.goto(`${service.url}/devices/${DeviceId}`);
  const tags = page.getByRole('region', { name: 'Tags' });
  await expect(tags.getByText('No tags.')).toBeVisible();
  for (const name of ['harbour', 'solar']) {
    await tags.getByLabel('Tag to add').fill(name);
    await tags.getByRole('button', { name: 'Create and add' }).click();
    await expect(tags.getByRole('listitem').filter({ hasText: name })).toBeVisible();
  }
  await tags.getByRole('button', { name: 'Remove harbour' }).click();
  await expect(tags.getByRole('listitem')).toHaveText(['solar']);
  // The account still has the tag, so it is added, not created.
  await tags.getByLabel('Tag to add').fill('harbour');
  await tags.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(tags.getByRole('listitem')).toHaveCount(2);
  expect((await service.call<unknown[]>('GET', '/v1/tag')).length).toBe(2);

  await page.getByRole('link', { name: 'Set location' }).click();
  const dialog = page.getByRole('dialog', { name: 'Location of buoy' });
  await dialog.getByLabel('Latitude').fill('95');
  await dialog.getByLabel('Longitude').fill('8');
  await dialog.getByRole('button', { name: 'Set location' }).click();
  await expect(dialog.getByText('Latitude must be between -90 and 90')).toBeVisible();
  await dialog.getByLabel('Latitude').fill('54.18, 7.89');
  await dialog.getByLabel('Longitude').focus();
  await expect(dialog.getByLabel('Latitude')).toHaveValue('54.18');
  await expect(dialog.getByLabel('Longitude')).toHaveValue('7.89');
  await dialog.getByRole('button', { name: 'Set location' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('region', { name: 'Location' }).getByText('54.18, 7.89')).toBeVisible();
});

test('a new key disconnects the agent that has the old one', async ({ signedIn: page, service }) => {
  const { DeviceId, DeviceKey } = await service.createDevice('stolen laptop');
  const agent = await service.agent(DeviceKey);
  await page.goto(`${service.url}/devices/${DeviceId}`);
  await expect(page.getByRole('heading', { level: 1, name: /stolen laptop\s*Online/ })).toBeVisible();
  await page.getByRole('link', { name: 'New key' }).first().click();
  const question = page.getByRole('dialog', { name: 'New key for stolen laptop?' });
  await question.getByText('Show it here').click();
  await expect(question).toContainText('The device is Online now: it stays disconnected');
  const said = agent.lines.length;
  await question.getByRole('button', { name: 'Create new key' }).click();
  const key = page.getByRole('dialog', { name: 'New key of stolen laptop' });
  await key.getByRole('button', { name: 'Reveal' }).click();
  const fresh = (await key.getByLabel('device key', { exact: true }).textContent()) ?? '';
  expect(fresh).not.toBe(DeviceKey);

  expect(await agent.ended).not.toBe(0);
  expect(agent.lines.slice(said)).toHaveLength(1);
  expect(agent.lines.at(-1)).toMatch(/key/);

  await service.agent(fresh);
  await key.getByRole('button', { name: 'Copy device key' }).click();
  await key.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByRole('heading', { level: 1, name: /stolen laptop\s*Online/ })).toBeVisible();
});

test.describe('of a device that is gone', () => {
  test.use({ expectedConsole: [/status of 404/] });

  test('the page says so, whether it never existed or was deleted meanwhile', async ({ signedIn: page, service }) => {
    await page.goto(`${service.url}/devices/no-such-device`);
    await expect(page.getByText('There is no device with this id.')).toBeVisible();
    await expect(page.getByText('no-such-device')).toBeVisible();

    const { DeviceId } = await service.createDevice('short-lived');
    await page.goto(`${service.url}/devices/${DeviceId}`);
    await expect(page.getByRole('heading', { level: 1, name: /short-lived/ })).toBeVisible();
    await service.call('DELETE', `/v1/devices/${DeviceId}`);
    await expect(page.getByText('short-lived no longer exists.')).toBeVisible();
    await page.getByRole('link', { name: 'All devices' }).click();
    await expect(page.getByText('No devices yet')).toBeVisible();

    const other = await service.createDevice('last one');
    await page.goto(`${service.url}/devices/${other.DeviceId}`);
    await page.getByRole('link', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete device' }).click();
    await expect(page.getByText('No devices yet')).toBeVisible();
  });
});

test('the name of another device gets a hint, and is still accepted', async ({ signedIn: page, service }) => {
  await service.createDevice('pump 7');
  await page.goto(`${service.url}/devices?dialog=add`);
  const add = page.getByRole('dialog', { name: 'Add a device' });
  await add.getByLabel('Name').fill('pump 8');
  await expect(add.getByText('Another device has this name.')).toBeHidden();
  await add.getByLabel('Name').fill('pump 7');
  await expect(add.getByText('Another device has this name.')).toBeVisible();
  await add.getByRole('button', { name: 'Add device' }).click();
  await expect(page.getByRole('dialog', { name: 'Connect pump 7' })).toBeVisible();
});

test('the timeline is filtered by kind, and a note is written and deleted', async ({ signedIn: page, service }) => {
  const { DeviceId, DeviceKey } = await service.createDevice('lift 1');
  await service.agent(DeviceKey);
  await service.call('PATCH', `/v1/devices/${DeviceId}`, { CustomerSite: 'Hamburg' });
  await page.goto(`${service.url}/devices/${DeviceId}`);
  const items = page.getByRole('list', { name: 'Timeline' }).getByRole('listitem');
  await expect(items.filter({ hasText: 'Online: connected for the first time' })).toHaveCount(1);
  await expect(items.filter({ hasText: 'Changed device' })).toContainText('Token');
  await page.getByRole('textbox', { name: 'Note' }).fill('New power supply');
  await page.getByRole('button', { name: 'Add note' }).click();
  await expect(items.filter({ hasText: 'New power supply' })).toHaveCount(1);
  await expect(page.getByRole('textbox', { name: 'Note' })).toHaveValue('');
  await expectAccessible(page);
  await page.getByRole('group', { name: 'Show' }).getByRole('button', { name: 'Notes' }).click();
  await expect(items).toHaveCount(1);
  await items.getByRole('button', { name: 'Delete note' }).click();
  const question = page.getByRole('dialog', { name: 'Delete note' });
  await expect(question).toContainText('New power supply');
  await question.getByRole('button', { name: 'Delete note' }).click();
  await expect(page.getByText('Nothing of this kind yet.')).toBeVisible();
});

test('the page of a device whose agent speaks HTTP says what that agent does not have', async ({
  signedIn: page,
  service,
}) => {
  const { DeviceId, DeviceKey } = await service.createDevice('router');
  const said = await fetch(`${service.url}/agent/v1/hello`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${DeviceKey}` },
    body: 'agent=1.0\nkind=sh\nos=Linux\n',
  });
  expect(said.status).toBe(200);
  await page.goto(`${service.url}/devices/${DeviceId}`);
  await expect(page.getByRole('region', { name: 'Agent', exact: true })).toContainText('Version1.0 (sh)');
  const tunnels = page.getByRole('region', { name: 'Tunnels' });
  await expect(tunnels).toContainText('This agent runs jobs and reports facts, but has no tunnels.');
  await expect(tunnels.getByRole('button', { name: 'Open a tunnel' })).toHaveAttribute('aria-disabled', 'true');
  await expectAccessible(page);
});
