// Devices that join by themselves, with the real agent.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';

/** Creates a key in the dialog; gives its secret. */
async function createKey(
  page: Page,
  service: Service,
  name: string,
  fill: (dialog: ReturnType<Page['getByRole']>) => Promise<void>,
) {
  await page.goto(`${service.url}/devices/enrolment`);
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create enrolment key' });
  await dialog.getByLabel('Name').fill(name);
  await fill(dialog);
  const allows = await dialog.getByLabel('Allow tunnels').isChecked();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Create key' }).click();
  const once = page.getByRole('dialog', { name: `Enrolment key “${name}”` });
  const options = allows ? ' -s -- --allow-tunnels loopback' : '';
  await expect(once.getByText(new RegExp(`install\\.sh \\| ENROL_KEY=•••••••• sh${options}$`)).first()).toBeVisible();
  await once.getByRole('button', { name: 'Reveal' }).click();
  const secret = await once.getByLabel('enrolment key', { exact: true }).innerText();
  const download = page.waitForEvent('download');
  await once.getByRole('button', { name: 'Download' }).click();
  await download;
  await expect(once.getByText(new RegExp(`ENROL_KEY=${secret} sh${options}$`)).first()).toBeVisible();
  await once.getByRole('button', { name: 'Done' }).click();
  return secret;
}

/** A folder for an agent, with a file that holds the enrolment key. */
async function imageWith(service: Service, secret: string) {
  const data = await service.folder('enrolled');
  const keyFile = path.join(data, 'enrol-key');
  writeFileSync(keyFile, `${secret}\n`);
  return { data, keyFile, args: ['--enrol-key-file', keyFile] };
}

const row = (page: Page, table: string, name: string | RegExp) =>
  page.getByRole('table', { name: table }).getByRole('row', { name });

test('a device joins with the key of an image, into its group, and forgets that key', async ({
  signedIn: page,
  service,
}) => {
  const secret = await createKey(page, service, 'golden image', async (dialog) => {
    await dialog.getByRole('combobox', { name: 'Group' }).fill('line 7');
    await dialog.getByLabel('Device limit').fill('1');
    await dialog.getByLabel('Require approval').uncheck();
    await dialog.getByLabel('Allow tunnels').uncheck();
  });
  const { data, keyFile, args } = await imageWith(service, secret);
  await service.agent('', { data, args });
  const key = row(page, 'Enrolment keys', /golden image/);
  await expect(key).toContainText('1 of 1');
  await expect(key).toContainText('Used up');
  await expect(key.getByRole('cell', { name: 'Not allowed' })).toBeVisible();
  await key.getByRole('link', { name: 'line 7' }).click();
  await expect(page.getByRole('table', { name: 'Devices' }).getByText('Online')).toBeVisible();
  expect(existsSync(keyFile)).toBe(false);
  const own = path.join(data, 'key');
  expect(readFileSync(own, 'utf8')).not.toContain(secret);
  expect(statSync(own).mode & 0o777).toBe(0o600);
});

test('a device that waits is approved with its fingerprint, under another name', async ({
  signedIn: page,
  service,
}) => {
  const secret = await createKey(page, service, 'workshop', async (dialog) => {
    await dialog.getByRole('combobox', { name: 'Group' }).fill('plant');
  });
  const { data, args } = await imageWith(service, secret);
  const agent = await service.agent('', { data, args, prints: /Waiting for approval/ });
  const [, fingerprint = ''] = await agent.line(/Fingerprint of this machine: (\w+)/);
  const waiting = row(page, 'Devices that wait for approval', new RegExp(fingerprint));
  await expect(waiting).toContainText('New device');
  await waiting.getByRole('button', { name: /^Approve/ }).click();
  const dialog = page.getByRole('dialog', { name: /^Approve/ });
  await dialog.getByLabel('Name').fill('pump 12');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Approve' }).click();
  await expect(page.getByText('No devices are waiting.')).toBeVisible();
  await agent.line(/connected/i);
  await page.goto(`${service.url}/devices?q=pump`);
  await expect(row(page, 'Devices', /pump 12/)).toContainText('Online');
});

test('a rejected device is told so, stays out, and can be approved after all', async ({ signedIn: page, service }) => {
  const secret = await createKey(page, service, 'workshop', async () => {});
  const { data, args } = await imageWith(service, secret);
  const agent = await service.agent('', { data, args, prints: /Waiting for approval/ });
  await page.getByRole('button', { name: /^Reject/ }).click();
  await page.getByRole('dialog', { name: 'Reject device' }).getByRole('button', { name: 'Reject' }).click();
  await agent.line(/This device was rejected/);
  expect(await agent.ended).toBe(2);
  const rejected = page.getByRole('table', { name: 'Devices that wait for approval' });
  await expect(rejected.getByText('Rejected')).toBeVisible();
  await rejected.getByRole('button', { name: /^Approve/ }).click();
  await page
    .getByRole('dialog', { name: /^Approve/ })
    .getByRole('button', { name: 'Approve' })
    .click();
  await service.agent('', { data, args });
});

test('new devices that wait are counted beside the link, and approved together, but for a name that is taken', async ({
  signedIn: page,
  service,
}) => {
  await service.createDevice('pump 2');
  const draft = { Name: 'image', DeviceGroup: 'plant', NeedsApproval: true };
  const { EnrolKey } = await service.call<{ EnrolKey: string }>('POST', '/v1/enrolment', draft);
  for (const name of ['pump 1', 'pump 2', 'pump 3'])
    await service.call('POST', '/v1/enrol', { EnrolKey, MachineId: `machine ${name}`, DeviceName: name });
  await page.goto(`${service.url}/devices/enrolment`);
  await expect(page.getByRole('link', { name: 'Devices 3 waiting for approval' })).toBeVisible();
  await expect(row(page, 'Devices that wait for approval', /pump 2/)).toContainText('Another device has this name');
  await page.getByRole('button', { name: 'Approve 3 new devices…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Approve 2 devices' }).click();
  await expect(row(page, 'Devices that wait for approval', /pump [13]/)).toHaveCount(0);
  await page.goto(`${service.url}/devices`);
  await page.getByRole('link', { name: 'Review', exact: true }).click();
  await page.getByRole('button', { name: 'Approve pump 2' }).click();
  await expect(dialog).toContainText('Another device has this name.');
  await dialog.getByLabel('Name').fill('pump 4');
  await dialog.getByRole('button', { name: 'Approve', exact: true }).click();
  await expect(page.getByText('No devices are waiting.')).toBeVisible();
  await page.goto(`${service.url}/devices`);
  for (const name of ['pump 1', 'pump 2', 'pump 3', 'pump 4'])
    await expect(row(page, 'Devices', new RegExp(name))).toBeVisible();
});

test('new devices that wait are rejected together, and stay in the list', async ({ signedIn: page, service }) => {
  const draft = { Name: 'image', DeviceGroup: 'plant', NeedsApproval: true };
  const { EnrolKey } = await service.call<{ EnrolKey: string }>('POST', '/v1/enrolment', draft);
  for (const name of ['pump 1', 'pump 2'])
    await service.call('POST', '/v1/enrol', { EnrolKey, MachineId: `machine ${name}`, DeviceName: name });
  await page.goto(`${service.url}/devices/enrolment`);
  await page.getByRole('button', { name: 'Reject 2 new devices…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Reject 2 devices' }).click();
  const table = page.getByRole('table', { name: 'Devices that wait for approval' });
  await expect(table.getByText('Rejected')).toHaveCount(2);
});

test('the dialog that adds a device leads to pairing', async ({ signedIn: page, service }) => {
  await page.goto(`${service.url}/devices?dialog=add`);
  await page
    .getByRole('dialog', { name: 'Add a device' })
    .getByRole('link', { name: 'Pair a device that shows a code' })
    .click();
  await expect(page.getByRole('dialog', { name: 'Pair a device' })).toBeVisible();
});

test.describe('a device that shows a code', () => {
  test.use({ expectedConsole: [/404 .*\/v1\/pair\/AAAA-AAAA\/claim/] });

  test('is paired by typing it', async ({ signedIn: page, service }) => {
    const agent = await service.agent('', { args: ['--pair'], prints: /Pairing code/ });
    const [, code = ''] = await agent.line(/Pairing code: (\S+)\./);
    await page.goto(`${service.url}/devices/enrolment`);
    await page.getByRole('button', { name: 'Pair a device' }).click();
    const dialog = page.getByRole('dialog', { name: 'Pair a device' });
    await dialog.getByLabel('Code').fill('AAAA-AAAA');
    await dialog.getByLabel('Name').fill('display 4');
    await dialog.getByRole('button', { name: 'Pair', exact: true }).click();
    await expect(dialog.getByText('No device shows this code now')).toBeVisible();
    await dialog.getByLabel('Code').fill(code.toLowerCase());
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Pair', exact: true }).click();
    await expect(page.getByRole('heading', { name: 'display 4' })).toBeVisible();
    await agent.line(/connected/i);
    await expect(page.getByText('Online').first()).toBeVisible();
  });
});
