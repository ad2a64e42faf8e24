// Many devices and jobs at once by the service itself: one request, seen by everybody, and independent of the browser.
import type { Page } from '@playwright/test';
import { bar, choose, createMany, devicesOf, dialog, openDevices, selectShown, setGroup } from './bulk-actions.ts';
import { expect, expectAccessible, signIn, test } from './fixtures.ts';

/** The writes that a page sends, without their addresses' host. */
function watchWrites(page: Page): string[] {
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  return sent;
}

const navigation = (page: Page) => page.getByRole('navigation', { name: 'Main' });
const results = (page: Page) => page.getByRole('table', { name: 'Results' });

/** Keeps the service's bulk work from its end until it is released, as the page sees it. */
async function holdBulk(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/v1/bulk/*', async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

test('many devices are tagged by one request, which is what curl shows', async ({ signedIn: page, service }) => {
  await createMany(service, 30);
  await service.call('POST', '/v1/tag/outdoors');
  const sent = watchWrites(page);
  await openDevices(page, service, '?rows=50');
  await selectShown(page).check();
  await choose(page, 'Add a tag');
  await dialog(page).getByRole('combobox', { name: 'Tag' }).fill('outdoors');
  await dialog(page).getByRole('button', { name: 'Show as curl' }).click();
  await expect(page.getByText('/v1/bulk', { exact: false }).first()).toBeVisible();
  await dialog(page).getByRole('button', { name: 'Add to 30 devices' }).click();
  await expect(dialog(page).getByText('30 done.')).toBeVisible();
  await expect(results(page).getByRole('row', { name: /device 07/ })).toContainText('Done');
  expect(sent).toEqual(['POST /v1/bulk']);
  expect((await devicesOf(service)).every(({ Tags }) => Tags[0]?.TagName === 'outdoors')).toBe(true);
});

test('a tab that is closed in the middle ends nothing, and another browser sees the result', async ({
  signedIn,
  service,
  browser,
}) => {
  await createMany(service, 12);
  const page = await signedIn.context().newPage();
  await openDevices(page, service);
  await selectShown(page).check();
  await holdBulk(page);
  await setGroup(page, 'north');
  await dialog(page).getByRole('button', { name: 'Set the group of 12 devices' }).click();
  await expect(dialog(page).getByText('continues when you close the dialog or the browser')).toBeVisible();
  await page.close();

  const context = await browser.newContext();
  const other = await context.newPage();
  await signIn(other, service);
  await other.goto(`${service.url}/bulk`);
  await other.getByRole('link', { name: 'Change 12 devices' }).click();
  await expect(other.getByText('12 done.')).toBeVisible();
  await expect(other.getByText('Group north')).toBeVisible();
  await expect(results(other).getByRole('row')).toHaveCount(13);
  await context.close();
  expect((await devicesOf(service)).every(({ DeviceGroup }) => DeviceGroup === 'north')).toBe(true);
});

test('a dialog that is closed leaves a line on every page, with the results behind it', async ({
  signedIn: page,
  service,
}) => {
  // It would be over before anybody could click.
  await page.route('**/v1/bulk', async (route) => {
    const answer = await route.fetch();
    const list = (await answer.json()) as object[];
    await route.fulfill({ response: answer, json: list.map((bulk) => ({ ...bulk, State: 'Running' })) });
  });
  await page.goto(service.url);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const Devices = Array.from({ length: 2_000 }, (_, index) => `none-${index}`);
  await service.call('POST', '/v1/bulk', { Action: 'delete', Devices });
  const line = navigation(page).getByRole('link', { name: /^Deleting [\d,]+ of 2,000 devices/ });
  await line.click();
  await expect(page.getByRole('heading', { name: 'Delete 2,000 devices' })).toBeVisible();
  await expect(page.getByText('2,000 skipped.')).toBeVisible();
  await page.unroute('**/v1/bulk');
  // The next report reads the list again.
  await service.call('POST', '/v1/bulk', { Action: 'delete', Devices: ['none'] });
  await expect(line).toBeHidden();
});

test('what failed is tried again from the results, and what is left after a cancel is done', async ({
  signedIn: page,
  service,
}) => {
  const { DeviceId } = await service.createDevice('device 1');
  await page.route('**/v1/bulk/*', async (route) => {
    const answer = await route.fetch();
    const bulk = (await answer.json()) as { Action: string; Items: object[] };
    const Items = bulk.Items.map((item) => ({ ...item, Outcome: 'Failed', Because: 'The tag is not there.' }));
    await route.fulfill({ response: answer, json: bulk.Action === 'edit' ? { ...bulk, Items } : bulk });
  });
  await openDevices(page, service);
  await selectShown(page).check();
  await setGroup(page, 'north');
  await dialog(page).getByRole('button', { name: 'Set the group of 1 device' }).click();
  await expect(dialog(page).getByText('1 failed.')).toBeVisible();
  await expect(results(page).getByText('The tag is not there.')).toBeVisible();
  await page.unroute('**/v1/bulk/*');
  await service.call('PATCH', `/v1/devices/${DeviceId}`, { DeviceGroup: 'south' });
  const sent = watchWrites(page);
  await dialog(page).getByRole('button', { name: 'Retry the failed (1)' }).click();
  await expect(dialog(page).getByText('1 done.')).toBeVisible();
  expect(sent).toEqual(['POST /v1/bulk']);
  expect((await devicesOf(service))[0]?.DeviceGroup).toBe('north');
});

test('devices that are deleted by the service leave the table and the selection', async ({
  signedIn: page,
  service,
}) => {
  await createMany(service, 3);
  await openDevices(page, service);
  for (const name of ['device 1', 'device 2']) await page.getByRole('checkbox', { name: `Select ${name}` }).check();
  await choose(page, 'Delete');
  await dialog(page).getByLabel('Type 2 to confirm').fill('2');
  await dialog(page).getByRole('button', { name: 'Delete 2 devices' }).click();
  await expect(dialog(page).getByText('2 done.')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(bar(page)).toBeHidden();
  await expect(page.getByRole('table', { name: 'Devices' }).getByRole('link')).toHaveText(['device 3']);
});

test('the pages of bulk work are accessible, with and without any', async ({ signedIn: page, service }) => {
  await page.goto(`${service.url}/bulk`);
  await expect(page.getByText('No bulk actions in the last seven days')).toBeVisible();
  await expectAccessible(page);
  const [one] = [await service.createDevice('one')];
  await service.call('POST', '/v1/bulk', { Action: 'delete', Devices: [one.DeviceId, 'gone'] });
  await page.reload();
  await page.getByRole('link', { name: 'Delete 2 devices' }).click();
  await expect(page.getByText('1 done, 1 skipped.')).toBeVisible();
  await expectAccessible(page);
});
