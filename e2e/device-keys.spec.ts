// Keys of devices that are replaced over the connection of their agents.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { bar, choose, dialog, openDevices, selectShown } from './bulk-actions.ts';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';

/** An agent whose key is in a file; returns what the file holds now. */
async function withKeyFile(service: Service, key: string): Promise<() => Promise<string>> {
  const file = path.join(await service.folder('key'), 'device.key');
  await writeFile(file, `${key}\n`);
  await service.agent(key, { args: ['--key-file', file] });
  return async () => (await readFile(file, 'utf8')).trim();
}

/** What the service says to an agent with this key. */
const refused = (service: Service, key: string) =>
  service.agent(key, { prints: /refused this device key/ }).then(({ ended }) => ended);

test('a device takes its new key, stays Online, and the old one ends @main', async ({ signedIn: page, service }) => {
  const { DeviceId, DeviceKey } = await service.createDevice('pump 1');
  const stored = await withKeyFile(service, DeviceKey);
  await page.goto(`${service.url}/devices/${DeviceId}`);
  const heading = page.getByRole('heading', { level: 1, name: /pump 1\s*Online/ });
  await expect(heading).toBeVisible();
  await page.getByRole('link', { name: 'New key' }).first().click();
  const question = page.getByRole('dialog', { name: 'New key for pump 1?' });
  await expect(question).toContainText('stays Online; its jobs and tunnels go on');
  await expectAccessible(page);
  await question.getByRole('button', { name: 'Rotate key' }).click();
  await expect(page.getByText('pump 1 takes a new key')).toBeVisible();
  await expect(question).toBeHidden();
  await expect.poll(stored).not.toBe(DeviceKey);
  expect(await stored()).toMatch(/^mdk_/);
  expect(await refused(service, DeviceKey)).toBe(2);
  await page.reload();
  const timeline = page.getByRole('region', { name: 'Timeline' });
  await expect(timeline.getByText('Took new key')).toBeVisible();
  await expect(timeline.getByText('Asked device to take new key')).toBeVisible();
  await expect(heading).toBeVisible();
});

test('an agent that cannot store a key says why, and its key is shown instead', async ({ signedIn: page, service }) => {
  const { DeviceId, DeviceKey } = await service.createDevice('pump 1');
  await service.agent(DeviceKey);
  await page.goto(`${service.url}/devices/${DeviceId}?dialog=new-key`);
  const question = page.getByRole('dialog', { name: 'New key for pump 1?' });
  await expect(question.getByRole('radio', { name: 'Send it to the device' })).toBeDisabled();
  await expect(question).toContainText('It cannot be sent to the device. Its agent was started with DEVICE_KEY');
  await expectAccessible(page);
  await expect(question.getByRole('button', { name: 'Create new key' })).toBeEnabled();
});

test('selected devices take new keys; those that cannot are skipped with the reason', async ({
  signedIn: page,
  service,
}) => {
  const keys = [];
  const files = [];
  for (const name of ['pump 1', 'pump 2']) {
    const { DeviceKey } = await service.createDevice(name);
    keys.push(DeviceKey);
    files.push(await withKeyFile(service, DeviceKey));
  }
  await service.createDevice('pump 3');
  await openDevices(page, service);
  await selectShown(page).check();
  await expect(bar(page)).toContainText('3');
  await choose(page, 'Rotate keys');
  await expect(dialog(page).getByRole('region', { name: 'Plan' })).toContainText('2 of 3 devices take new keys.');
  await expect(dialog(page)).toContainText('1 skipped: it has never connected.');
  await dialog(page).getByRole('button', { name: 'Rotate the keys of 2 devices' }).click();
  await expect(dialog(page)).toContainText('2 done');
  for (const [index, stored] of files.entries()) await expect.poll(stored).not.toBe(keys[index]);
  expect(await refused(service, keys[0] ?? '')).toBe(2);
});

test('a device that was away takes its new key when it is back', async ({ signedIn: page, service }) => {
  const { DeviceId, DeviceKey } = await service.createDevice('pump 1');
  const agent = await service.agent(DeviceKey);
  await agent.end();
  await page.goto(`${service.url}/devices/${DeviceId}?dialog=new-key`);
  const question = page.getByRole('dialog', { name: 'New key for pump 1?' });
  await question.getByRole('button', { name: 'Rotate key' }).click();
  const about = page.getByRole('region', { name: 'Agent', exact: true });
  await expect(about).toContainText('Gets a new one when it is online again');
  const stored = await withKeyFile(service, DeviceKey);
  await expect.poll(stored).not.toBe(DeviceKey);
  await expect(about).not.toContainText('Key');
});

test('an Admin has keys rotate after some days', async ({ page, service }) => {
  await page.goto(service.signInLink);
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
  await page.goto(`${service.url}/settings/sign-in`);
  const choice = page.getByRole('combobox', { name: 'Rotate device keys' });
  await expect(choice).toHaveValue('0');
  await choice.selectOption('Every 90 days');
  await expect
    .poll(async () => (await service.call<{ KeyRotationDays?: number }>('GET', '/v1/account')).KeyRotationDays)
    .toBe(90);
  await page.reload();
  await expect(choice).toHaveValue('90');
  await expectAccessible(page);
});
