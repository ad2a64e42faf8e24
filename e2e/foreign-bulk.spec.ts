// Many devices in front of a /v1 service that is not ours: it has no bulk work, so that each device is one request after
// the other, and only what the document has is offered.
import type { Page } from '@playwright/test';
import { bar, choose, dialog } from './bulk-actions.ts';
import { expect } from './fixtures.ts';
import type { Foreign } from './foreign/foreign.ts';
import { before } from './foreign/gateway.ts';
import { startGoLike } from './foreign/go-like.ts';
import { expectNoLeak } from './foreign/leaks.ts';

const test = before(startGoLike);
test.use({ expectedConsole: [/status of 40[14]/] });

/** The writes that reached the service: "PATCH /v1/devices/g1". */
const writes = ({ heard }: Foreign) =>
  heard.filter(({ method }) => method !== 'GET').map(({ method, url }) => `${method} ${url}`);

async function selectTwo(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/devices`);
  for (const name of ['press-1', 'press-2']) await page.getByRole('checkbox', { name: `Select ${name}` }).check();
}

test('the group of two devices is set by a request for each', async ({ signedIn: page, service, foreign }) => {
  await selectTwo(page, service.url);
  await choose(page, 'Set group');
  await dialog(page).getByRole('combobox', { name: 'Group' }).fill('hall');
  await dialog(page).getByRole('button', { name: 'Show as curl' }).click();
  await expect(page.getByText('/v1/devices/g2', { exact: false }).first()).toBeVisible();
  await dialog(page).getByRole('button', { name: 'Set the group of 2 devices' }).click();
  await expect(dialog(page).getByText('2 done.')).toBeVisible();
  expect(writes(foreign)).toEqual(['PATCH /v1/devices/g1', 'PATCH /v1/devices/g2']);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('cell', { name: 'hall', exact: true })).toHaveCount(2);
  await expectNoLeak(page, foreign);
});

test('what only our service has is not in the menu, and no list of bulk work is asked for @sweep', async ({
  signedIn: page,
  service,
  foreign,
}) => {
  await selectTwo(page, service.url);
  await bar(page).getByRole('button', { name: 'Actions' }).click();
  const items = page.getByRole('menuitem');
  await expect(items.filter({ hasText: 'Set group' })).toBeVisible();
  await expect(bar(page).getByRole('button', { name: 'Tag', exact: true })).toHaveCount(0);
  for (const name of ['Remove a tag', 'Update agent']) await expect(items.filter({ hasText: name })).toHaveCount(0);
  expect(foreign.heard.filter(({ url }) => url.startsWith('/v1/bulk'))).toEqual([]);
});

test('a device that somebody else deleted meanwhile is skipped @sweep', async ({
  signedIn: page,
  service,
  foreign,
}) => {
  await selectTwo(page, service.url);
  await choose(page, 'Delete');
  await page.route('**/v1/devices/g1', (route) =>
    route.request().method() === 'DELETE' ? route.fulfill({ status: 404, body: '' }) : route.continue(),
  );
  await dialog(page).getByLabel('Type 2 to confirm').fill('2');
  await dialog(page).getByRole('button', { name: 'Delete 2 devices' }).click();
  await expect(dialog(page).getByText('1 done, 1 skipped.')).toBeVisible();
  await expect(dialog(page).getByRole('row', { name: /press-1/ })).toContainText('It no longer existed');
  expect(writes(foreign)).toEqual(['DELETE /v1/devices/g2']);
});

test('many devices are created one after the other, with a result and a key for each @sweep', async ({
  signedIn: page,
  service,
  foreign,
}) => {
  await page.goto(`${service.url}/devices/add-many`);
  await page.getByRole('textbox', { name: 'Rows' }).fill('press-10,lab,Acme\npress-11,lab\npress-12,lab');
  await page.getByRole('button', { name: 'Check rows' }).click();
  await page.getByRole('button', { name: 'Create 3 devices' }).click();
  await expect(page.getByText('3 of 3 devices created', { exact: true })).toBeVisible();
  await expect(page.getByText('3 keys')).toBeVisible();
  await expect(page.getByText('Shown only once: they are nowhere else.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Delete keys' })).toHaveCount(0);
  const create = 'POST /v1/devices';
  expect(writes(foreign)).toEqual([create, 'PATCH /v1/devices/g9', create, create]);
  await expectNoLeak(page, foreign);
});
