// Many devices at once: selected over pages, changed with a plan before and a result for each after, and as a CSV file.
import { readFile } from 'node:fs/promises';
import type { Download, Page } from '@playwright/test';
import { expect, expectAccessible, test } from './fixtures.ts';
import type { Service } from './fixtures.ts';

interface Device {
  DeviceId: string;
  DeviceName: string;
  DeviceGroup: string;
  Tags: { TagName: string }[];
}

const dialog = (page: Page) => page.getByRole('dialog');
const bar = (page: Page) => page.getByRole('region', { name: 'Selected devices' });
const devicesOf = async (service: Service) =>
  (await service.call<{ Devices: Device[] }>('GET', '/v1/devices/1/1000')).Devices;
/** "device 01" and so on, in the order of their names. */
async function createMany(service: Service, count: number, group: (index: number) => string = () => ''): Promise<void> {
  const width = String(count).length;
  for (let index = 0; index < count; index++)
    await service.createDevice(`device ${String(index + 1).padStart(width, '0')}`, group(index));
}

/** The box above the rows: those of the page, until the whole fleet has been read. */
const selectShown = (page: Page) => page.getByRole('checkbox', { name: /^Select (this page|all \d+ matching)$/ });

async function openDevices(page: Page, service: Service, search = ''): Promise<void> {
  await page.goto(`${service.url}/devices${search}`);
  await expect(page.getByRole('table', { name: 'Devices' })).toBeVisible();
}

async function choose(page: Page, action: string): Promise<void> {
  await bar(page).getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
  await expect(dialog(page).getByRole('button', { name: 'Cancel' })).toBeVisible();
}

async function setGroup(page: Page, group: string): Promise<void> {
  await choose(page, 'Set group');
  await dialog(page).getByRole('combobox', { name: 'Group' }).fill(group);
}

const textOf = async (download: Download) => readFile(await download.path(), 'utf8');

/** The writes to devices that the page sends, by id, in order. */
function watchPatches(page: Page): string[] {
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PATCH') sent.push(request.url().split('/').at(-1) ?? '');
  });
  return sent;
}

test.describe('when some of them fail', () => {
  test.use({ expectedConsole: [/status of 500/] });

  test('300 devices are changed, and exactly the three that failed are sent again', async ({
    signedIn: page,
    service,
  }) => {
    // Each of the 300 writes goes through the test, on a machine that may have other things to do.
    test.setTimeout(180_000);
    await createMany(service, 300, (index) => (index < 8 ? 'north' : 'south'));
    const failing = new Set((await devicesOf(service)).slice(100, 103).map(({ DeviceId }) => DeviceId));
    let broken = true;
    await page.route('**/v1/devices/*', (route) => {
      const fails = broken && route.request().method() === 'PATCH';
      const problem = { title: 'The disk is full', detail: 'Free some space.' };
      return fails && failing.has(route.request().url().split('/').at(-1) ?? '')
        ? route.fulfill({ status: 500, json: problem })
        : route.continue();
    });
    const sent = watchPatches(page);
    await openDevices(page, service, '?rows=1000');
    await selectShown(page).check();
    await expect(bar(page)).toContainText('300 selected');

    await setGroup(page, 'north');
    const plan = dialog(page).getByRole('region', { name: 'Plan' });
    await expect(plan).toContainText('292 of 300 devices change.');
    await expect(plan).toContainText('8 skipped: has it already.');
    await dialog(page).getByRole('button', { name: 'Set the group of 292 devices' }).click();
    await expect(dialog(page).getByText('289 done, 8 skipped, 3 failed.')).toBeVisible({ timeout: 90_000 });
    expect(sent.length).toBe(292);
    expect(new Set(sent).size).toBe(292);

    const results = dialog(page).getByRole('table', { name: 'Results' });
    await dialog(page).getByLabel('Show results').selectOption({ label: 'Failed 3' });
    await expect(results.getByRole('row')).toHaveCount(4);
    await expect(results.getByText('The disk is full (500). Free some space.')).toHaveCount(3);
    const downloading = page.waitForEvent('download');
    await dialog(page).getByRole('button', { name: 'Export results' }).click();
    const lines = (await textOf(await downloading)).split('\r\n');
    expect(lines.length).toBe(302);
    expect(lines[1]).toContain('device 101,Failed,The disk is full (500). Free some space.');

    broken = false;
    await dialog(page).getByRole('button', { name: 'Retry the failed (3)' }).click();
    await expect(dialog(page).getByText('292 done, 8 skipped.')).toBeVisible();
    expect(new Set(sent.slice(292))).toEqual(failing);
    expect(sent.length).toBe(295);
    await dialog(page).getByRole('button', { name: 'Close' }).last().click();
    await expect(dialog(page)).toBeHidden();
    await expect(bar(page)).toContainText('300 selected');
    expect((await devicesOf(service)).every(({ DeviceGroup }) => DeviceGroup === 'north')).toBe(true);
  });
});

test('a run is cancelled in the middle, left only after a question, and goes on where it stopped @main', async ({
  signedIn: page,
  service,
}) => {
  await createMany(service, 20);
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  await page.route('**/v1/devices/*', async (route) => {
    if (route.request().method() === 'PATCH') await gate;
    await route.continue();
  });
  const sent = watchPatches(page);
  await page.goto(service.url);
  await page.getByRole('link', { name: 'Devices', exact: true }).first().click();
  await selectShown(page).check();
  await setGroup(page, 'north');
  await dialog(page).getByRole('button', { name: 'Set the group of 20 devices' }).click();
  await expect(dialog(page).getByText('0 of 20 devices')).toBeVisible();
  await expect.poll(() => sent.length).toBe(4);

  await page.keyboard.press('Escape');
  await expect(dialog(page).getByRole('progressbar', { name: 'Set group' })).toBeVisible();
  await page.goBack();
  const question = page.getByRole('dialog', { name: 'Leave while devices are being changed?' });
  await question.getByRole('button', { name: 'Stay' }).click();
  await expect(question).toBeHidden();

  await dialog(page).getByRole('button', { name: 'Cancel', exact: true }).click();
  await expect(dialog(page).getByRole('button', { name: 'Cancelling…' })).toBeDisabled();
  open();
  await expect(dialog(page).getByText('4 done, 16 not sent.')).toBeVisible();
  expect(sent.length).toBe(4);
  await dialog(page).getByRole('button', { name: 'Continue with the 16 not sent' }).click();
  await expect(dialog(page).getByText('20 done.')).toBeVisible();
  expect(new Set(sent).size).toBe(20);
  expect(sent.length).toBe(20);
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toBeHidden();
  expect((await devicesOf(service)).every(({ DeviceGroup }) => DeviceGroup === 'north')).toBe(true);
});

test.describe('when the service says "later"', () => {
  test.use({ expectedConsole: [/status of 429/] });

  test('it pauses as long as it was asked to, then sends that one again', async ({ signedIn: page, service }) => {
    await createMany(service, 8);
    let refused = '';
    await page.route('**/v1/devices/*', (route) => {
      if (route.request().method() !== 'PATCH' || refused) return route.continue();
      refused = route.request().url().split('/').at(-1) ?? '';
      return route.fulfill({ status: 429, headers: { 'retry-after': '60' }, json: { title: 'Too many requests' } });
    });
    const sent = watchPatches(page);
    await page.clock.install();
    await openDevices(page, service);
    await selectShown(page).check();
    await setGroup(page, 'north');
    await dialog(page).getByRole('button', { name: 'Set the group of 8 devices' }).click();
    await expect(dialog(page).getByText('the service asked to wait 60 s')).toBeVisible();
    expect(sent.filter((id) => id === refused).length).toBe(1);
    await page.clock.fastForward(60_000);
    await expect(dialog(page).getByText('8 done.')).toBeVisible();
    expect(sent.filter((id) => id === refused).length).toBe(2);
    expect(sent.length).toBe(9);
  });
});

test('a tag goes on devices of two pages, selected with Shift and kept from page to page @main', async ({
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
  await expect(dialog(page).getByRole('button', { name: 'Place 3 devices' })).toBeDisabled();
  await dialog(page).getByLabel('Latitude').fill('47.4, 8.6');
  await dialog(page).getByLabel('Longitude').focus();
  await expect(dialog(page).getByLabel('Longitude')).toHaveValue('8.6');
  await dialog(page).getByRole('button', { name: 'Place 3 devices' }).click();
  await expect(dialog(page).getByText('3 done.')).toBeVisible();
  await page.keyboard.press('Escape');
  const places = await service.call<{ Lat: number; Lng: number }[]>('GET', '/v1/devices/location');
  expect(places.map(({ Lat, Lng }) => [Lat, Lng])).toEqual([1, 2, 3].map(() => [47.4, 8.6]));

  await choose(page, 'Set customer');
  await expect(dialog(page).getByRole('button', { name: 'Set the customer of 3 devices' })).toBeDisabled();
  await dialog(page).getByText('Leave it empty').click();
  await expect(dialog(page).getByText('1 of 3 devices changes.')).toBeVisible();
  await dialog(page).getByRole('button', { name: 'Clear the customer of 1 device' }).click();
  await expect(dialog(page).getByText('1 done, 2 skipped.')).toBeVisible();
  expect((await service.call<object[]>('GET', '/v1/devices/1/10/filters?device_name=device')).length).toBe(3);
  expect(JSON.stringify(await devicesOf(service))).not.toContain('Acme');
});

test('devices are deleted after their number was typed @main', async ({ signedIn: page, service }) => {
  await createMany(service, 5);
  await openDevices(page, service);
  for (const name of ['device 1', 'device 3', 'device 5'])
    await page.getByRole('checkbox', { name: `Select ${name}` }).check();
  await choose(page, 'Delete');
  await expect(dialog(page).getByText('Their keys, the jobs that wait for them and their tunnels end')).toBeVisible();
  const confirm = dialog(page).getByRole('button', { name: 'Delete 3 devices' });
  await expect(confirm).toBeDisabled();
  await dialog(page).getByLabel('Type 3 to confirm').fill('5');
  await expect(confirm).toBeDisabled();
  await dialog(page).getByLabel('Type 3 to confirm').fill('3');
  await page.keyboard.press('Enter');
  await expect(dialog(page).getByText('3 done.')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toBeHidden();
  await expect(bar(page)).toBeHidden();
  await expect(page.getByRole('table', { name: 'Devices' }).getByRole('link')).toHaveText(['device 2', 'device 4']);
});

test.describe('when an answer is lost', () => {
  test.use({ expectedConsole: [/net::ERR/] });

  test('it is read what became of the change, and nothing is sent twice', async ({ signedIn: page, service }) => {
    await createMany(service, 4);
    const ids = (await devicesOf(service)).map(({ DeviceId }) => DeviceId);
    await page.route('**/v1/devices/*', async (route) => {
      const index = ids.indexOf(route.request().url().split('/').at(-1) ?? '');
      if (route.request().method() !== 'PATCH' || index > 1) return route.continue();
      // The first is carried out, but nobody hears of it; the second never arrives.
      if (index === 0) await route.fetch();
      return route.abort();
    });
    const sent = watchPatches(page);
    await openDevices(page, service);
    await selectShown(page).check();
    await setGroup(page, 'north');
    await dialog(page).getByRole('button', { name: 'Set the group of 4 devices' }).click();
    await expect(dialog(page).getByText('3 done, 1 failed.')).toBeVisible({ timeout: 30_000 });
    const failed = dialog(page).getByRole('row', { name: /device 2/ });
    await expect(failed).toContainText('Reading it again shows that nothing was changed.');
    expect(sent.length).toBe(4);
    expect((await devicesOf(service)).map(({ DeviceGroup }) => DeviceGroup)).toEqual(['north', '', 'north', 'north']);
  });
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
  expect(await overflow()).toBe(0);
  await bar(page).getByRole('button', { name: 'Select all 3' }).click();
  await expect(bar(page)).toContainText('3 selected');
});
