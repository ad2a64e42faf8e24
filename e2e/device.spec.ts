// The page of a device: its tags, location, key and timeline.
import { expect, expectAccessible, test } from './fixtures.ts';

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
