// Many devices at once: selected over pages, changed with a plan before and a result for each after, and as a CSV file.
import { expectBlocked } from './blocked.ts';
import {
  bar,
  choose,
  createMany,
  devicesOf,
  dialog,
  openDevices,
  selectShown,
  setGroup,
  textOf,
} from './bulk-actions.ts';
import { expect, expectAccessible, test, withoutOffers } from './fixtures.ts';

test('a tag goes on devices of two pages, selected with Shift and from page to page @main', async ({
  signedIn: page,
  service,
}) => {
  await createMany(service, 40);
  await openDevices(page, service, '?rows=25');
  await page.getByRole('checkbox', { name: 'Select device 24' }).check();
  await page.getByRole('checkbox', { name: 'Select device 25' }).check();
  await page.getByRole('button', { name: 'Next page' }).click();
  await expect(bar(page)).toContainText('2 selected · 2 not on this page');
  await page.getByRole('checkbox', { name: 'Select device 26' }).check();
  await page.getByRole('checkbox', { name: 'Select device 29' }).click({ modifiers: ['Shift'] });
  await expect(bar(page)).toContainText('6 selected · 2 not on this page');
  await page.getByRole('checkbox', { name: 'Select device 29' }).uncheck();
  // A filter hides some of them and changes nothing.
  await page.getByLabel('Search devices by name or ID').fill('device 25');
  await expect(bar(page)).toContainText('5 selected · 4 not on this page');

  await choose(page, 'Add a tag');
  await dialog(page).getByRole('combobox', { name: 'Tag' }).fill('outdoors');
  await expect(dialog(page).getByText('There is no tag “outdoors” yet: it is created first.')).toBeVisible();
  await dialog(page).getByRole('button', { name: 'Create and add to 5 devices' }).click();
  await expect(dialog(page).getByText('5 done.')).toBeVisible();
  await page.keyboard.press('Escape');
  const tagged = async () =>
    (await devicesOf(service)).filter(({ Tags }) => Tags.length > 0).map(({ DeviceName }) => DeviceName);
  expect(await tagged()).toEqual(['device 24', 'device 25', 'device 26', 'device 27', 'device 28']);

  await choose(page, 'Remove a tag');
  await dialog(page).getByRole('combobox', { name: 'Tag' }).click();
  await page.getByRole('option', { name: 'outdoors · on 5 devices' }).click();
  await dialog(page).getByRole('button', { name: 'Remove from 5 devices' }).click();
  await expect(dialog(page).getByText('5 done.')).toBeVisible();
  await page.keyboard.press('Escape');
  expect(await tagged()).toEqual([]);
  await bar(page).getByRole('button', { name: 'Clear selection' }).click();
  await expect(bar(page)).toBeHidden();
});

test('a location is set for all of them, and an empty customer only on purpose', async ({
  signedIn: page,
  service,
}) => {
  await createMany(service, 3);
  const [first] = await devicesOf(service);
  await service.call('PATCH', `/v1/devices/${first?.DeviceId}`, { CustomerName: 'Acme' });
  await openDevices(page, service);
  await selectShown(page).check();
  await choose(page, 'Set location');
  await dialog(page).getByLabel('Latitude').fill('91');
  await dialog(page).getByLabel('Longitude').fill('8.5');
  await expect(dialog(page).getByText('Latitude must be between -90 and 90')).toBeVisible();
  await expectBlocked(dialog(page).getByRole('button', { name: 'Place 3 devices' }), 'The coordinates cannot be used.');
  await dialog(page).getByLabel('Latitude').fill('47.4, 8.6');
  await dialog(page).getByLabel('Longitude').focus();
  await expect(dialog(page).getByLabel('Longitude')).toHaveValue('8.6');
  await dialog(page).getByRole('button', { name: 'Place 3 devices' }).click();
  await expect(dialog(page).getByText('3 done.')).toBeVisible();
  await page.keyboard.press('Escape');
  const places = await service.call<{ Lat: number; Lng: number }[]>('GET', '/v1/devices/location');
  expect(places.map(({ Lat, Lng }) => [Lat, Lng])).toEqual([1, 2, 3].map(() => [47.4, 8.6]));

  await choose(page, 'Set customer');
  await expectBlocked(
    dialog(page).getByRole('button', { name: 'Set the customer of 3 devices' }),
    'Type a customer first.',
  );
  await dialog(page).getByText('Leave it empty').click();
  await expect(dialog(page).getByText('1 of 3 devices changes.')).toBeVisible();
  await dialog(page).getByRole('button', { name: 'Clear the customer of 1 device' }).click();
  await expect(dialog(page).getByText('1 done, 2 skipped.')).toBeVisible();
  expect((await service.call<object[]>('GET', '/v1/devices/1/10/filters?device_name=device')).length).toBe(3);
  expect(JSON.stringify(await devicesOf(service))).not.toContain('Acme');
});

test('devices are deleted after their number was typed', async ({ signedIn: page, service }) => {
  await createMany(service, 5);
  await openDevices(page, service);
  for (const name of ['device 1', 'device 3', 'device 5'])
    await page.getByRole('checkbox', { name: `Select ${name}` }).check();
  await choose(page, 'Delete');
  await expect(dialog(page).getByText('Their keys, waiting jobs and tunnels are deleted')).toBeVisible();
  const confirm = dialog(page).getByRole('button', { name: 'Delete 3 devices' });
  await expectBlocked(confirm, 'Type 3 first.');
  await dialog(page).getByLabel('Type 3 to confirm').fill('5');
  await expectBlocked(confirm, 'Type 3 first.');
  await dialog(page).getByLabel('Type 3 to confirm').fill('3');
  await page.keyboard.press('Enter');
  await expect(dialog(page).getByText('3 done.')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toBeHidden();
  await expect(bar(page)).toBeHidden();
  await expect(page.getByRole('table', { name: 'Devices' }).getByRole('link')).toHaveText(['device 2', 'device 4']);
});

test('the file of a selection holds hostile names as text, and no keys', async ({ signedIn: page, service }) => {
  const names = ['=cmd()', '-1+2', 'say "hi", twice', 'two\nlines', 'plain'];
  const keys: string[] = [];
  for (const name of names) keys.push((await service.createDevice(name, 'north')).DeviceKey);
  const [first] = await devicesOf(service);
  await service.locate(first?.DeviceId ?? '', -33.5, 151);
  await openDevices(page, service);
  await selectShown(page).check();
  await choose(page, 'Export as CSV');
  const downloading = page.waitForEvent('download');
  await dialog(page).getByRole('button', { name: 'Download CSV' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toMatch(/^devices-\d{4}-\d\d-\d\d\.csv$/);
  const text = await textOf(download);
  expect(text.startsWith('\uFEFFid,name,group,status,customer,site,tags,address,last seen,created,lat,lng')).toBe(true);
  expect(text).toContain(",'=cmd(),north,");
  expect(text).toContain(",'-1+2,north,");
  expect(text).toContain(',"say ""hi"", twice",north,');
  expect(text).toContain(',"two\nlines",north,');
  expect(text).toContain(',plain,north,');
  expect(text).toContain(',-33.5,151');
  for (const key of keys) expect(text).not.toContain(key);
  await expect(dialog(page)).toBeHidden();
});

test('selection and dialogs are accessible', async ({ signedIn: page, service }) => {
  test.setTimeout(180_000);
  await createMany(service, 3);
  await service.call('POST', '/v1/tag/outdoors');
  await openDevices(page, service);
  await page.getByRole('checkbox', { name: 'Select device 2' }).check();
  await expectAccessible(page);
  await bar(page).getByRole('button', { name: 'Actions' }).click();
  await expect(page.getByRole('menuitem', { name: 'Delete' })).toBeVisible();
  await expectAccessible(page, '[role="menu"]');
  await page.keyboard.press('Escape');
  for (const action of ['Set site', 'Set location', 'Add a tag', 'Export as CSV', 'Delete'])
    await test.step(action, async () => {
      await choose(page, action);
      await expectAccessible(page);
      await page.keyboard.press('Escape');
      await expect(dialog(page)).toBeHidden();
    });
  await setGroup(page, 'north');
  await expectAccessible(page);
  await dialog(page).getByRole('button', { name: 'Set the group of 1 device' }).click();
  await expect(dialog(page).getByText('1 done.')).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toBeHidden();
  await expectAccessible(page);
  const overflow = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await expect.poll(overflow).toBe(0);
  await bar(page).getByRole('button', { name: 'Select all 3' }).click();
  await expect(bar(page)).toContainText('3 selected');
});

test.describe('on a service that reports no changes and does no bulk work', () => {
  test('what was done is on the table before it is read again', async ({ signedIn: page, service }) => {
    await createMany(service, 3);
    await withoutOffers(page, 'bulk', 'live');
    await openDevices(page, service, '?sort=name');
    await selectShown(page).check();
    await setGroup(page, 'north');
    // From now on no list of devices is answered.
    const lists = /\/v1\/devices\/\d+\/\d+/;
    await page.route(lists, () => {});
    await dialog(page).getByRole('button', { name: 'Set the group of 3 devices' }).click();
    await expect(dialog(page).getByText('3 done.')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('cell', { name: 'north', exact: true })).toHaveCount(3);

    await page.unroute(lists);
    await choose(page, 'Add a tag');
    await page.route(lists, () => {});
    await dialog(page).getByRole('combobox', { name: 'Tag' }).fill('pilot');
    await dialog(page).getByRole('button', { name: 'Create and add to 3 devices' }).click();
    await expect(dialog(page).getByText('3 done.')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('cell', { name: 'pilot', exact: true })).toHaveCount(3);
  });
});
