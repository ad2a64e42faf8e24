// Many devices from a list, for real: hostile and faulty cells corrected in place, a licence that ends in the middle, and
// a service that creates one device at a time. What comes after: add-many-keys.spec.ts.
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test, withoutOffers } from './fixtures.ts';
import { cell, devices, downloadKeys, paste, result, rowsRegion, runEnded, type Listed } from './rows-to-create.ts';

/** Chooses a file with five rows, of which three have errors. */
async function chooseFile(page: Page): Promise<void> {
  await page.getByLabel('CSV file').setInputFiles({
    name: 'fleet.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(
      [
        'Name;Group;Customer;Site;Lat;Lng;Tags;Colour',
        '"=HYPERLINK(""http://x"")";north;"ACME; Inc.";Hall 1;52,5;13,4;"edge;north"',
        '<img src=x onerror=alert(1)>;north;;;;;edge|..',
        ';north;;;;;',
        'pump;north;;;91;;',
        'old;;;;;;',
      ].join('\r\n'),
    ),
  });
}

test('hostile and faulty cells of a file are marked where they are', async ({ signedIn: page, service }) => {
  await service.createDevice('old');
  await page.goto(`${service.url}/devices`);
  await page.getByRole('link', { name: 'Add many' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Add many devices' })).toBeVisible();
  await expectAccessible(page);
  await chooseFile(page);
  const plan = rowsRegion(page);
  await expect(plan).toContainText(
    '2 devices will be created, 3 rows have errors and are left out; licence: 9,999 free',
  );
  await expect(plan).toContainText('Not used: the column "Colour".');
  await expect(cell(page, 'Tags', 2)).toHaveAccessibleDescription('The tag ".." must not be "." or ".."');
  await expect(cell(page, 'Name', 3)).toHaveAccessibleDescription('Must not be empty');
  await expect(cell(page, 'Lat', 4)).toHaveAccessibleDescription('Must be between -90 and 90');
  await expect(cell(page, 'Lng', 4)).toHaveAccessibleDescription('Missing: enter both or neither');
  await expect(cell(page, 'Name', 5)).toHaveAccessibleDescription('A device of this name exists');
  await expect(cell(page, 'Name', 1)).toHaveValue('=HYPERLINK("http://x")');
  await expectAccessible(page);
});

test('errors are corrected by keyboard, from one to the next', async ({ signedIn: page, service }) => {
  await service.createDevice('old');
  await page.goto(`${service.url}/devices/add-many`);
  await chooseFile(page);
  const plan = rowsRegion(page);
  const next = page.getByRole('button', { name: 'Next error' });
  await next.focus();
  await page.keyboard.press('Enter');
  await expect(cell(page, 'Tags', 2)).toBeFocused();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('edge');
  await expect(plan).toContainText('3 devices will be created, 2 rows');
  await next.click();
  await expect(cell(page, 'Name', 3)).toBeFocused();
  await page.keyboard.type('fan');
  await page.keyboard.press('ArrowDown');
  await expect(cell(page, 'Name', 4)).toBeFocused();
  await cell(page, 'Lat', 4).fill('-33.86');
  await cell(page, 'Lng', 4).fill('151.2');
  await page.getByRole('button', { name: 'Remove row 5' }).click();
  await expect(plan).toContainText('4 devices will be created; licence');
});

test('devices of a file are created with their customer, location and tags', async ({ signedIn: page, service }) => {
  await page.goto(`${service.url}/devices/add-many`);
  await chooseFile(page);
  await cell(page, 'Tags', 2).fill('edge');
  await cell(page, 'Name', 3).fill('fan');
  await cell(page, 'Lat', 4).fill('-33.86');
  await cell(page, 'Lng', 4).fill('151.2');
  await page.getByRole('button', { name: 'Remove row 5' }).click();
  await page.getByRole('button', { name: 'Create 4 devices' }).click();
  await expect(page.getByText('4 of 4 devices created', { exact: true })).toBeVisible();
  await expect(runEnded(page)).toBeVisible();
  await expect(result(page, '<img src=x onerror=alert(1)>')).toContainText('Created');
  await expectAccessible(page);

  const made = await devices(service);
  const tagged = (each: Listed) => each.Tags?.map(({ TagName }) => TagName).sort((one, two) => one.localeCompare(two));
  const byName = (name: string) => made.find(({ DeviceName }) => DeviceName === name);
  expect(made).toHaveLength(4);
  const first = byName('=HYPERLINK("http://x")');
  expect(first).toMatchObject({ DeviceGroup: 'north', CustomerName: 'ACME; Inc.', CustomerSite: 'Hall 1' });
  expect(tagged(first!)).toEqual(['edge', 'north']);
  expect(tagged(byName('<img src=x onerror=alert(1)>')!)).toEqual(['edge']);
  const places = await service.call<{ DeviceId: string; Lat: number; Lng: number }[]>('GET', '/v1/devices/location');
  expect(places.find(({ DeviceId }) => DeviceId === first?.DeviceId)).toMatchObject({ Lat: 52.5, Lng: 13.4 });
  expect(places.find(({ DeviceId }) => DeviceId === byName('pump')?.DeviceId)).toMatchObject({
    Lat: -33.86,
    Lng: 151.2,
  });
  expect((await service.call<unknown[]>('GET', '/v1/tag')).length).toBe(2);
});

test.describe('with a small licence', () => {
  test.use({ serviceEnv: { MAX_DEVICES: '5' } });

  test('rows beyond the limit fail with the reason, and are created when there is room', async ({
    signedIn: page,
    service,
  }) => {
    const [first] = await Promise.all([service.createDevice('old 1'), service.createDevice('old 2')]);
    const names = Array.from({ length: 12 }, (_, number) => `d${number}`);
    await paste(page, service, names);
    await expect(rowsRegion(page)).toContainText('12 devices will be created; licence: 3 free');
    await expect(rowsRegion(page)).toContainText('Your plan has room for 3 of them');
    await page.getByRole('button', { name: 'Create 12 devices' }).click();
    const ending = page.getByRole('alert').filter({ hasText: 'licence is used up' });
    await expect(ending).toContainText('9 rows not created');
    await expect(ending).toContainText('It is for 5 devices');
    await expect(page.getByText('3 of 12 devices created, 9 not created')).toBeVisible();
    await expect(page.getByText('3 keys')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Download keys' })).toBeInViewport();
    await expectAccessible(page);

    await service.call('DELETE', `/v1/devices/${first.DeviceId}`);
    await page.getByRole('button', { name: 'Retry the failed (9)' }).click();
    await expect(ending).toContainText('8 rows not created');
    await expect(page.getByText('4 keys')).toBeVisible();

    // The rest goes back to where it can be edited; what is created stays, with its keys.
    await page.getByRole('button', { name: 'Edit 8 rows not created' }).click();
    await expect(rowsRegion(page)).toContainText('8 devices will be created');
    expect(await downloadKeys(page)).toHaveLength(5);
  });
});

test.describe('in front of a service that creates one device at a time', () => {
  test.use({ expectedConsole: [/ERR_FAILED|ERR_CONNECTION|status of 50[03]/] });
  test.beforeEach(({ page }) => withoutOffers(page, 'bulk'));

  test('they are created one after the other, and what cannot be set on one is said', async ({
    signedIn: page,
    service,
  }) => {
    let [underWay, most, creates] = [0, 0, 0];
    await page.route('**/v1/devices', async (route) => {
      most = Math.max(most, ++underWay);
      if (creates++ === 0) {
        underWay--;
        return route.fulfill({ status: 503, headers: { 'retry-after': '1' }, body: '' });
      }
      const answer = await route.fetch();
      underWay--;
      return route.fulfill({ response: answer });
    });
    await page.route('**/v1/devices/location/*', (route) =>
      route.fulfill({ status: 500, body: '{"detail":"no place"}' }),
    );
    await paste(page, service, ['name,group,site,lat,lng,tags', 'one,g,Hall 1,,,edge', 'two,g', 'placed,g,,1,2']);
    await page.getByRole('button', { name: 'Create 3 devices' }).click();
    await expect(page.getByText('3 of 3 devices created, 1 not complete')).toBeVisible();
    await expect(runEnded(page)).toBeVisible();
    expect([most, creates]).toEqual([1, 4]);
    await expect(result(page, 'placed')).toContainText('Location not set: The service failed (500): no place');
    const [one] = (await devices(service)).filter(({ DeviceName }) => DeviceName === 'one');
    expect([one?.CustomerSite, one?.Tags?.map(({ TagName }) => TagName)]).toEqual(['Hall 1', ['edge']]);

    // Only this page has the keys: leaving without them takes a word more.
    await page.getByRole('link', { name: 'Overview' }).click();
    const question = page.getByRole('dialog', { name: 'Leave without the keys?' });
    await expect(question).toContainText('3 keys were neither downloaded nor printed');
    await question.getByRole('button', { name: 'Stay' }).click();
    expect(await downloadKeys(page)).toHaveLength(4);
    await page.getByRole('link', { name: 'Overview' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
  });

  test('at a lost answer it stops: the device may be there, and is not created a second time', async ({
    signedIn: page,
    service,
  }) => {
    await page.route('**/v1/devices', async (route) => {
      const { DeviceName } = route.request().postDataJSON() as { DeviceName: string };
      if (DeviceName !== 'lost') return route.continue();
      await route.fetch();
      return route.abort();
    });
    await paste(page, service, ['first', 'lost', 'third', 'fourth']);
    await page.getByRole('button', { name: 'Create 4 devices' }).click();
    const ending = page.getByRole('alert').filter({ hasText: 'it may have been accepted' });
    await expect(ending).toContainText('No answer arrived for lost');
    await expect(ending.getByRole('link', { name: 'device list' })).toHaveAttribute('href', /\/devices\?q=lost/);
    await expect(page.getByText('1 of 4 devices created, 2 not created, 1 unknown')).toBeVisible();
    await expect(page.getByRole('button', { name: /Retry/ })).toHaveCount(0);
    await page.getByRole('button', { name: 'Continue with 2 rows' }).click();
    await expect(page.getByText('3 of 4 devices created, 1 unknown')).toBeVisible();
    await expect(result(page, 'lost')).toContainText('May have been created');
    const names = (await devices(service)).map(({ DeviceName }) => DeviceName);
    expect(names).toEqual(['first', 'lost', 'third', 'fourth']);
  });

  test('it is stopped in the middle, and continued', async ({ signedIn: page, service }) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let creates = 0;
    await page.route('**/v1/devices', async (route) => {
      if (creates++ > 0) await promise;
      await route.continue();
    });
    await paste(page, service, ['a', 'b', 'c', 'd']);
    await page.getByRole('button', { name: 'Create 4 devices' }).click();
    await expect(page.getByText('1 of 4 devices created')).toBeVisible();
    await page.getByRole('button', { name: 'Stop' }).click();
    resolve();
    await expect(page.getByText('2 of 4 devices created, 2 not created')).toBeVisible();
    await page.getByRole('button', { name: 'Continue with 2 rows' }).click();
    await expect(page.getByText('4 of 4 devices created', { exact: true })).toBeVisible();
    await expect(page.getByText('4 keys')).toBeVisible();
  });
});

test('a phone, and a list of thousands: what is out of view is not on the page', async ({
  signedIn: page,
  service,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const rows = Array.from({ length: 5_000 }, (_, number) => `d${number},g,,,${number === 4_321 ? 'x' : ''}`);
  await page.goto(`${service.url}/devices/add-many`);
  const file = { name: 'fleet.csv', mimeType: 'text/csv', buffer: Buffer.from(rows.join('\n')) };
  await page.getByLabel('CSV file').setInputFiles(file);
  await expect(rowsRegion(page)).toContainText('4,999 devices will be created, 1 row has errors');
  expect(await page.getByRole('table', { name: 'Rows' }).getByRole('textbox').count()).toBeLessThan(500);
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.getByRole('button', { name: 'Next error' }).click();
  await expect(cell(page, 'Lat', 4_322)).toBeFocused();
  await expect(cell(page, 'Lat', 4_322)).toBeInViewport();
  await page.keyboard.press('Tab');
  await page.keyboard.type('5');
  await expect(cell(page, 'Lng', 4_322)).toHaveValue('5');
  await expect(cell(page, 'Lat', 4_322)).toHaveAccessibleDescription('Must be a number');
  await page.getByRole('button', { name: 'Clear the rows' }).click();
  await expect(page.getByRole('textbox', { name: 'Rows' })).toBeVisible();
});
