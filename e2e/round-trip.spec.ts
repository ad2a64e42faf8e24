// Devices exported to a file, edited there and imported again: the same devices change, and none is made twice.
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';
import { choose, openDevices, selectShown } from './bulk-actions.ts';
import { cell, devices, rowsRegion } from './rows-to-create.ts';

/** Selects all devices of the table and exports them. */
async function exportAll(page: Page, service: Service): Promise<string> {
  await openDevices(page, service);
  await selectShown(page).check();
  await choose(page, 'Export as CSV');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV' }).click();
  return readFile(await (await download).path(), 'utf8');
}

async function importText(page: Page, service: Service, text: string): Promise<void> {
  await page.goto(`${service.url}/devices/add-many`);
  const file = { name: 'devices.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
  await page.getByLabel('CSV file').setInputFiles(file);
  await expect(page.getByRole('table', { name: 'Rows' })).toBeVisible();
}

const planOf = (page: Page) => rowsRegion(page).getByRole('status');

test('an edited export changes its devices, shows old and new values, and creates what has no id', async ({
  signedIn: page,
  service,
}) => {
  for (const name of ['pump 1', 'pump 2', 'pump 3', 'fan']) await service.createDevice(name, 'north');
  const csv = await exportAll(page, service);
  const [head = '', ...lines] = csv.trimEnd().split('\r\n');
  const edited = lines.map((line) => (line.includes('pump') ? line.replace(',north,', ',south,') : line));
  await importText(page, service, [head, ...edited, ',valve,south', 'gone-id,lost,south'].join('\r\n'));
  await expect(planOf(page)).toContainText(
    '3 devices will be changed, 1 device will be created, 1 is the same, 1 id is unknown and left out',
  );
  await expect(cell(page, 'Group', 1)).toHaveAccessibleDescription('Was north');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Change 3 devices…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change 3 devices' });
  await expect(dialog.getByRole('row', { name: 'pump 1 Group north south' })).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole('textbox').fill('3');
  await dialog.getByRole('button', { name: 'Change 3 devices' }).click();
  await expect(dialog.getByText('3 done').first()).toBeVisible();
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
  await expect(planOf(page)).toContainText('No device will be changed, 1 device will be created, 4 are the same');
  await page.getByRole('button', { name: 'Create 1 device' }).click();
  await expect(page.getByText('1 of 1 device created', { exact: true })).toBeVisible();
  const now = (await devices(service)).map(({ DeviceName, DeviceGroup }) => `${DeviceName} ${DeviceGroup}`);
  expect(now.toSorted()).toEqual(['fan north', 'pump 1 south', 'pump 2 south', 'pump 3 south', 'valve south']);
});

test('each device gets its own values, tags and location', async ({ signedIn: page, service }) => {
  const { DeviceId: one } = await service.createDevice('pump 1', 'north');
  const { DeviceId: two } = await service.createDevice('pump 2', 'north');
  const rows = [`${one},pump A,ACME,edge;old\\; odd,52.5,13.4`, `${two},pump 2,,edge,,`];
  await importText(page, service, ['sep=,', 'id,name,customer,tags,lat,lng', ...rows].join('\n'));
  await page.getByRole('button', { name: 'Change 2 devices…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change 2 devices' });
  await expect(dialog.getByRole('row', { name: 'pump 1 Name pump 1 pump A' })).toBeVisible();
  await dialog.getByRole('textbox').fill('2');
  await dialog.getByRole('button', { name: 'Change 2 devices' }).click();
  await expect(dialog.getByText('2 done').first()).toBeVisible();
  const made = await devices(service);
  expect(made).toHaveLength(2);
  expect(made.find(({ DeviceId }) => DeviceId === one)).toMatchObject({ DeviceName: 'pump A', CustomerName: 'ACME' });
  expect(made.map(({ Tags = [] }) => Tags.map(({ TagName }) => TagName).toSorted())).toEqual([
    ['edge', 'old; odd'],
    ['edge'],
  ]);
  const places = await service.call<{ DeviceId: string; Lat: number }[]>('GET', '/v1/devices/location');
  expect(places.find(({ DeviceId }) => DeviceId === one)).toMatchObject({ Lat: 52.5 });
  // Exported and read again, nothing is different.
  await importText(page, service, await exportAll(page, service));
  await expect(planOf(page)).toContainText('No device will be changed, 2 are the same');
});
