// The device table: create, find, page, edit, delete; the view survives Back and reload.
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, test, type Service } from './fixtures.ts';

const rows = (page: Page) => page.getByRole('table', { name: 'Devices' }).getByRole('row');
/** The links that name the rows. */
const rowLinks = (page: Page) => page.getByRole('table', { name: 'Devices' }).getByRole('link');
const expectNames = (page: Page, names: string[]) => expect(rowLinks(page)).toHaveText(names);

async function openDevices(page: Page, service: Service, search = ''): Promise<void> {
  await page.goto(`${service.url}/devices${search}`);
  await expect(page.getByRole('heading', { level: 1, name: 'Devices' })).toBeVisible();
}

async function openMenu(page: Page, device: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${device}` }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

const allNames = async (service: Service) =>
  (await service.call<{ Devices: { DeviceName: string }[] }>('GET', '/v1/devices/1/100')).Devices.map(
    ({ DeviceName }) => DeviceName,
  );

test('a device is created; its key is shown once and cannot be lost by a slip @main', async ({
  signedIn: page,
  service,
}) => {
  await service.createDevice('older', 'north');
  await openDevices(page, service);
  await page.getByRole('link', { name: 'Add a device' }).click();
  const add = page.getByRole('dialog', { name: 'Add a device' });
  await add.getByRole('button', { name: 'Add device' }).click();
  await expect(add.getByText('Name must not be empty')).toBeVisible();
  await add.getByLabel('Name').fill('  pump 7  ');
  await add.getByLabel('Group').fill('north');
  await add.getByRole('button', { name: 'Add device' }).click();

  const key = page.getByRole('dialog', { name: 'Connect pump 7' });
  const done = key.getByRole('button', { name: 'Done' });
  await expect(done).toBeDisabled();
  await page.keyboard.press('Escape');
  await page.mouse.click(4, 4);
  await expect(key).toBeVisible();
  await page.goBack();
  await expect(key.getByRole('alert')).toContainText('Leaving now loses the key');
  await key.getByRole('button', { name: 'Stay' }).click();

  // Hidden until asked for, and what is downloaded is what a real agent gets in with.
  await expect(key.getByLabel('device key, hidden')).toHaveText(/^•+$/);
  await key.getByRole('button', { name: 'Reveal' }).click();
  const shown = await key.getByLabel('device key', { exact: true }).textContent();
  await expect(key.getByLabel('On the device, with curl')).toContainText(`DEVICE_KEY=${shown} sh`);
  const downloading = page.waitForEvent('download');
  await key.getByRole('button', { name: 'Download' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe('pump-7.key');
  const saved = (await readFile(await download.path(), 'utf8')).trim();
  expect(saved).toBe(shown);
  await expect(done).toBeEnabled();
  await service.agent(saved);
  const arrived = page.getByRole('dialog', { name: 'pump 7 is connected' });
  await expect(arrived.getByText('pump 7 is online')).toBeVisible();
  await arrived.getByRole('link', { name: 'Open the device' }).click();
  await expect(page.getByRole('heading', { level: 1, name: /pump 7\s*Online/ })).toBeVisible();
  expect(await page.content()).not.toContain(saved);

  await page.goBack();
  await expectNames(page, ['older', 'pump 7']);
  await expect(page.getByRole('dialog')).toBeHidden();
});

/** Two gates, of which one is Online, and a pump with a tag. */
async function openThree(page: Page, service: Service): Promise<{ DeviceId: string }> {
  const online = await service.createDevice('gate-east', 'gates');
  await service.createDevice('gate-west', 'gates');
  const pump = await service.createDevice('Pump east', 'pumps');
  await service.call('POST', '/v1/tag/outdoors');
  const [tag] = await service.call<{ TagId: string }[]>('GET', '/v1/tag');
  await service.call('POST', `/v1/devices/${pump.DeviceId}/tag/${tag?.TagId}`);
  await service.agent(online.DeviceKey);
  await openDevices(page, service);
  await expectNames(page, ['gate-east', 'gate-west', 'Pump east']);
  return pump;
}

test('devices are found by a part of the name and by status, in the URL, for reload and Back @main', async ({
  signedIn: page,
  service,
}) => {
  await openThree(page, service);
  await page.getByLabel('Search devices by name or ID').fill('EAST');
  await expectNames(page, ['gate-east', 'Pump east']);
  await expect(page).toHaveURL(/[?&]q=EAST/);
  await page.reload();
  await expectNames(page, ['gate-east', 'Pump east']);
  await expect(page.getByLabel('Search devices by name or ID')).toHaveValue('EAST');

  const status = page.getByRole('radiogroup', { name: 'Filter by status' });
  await status.getByText('Online').click();
  await expectNames(page, ['gate-east']);
  const isNew = page.getByRole('button', { name: /^Not connected yet/ });
  await isNew.click();
  await expectNames(page, ['Pump east']);
  await expect(isNew).toHaveAttribute('aria-pressed', 'true');
  await page.goBack();
  await expectNames(page, ['gate-east']);
  await expect(status.getByRole('radio', { name: 'Online' })).toBeChecked();
  await page.goForward();
  await expectNames(page, ['Pump east']);
  await page.getByRole('button', { name: 'Clear', exact: true }).click();
  await expect(page).toHaveURL(`${service.url}/devices`);
  await expectNames(page, ['gate-east', 'gate-west', 'Pump east']);
});

test('devices are found by group and by tag, and a reload shows the same', async ({ signedIn: page, service }) => {
  await openThree(page, service);
  await page.getByRole('button', { name: 'Filter by group' }).click();
  await page.getByRole('option', { name: /^gates/ }).click();
  await page.keyboard.press('Escape');
  await expectNames(page, ['gate-east', 'gate-west']);
  await page.getByRole('button', { name: 'Clear', exact: true }).click();

  await page.getByRole('button', { name: 'Filter by tag' }).click();
  await page.getByRole('option', { name: 'outdoors' }).click();
  await page.keyboard.press('Escape');
  await expectNames(page, ['Pump east']);
  await page.reload();
  await expectNames(page, ['Pump east']);
  await page.getByRole('button', { name: 'Clear', exact: true }).click();
});

test('the view is as it was after a visit to a device', async ({ signedIn: page, service }) => {
  const pump = await openThree(page, service);
  await page.getByLabel('Search devices by name or ID').fill(pump.DeviceId.slice(4));
  await expectNames(page, ['Pump east']);
  await page.getByRole('link', { name: 'Pump east' }).click();
  await expect(page.getByRole('heading', { level: 1, name: /Pump east/ })).toBeVisible();
  await page.goBack();
  await expectNames(page, ['Pump east']);
  await expect(page.getByLabel('Search devices by name or ID')).toHaveValue(pump.DeviceId.slice(4));
});

test('devices are found by customer, site, group and tag, and Enter chooses the only value of a filter', async ({
  signedIn: page,
  service,
}) => {
  const { DeviceId } = await service.createDevice('pump', 'Halle 7');
  await service.createDevice('valve', 'yard');
  await service.call('PATCH', `/v1/devices/${DeviceId}`, { CustomerName: 'Acme', CustomerSite: 'Dock 4' });
  await service.call('POST', '/v1/tag/outdoors');
  const [tag] = await service.call<{ TagId: string }[]>('GET', '/v1/tag');
  await service.call('POST', `/v1/devices/${DeviceId}/tag/${tag?.TagId}`);
  await page.goto(`${service.url}/devices`);
  const valve = page.getByRole('link', { name: 'valve', exact: true });
  const pump = page.getByRole('link', { name: 'pump', exact: true });
  const search = page.getByLabel('Search devices by name or ID');
  for (const words of ['acme', 'dock', 'halle', 'outdoor']) {
    await search.fill(words);
    await expect(valve).toHaveCount(0);
    await expect(pump).toBeVisible();
    await search.fill('');
    await expect(valve).toBeVisible();
  }
  await page.keyboard.press('Control+k');
  await page.keyboard.type('acme');
  await expect(page.getByRole('option', { name: /pump/ })).toBeVisible();
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Filter by Group' }).click();
  await page.getByPlaceholder(/Find .*a group/).fill('yar');
  await expect(page.getByRole('listbox', { name: 'Values of group' }).getByRole('option')).toHaveCount(1);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/group=yard/);
});

test('60 devices are paged through, 25 a page, where pages are asked for', async ({ signedIn: page, service }) => {
  for (let number = 1; number <= 60; number += 1)
    await service.createDevice(`unit-${String(number).padStart(2, '0')}`, number % 2 ? 'odd' : 'even');
  await openDevices(page, service, '?rows=25');
  const shown = page.getByRole('status', { name: 'Devices shown' });
  await expect(shown).toHaveText('1–25 of 60');
  await expect(rows(page)).toHaveCount(26);
  await expect(rowLinks(page).first()).toHaveText('unit-01');

  await page.getByRole('button', { name: 'Next page' }).click();
  await expect(shown).toHaveText('26–50 of 60');
  await expect(rowLinks(page).first()).toHaveText('unit-26');
  await page.getByRole('button', { name: 'Last page' }).click();
  await expect(shown).toHaveText('51–60 of 60');
  await expect(rowLinks(page).last()).toHaveText('unit-60');
  const next = page.getByRole('button', { name: 'Next page' });
  await expect(next).toBeDisabled();
  await expect(next).toHaveAttribute('title', 'This is the last page');
  await page.reload();
  await expect(shown).toHaveText('51–60 of 60');
  await page.goBack();
  await expect(shown).toHaveText('26–50 of 60');

  const number = page.getByRole('textbox', { name: 'Page' });
  await number.fill('99');
  await number.press('Enter');
  await expect(shown).toHaveText('51–60 of 60');
  await expect(page).toHaveURL(/page=3/);

  // The row that was at the top stays on the page of another size.
  await page.getByLabel('Rows per page').selectOption('50');
  await expect(shown).toHaveText('51–60 of 60');
  await expect(page).toHaveURL(/rows=50&page=2/);

  // A filter starts at the first page again.
  await page.getByRole('button', { name: 'Filter by group' }).click();
  await page.getByRole('option', { name: /^even/ }).click();
  await page.keyboard.press('Escape');
  await expect(shown).toHaveText('1–30 of 30');
  await expect(rowLinks(page).first()).toHaveText('unit-02');
});

test('an edit sends the changed field only, a delete names what ends with it @main', async ({
  signedIn: page,
  service,
}) => {
  const { DeviceId } = await service.createDevice('mixer', 'north');
  await service.createDevice('stays', 'north');
  await openDevices(page, service, '?group=north');
  await openMenu(page, 'mixer', 'Edit');
  const edit = page.getByRole('dialog', { name: 'Edit mixer' });
  await expect(edit.getByText('No changes yet.')).toBeVisible();
  await expect(edit.getByRole('button', { name: 'Save' })).toBeDisabled();
  await edit.getByLabel('Customer').fill('Acme');
  const sent = page.waitForRequest((request) => request.method() === 'PATCH');
  await edit.getByRole('button', { name: 'Save' }).click();
  expect((await sent).postDataJSON()).toEqual({ CustomerName: 'Acme' });
  expect(new URL((await sent).url()).pathname).toBe(`/v1/devices/${DeviceId}`);
  await expect(edit).toBeHidden();
  await expect(rows(page).filter({ hasText: 'mixer' })).toContainText('Acme');
  await expect(page).toHaveURL(`${service.url}/devices?group=north`);

  await openMenu(page, 'mixer', 'Delete');
  const question = page.getByRole('dialog', { name: 'Delete mixer?' });
  await expect(question).toContainText('Its key, waiting jobs and tunnels are deleted too.');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(question).toBeHidden();
  await expectNames(page, ['mixer', 'stays']);
  await openMenu(page, 'mixer', 'Delete');
  await question.getByRole('button', { name: 'Delete device' }).click();
  await expectNames(page, ['stays']);
  await expect(page).toHaveURL(`${service.url}/devices?group=north`);
  expect(await allNames(service)).toEqual(['stays']);
});

test('on a phone the table is usable and the page never scrolls sideways', async ({ signedIn: page, service }) => {
  const long = `a very long name of a device ${'that goes on '.repeat(8)}end`;
  const { DeviceId } = await service.createDevice(long, `a group with a long name ${'and more '.repeat(10)}`);
  for (let number = 1; number <= 26; number += 1) await service.createDevice(`unit-${number}`, 'north');
  const expectNoSidewaysScroll = async () => {
    const overflow = () =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    await expect.poll(overflow).toBe(0);
    const ofMain = () => page.getByRole('main').evaluate((main) => main.scrollWidth - main.clientWidth);
    await expect.poll(ofMain).toBe(0);
  };
  await page.setViewportSize({ width: 390, height: 844 });
  await openDevices(page, service, '?rows=25');
  await expect(page.getByRole('link', { name: long })).toBeVisible();
  await expectNoSidewaysScroll();
  const row = rows(page).filter({ hasText: 'unit-1' }).first();
  await expect(row.getByText('Not connected yet')).toBeInViewport();
  await expect(row.getByText('north')).toBeInViewport();
  await page.getByRole('button', { name: 'Next page' }).click();
  await expect(page.getByRole('status', { name: 'Devices shown' })).toHaveText('26–27 of 27');
  await page.getByLabel('Search devices by name or ID').fill('unit-2');
  await expect(rowLinks(page)).toHaveCount(8);
  await openMenu(page, 'unit-20', 'Edit');
  await page.getByRole('dialog').getByLabel('Site').fill('Dock 4');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
  await expectNoSidewaysScroll();

  await page.goto(`${service.url}/devices/${DeviceId}`);
  await expect(page.getByRole('heading', { level: 1, name: long })).toBeVisible();
  await expectNoSidewaysScroll();
});
