// Views of the device table: saved under names, shared as links, carried in files; and what a view shows as CSV.
import { readFile } from 'node:fs/promises';
import type { Browser, Page } from '@playwright/test';
import { expect, expectAccessible, signIn, test, type Service } from './fixtures.ts';

const table = (page: Page) => page.getByRole('table', { name: 'Devices' });
const links = (page: Page) => table(page).getByRole('link');
const shown = (page: Page) => page.getByRole('status', { name: 'Devices shown' });
/** The columns between the box and the menu of a row. */
const heads = async (page: Page) =>
  (await table(page).getByRole('columnheader').allInnerTexts()).map((text) => text.trim()).slice(1, -1);
const menu = (page: Page) => page.getByRole('button', { name: /^View:/ });
const dialog = (page: Page) => page.getByRole('dialog');

/** A view's item says who saved it, too. */
async function choose(page: Page, item: string): Promise<void> {
  await menu(page).click();
  await page.getByRole('menuitem', { name: item }).first().click();
}

async function makeDevices(service: Service, devices: readonly (readonly [name: string, group: string])[]) {
  for (const [name, group] of devices) await service.createDevice(name, group);
}

const NAME = 'Gates <b>& strays</b>';
const VIEW = 'group=gates&no=group&sort=-name&cols=name,status,group,lastSeen,id&density=comfortable';
const SHOWN = ['stray', 'gate 2', 'gate 1'];
const VIEW_HEADS = ['Name', 'Status', 'Group', 'Last seen', 'ID'];

/** The devices of these tests: three of them are in the view. */
async function openFleet(page: Page, service: Service, search = ''): Promise<void> {
  await makeDevices(service, [
    ['gate 1', 'gates'],
    ['gate 2', 'gates'],
    ['pump 1', 'pumps'],
    ['lamp 1', 'lamps'],
    ['stray', ''],
  ]);
  await page.goto(`${service.url}/devices${search}`);
  await expect(shown(page)).toHaveText(search ? '3 of 5 devices' : '5 devices');
}

async function nameView(page: Page, name: string): Promise<void> {
  await dialog(page).getByLabel('Name').fill(name);
  await dialog(page).getByRole('button', { name: 'Save view' }).click();
  await expect(menu(page)).toContainText(name);
}

/** Saves the view of a link under its name. */
async function saveLinked(page: Page, service: Service): Promise<void> {
  await openFleet(page, service, `?${VIEW}`);
  await page.getByRole('button', { name: 'Save this view' }).click();
  await nameView(page, NAME);
}

test('filters and order are saved as a view, and later changes of columns and rows are saved to it', async ({
  signedIn: page,
  service,
}) => {
  await openFleet(page, service);
  await page.getByRole('button', { name: 'Filter by group' }).click();
  await page.getByRole('option', { name: /^gates\s*2$/ }).click();
  await page.getByRole('option', { name: /^No group\s*1$/ }).click();
  await page.keyboard.press('Escape');
  await expect(shown(page)).toHaveText('3 of 5 devices');
  const byName = table(page).getByRole('button', { name: 'Name', exact: true });
  await byName.click();
  await expect(links(page)).toHaveText(SHOWN.toReversed());
  await byName.click();
  await expect(links(page)).toHaveText(SHOWN);
  await choose(page, 'Save as a new view');
  await expectAccessible(page);
  await dialog(page).getByRole('button', { name: 'Save view' }).click();
  await expect(dialog(page).getByText('Name must not be empty')).toBeVisible();
  await nameView(page, NAME);

  await page.getByRole('button', { name: 'Columns' }).click();
  await dialog(page).getByRole('checkbox', { name: 'Address' }).uncheck();
  await dialog(page).getByText('Comfortable').click();
  await page.keyboard.press('Escape');
  await expect(menu(page)).toContainText('changed');
  await expect(page).toHaveURL(/cols=name,status,group,lastSeen,version,lastJob,id&density=comfortable/);
  await choose(page, 'Save changes');
  await expect(menu(page)).not.toContainText('changed');
});

test('a view and all devices are changed over by the menu, by Back and Forward, and outlast a reload', async ({
  signedIn: page,
  service,
}) => {
  await saveLinked(page, service);
  await choose(page, 'All devices');
  await expect(shown(page)).toHaveText('5 devices');
  await expect.poll(() => heads(page)).toContain('Address');
  await choose(page, NAME);
  await expect(links(page)).toHaveText(SHOWN);
  await expect.poll(() => heads(page)).toEqual(VIEW_HEADS);
  await page.goBack();
  await expect(shown(page)).toHaveText('5 devices');
  await page.goForward();
  await page.reload();
  await expect(menu(page)).toHaveText(/strays<\/b>$/);
});

test('the link to a view is copied from its menu', async ({ signedIn: page, service }) => {
  await saveLinked(page, service);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await menu(page).click();
  await expectAccessible(page, '[role="menu"]');
  await page.getByRole('menuitem', { name: 'Copy link to this view' }).click();
  await expect(page.getByText(/^Link copied/)).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(VIEW);
});

test('the link to a view shows its columns without changing those of the reader', async ({
  signedIn: page,
  service,
}) => {
  await openFleet(page, service);
  await page.getByRole('button', { name: 'Columns' }).click();
  await dialog(page).getByRole('checkbox', { name: 'Group' }).uncheck();
  await page.keyboard.press('Escape');
  const own = ['Name', 'Status', 'Address', 'Last seen', 'Version', 'Last job', 'ID'];
  await expect.poll(() => heads(page)).toEqual(own);
  // Use and states are recorded beside them at any time.
  const stored = () =>
    page.evaluate(() => Object.entries(localStorage).filter(([key]) => /^muster-(views|columns)/.test(key)));
  const before = await stored();
  await page.goto(`${service.url}/devices?${VIEW}`);
  await expect(links(page)).toHaveText(SHOWN);
  await expect.poll(() => heads(page)).toEqual(VIEW_HEADS);
  await expect(table(page)).toHaveAttribute('data-density', 'comfortable');
  await expect(page.getByText('Columns and row height come from the link.')).toBeVisible();
  await expectAccessible(page);
  expect(await stored()).toEqual(before);
  await page.getByRole('button', { name: 'Use my columns' }).click();
  await expect.poll(() => heads(page)).toEqual(own);
  await expect(links(page)).toHaveText(SHOWN);
  await page.goBack();
  await page.getByRole('button', { name: 'Save this view' }).click();
  await nameView(page, 'From a colleague');
  await choose(page, 'All devices');
  await expect.poll(() => heads(page)).toEqual(own);
});

/** The devices in another browser. */
async function otherBrowser(browser: Browser, service: Service, token?: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await signIn(page, service, token);
  await page.goto(`${service.url}/devices`);
  return page;
}

test('a saved view is in the menu of everybody of the account, with who saved it', async ({
  signedIn: page,
  service,
  browser,
}) => {
  await saveLinked(page, service);
  const other = await otherBrowser(browser, service);
  await choose(other, NAME);
  await expect(links(other)).toHaveText(SHOWN);
  await expect.poll(() => heads(other)).toEqual(VIEW_HEADS);
  await choose(other, 'Rename');
  await dialog(other).getByLabel('Name').fill('Gates');
  await dialog(other).getByRole('button', { name: 'Rename' }).click();
  await expect(menu(other)).toHaveText(/Gates$/);
  await page.reload();
  await menu(page).click();
  await expect(page.getByRole('menuitem', { name: /Gates/ })).toBeVisible();
  await other.context().close();
});

test('a private view is seen by its maker only, until it is shared', async ({ signedIn: page, service, browser }) => {
  await openFleet(page, service, `?${VIEW}`);
  await page.getByRole('button', { name: 'Save this view' }).click();
  await dialog(page).getByRole('checkbox', { name: 'Private: only I can see it' }).check();
  await expectAccessible(page);
  await nameView(page, 'Mine');
  const other = await otherBrowser(
    browser,
    service,
    (await service.call<{ Token: string }>('POST', '/v1/account/tokens', { Name: 'Bob' })).Token,
  );
  await menu(other).click();
  await expect(other.getByRole('menuitem', { name: 'Save as a new view' })).toBeVisible();
  await expect(other.getByRole('menuitem', { name: /^Mine/ })).toHaveCount(0);
  await choose(page, 'Share with everyone');
  await menu(page).click();
  await expect(page.getByRole('menuitem', { name: 'Make private' })).toBeVisible();
  await other.reload();
  await menu(other).click();
  await expect(other.getByRole('menuitem', { name: /^Mine/ })).toBeVisible();
  await other.context().close();
});

test('the rows and columns of the table are saved as CSV, hostile names included', async ({
  signedIn: page,
  service,
}) => {
  const hostile = ['=cmd|calc', 'a, "b"', '<img src=x>', "'@quoted", '\u202Etxt.exe'];
  await makeDevices(
    service,
    hostile.map((name) => [name, 'hostile']),
  );
  await service.createDevice('unit-1', 'plain');
  await page.goto(`${service.url}/devices?group=hostile&sort=-name&cols=name,group,status&widths=group:200`);
  await expect(shown(page)).toHaveText('5 of 6 devices');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  await expect(dialog(page)).toContainText('5 devices in one file.');
  await expect(dialog(page)).toContainText('Columns: Name, Group, Status.');
  await expectAccessible(page);
  const downloading = page.waitForEvent('download');
  await dialog(page).getByRole('button', { name: 'Download CSV' }).click();
  const lines = (await readFile(await (await downloading).path(), 'utf8')).split('\r\n');
  expect(lines[0]).toBe('\uFEFFName,Group,Status');
  const order = (await links(page).allInnerTexts()).map((name) => name.replace('‹U+202E›', '\u202E'));
  expect(order.toSorted()).toEqual(hostile.toSorted());
  const cells: Record<string, string> = { '=cmd|calc': "'=cmd|calc", 'a, "b"': '"a, ""b"""', "'@quoted": "''@quoted" };
  expect(lines.slice(1)).toEqual([...order.map((name) => `${cells[name] ?? name},hostile,NotConnected`), '']);
  await expect(dialog(page)).toBeHidden();
  await expect(page.getByRole('button', { name: 'Export CSV' })).toBeFocused();
});

test('a CSV file that cannot be written is reported, and is written at the next try', async ({
  signedIn: page,
  service,
}) => {
  await openFleet(page, service);
  await page.getByRole('button', { name: 'Export CSV' }).click();
  await page.evaluate(() => {
    const createObjectURL = URL.createObjectURL.bind(URL);
    URL.createObjectURL = () => {
      URL.createObjectURL = createObjectURL;
      throw new Error('Out of memory');
    };
  });
  await dialog(page).getByRole('button', { name: 'Download CSV' }).click();
  await expect(dialog(page).getByRole('alert')).toContainText('Out of memory');
  const downloading = page.waitForEvent('download');
  await dialog(page).getByRole('button', { name: 'Download CSV' }).click();
  expect(await readFile(await (await downloading).path(), 'utf8')).toContain('pump 1');
});

test('a focused row that is scrolled out of sight has the focus still, and the keys go on from it', async ({
  signedIn: page,
  service,
}) => {
  await Promise.all(
    Array.from({ length: 8 }, async (_, part) => {
      for (let number = 1 + part; number <= 240; number += 8) await service.createDevice(`unit-${number}`, 'plain');
    }),
  );
  await page.goto(`${service.url}/devices?sort=name`);
  await expect(shown(page)).toHaveText('240 devices');
  const third = table(page).getByRole('link', { name: 'unit-3', exact: true });
  await third.focus();
  await page.mouse.move(700, 500);
  for (let turn = 0; turn < 12; turn += 1) await page.mouse.wheel(0, 1_000);
  await expect(links(page).last()).toHaveText('unit-240');
  await expect(table(page).getByRole('link', { name: 'unit-240' })).toBeInViewport();
  await expect(third).toBeFocused();
  await page.keyboard.press('j');
  await expect(table(page).getByRole('link', { name: 'unit-4', exact: true })).toBeFocused();
  await expect(table(page).getByRole('link', { name: 'unit-4', exact: true })).toBeInViewport();
});
