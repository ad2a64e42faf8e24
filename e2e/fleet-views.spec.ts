// Views of the device table: kept under names, shared as links, carried in files; and what a view shows as CSV.
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, expectAccessible, signIn, test } from './fixtures.ts';
import type { Service } from './fixtures.ts';

const table = (page: Page) => page.getByRole('table', { name: 'Devices' });
const links = (page: Page) => table(page).getByRole('link');
const shown = (page: Page) => page.getByRole('status', { name: 'Devices shown' });
/** The columns between the box and the menu of a row. */
const heads = async (page: Page) =>
  (await table(page).getByRole('columnheader').allInnerTexts()).map((text) => text.trim()).slice(1, -1);
const menu = (page: Page) => page.getByRole('button', { name: /^View:/ });
const dialog = (page: Page) => page.getByRole('dialog');

async function choose(page: Page, item: string): Promise<void> {
  await menu(page).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

async function makeDevices(service: Service, devices: readonly (readonly [name: string, group: string])[]) {
  for (const [name, group] of devices) await service.createDevice(name, group);
}

async function importFile(page: Page, text: string): Promise<void> {
  await dialog(page)
    .getByLabel('File with views')
    .setInputFiles({
      name: 'views.json',
      mimeType: 'application/json',
      buffer: Buffer.from(text),
    });
}

test('a view is saved, shared as a link with another browser, and carried in a file', async ({
  signedIn: page,
  service,
  browser,
}) => {
  test.setTimeout(90_000);
  await makeDevices(service, [
    ['gate 1', 'gates'],
    ['gate 2', 'gates'],
    ['pump 1', 'pumps'],
    ['lamp 1', 'lamps'],
    ['stray', ''],
  ]);
  await page.goto(`${service.url}/devices`);
  await expect(shown(page)).toHaveText('5 devices');
  await page.getByRole('button', { name: 'Filter by group' }).click();
  await page.getByRole('option', { name: /^gates\s*2$/ }).click();
  await page.getByRole('option', { name: /^No group\s*1$/ }).click();
  await page.keyboard.press('Escape');
  await expect(shown(page)).toHaveText('3 of 5 devices');
  await table(page).getByRole('button', { name: 'Name', exact: true }).click();
  await table(page).getByRole('button', { name: 'Name', exact: true }).click();
  await expect(links(page)).toHaveText(['stray', 'gate 2', 'gate 1']);

  // Kept under a name; what is changed from then on belongs to it.
  await choose(page, 'Save as a new view');
  await expectAccessible(page);
  await dialog(page).getByRole('button', { name: 'Save view' }).click();
  await expect(dialog(page).getByText('A view needs a name')).toBeVisible();
  await dialog(page).getByLabel('Name').fill('Gates <b>& strays</b>');
  await dialog(page).getByRole('button', { name: 'Save view' }).click();
  await expect(menu(page)).toHaveText(/Gates <b>& strays<\/b>$/);
  await page.getByRole('button', { name: 'Columns' }).click();
  await dialog(page).getByRole('checkbox', { name: 'Address' }).uncheck();
  await dialog(page).getByText('Comfortable').click();
  await page.keyboard.press('Escape');
  await expect(menu(page)).toContainText('changed');
  await expect(page).toHaveURL(/cols=name,status,group,lastSeen,id&density=comfortable/);
  await choose(page, 'Save changes');
  await expect(menu(page)).not.toContainText('changed');

  // What it shows is a target, too.
  await choose(page, 'Deploy to these 3 devices');
  await expect(page.getByRole('region', { name: 'Review' }).getByText('3 devices', { exact: true })).toBeVisible();
  await page.goBack();

  // To all devices with the reader's own columns, back to the view, and by Back again.
  await choose(page, 'All devices');
  await expect(shown(page)).toHaveText('5 devices');
  await expect.poll(() => heads(page)).toContain('Address');
  await choose(page, 'Gates <b>& strays</b>');
  await expect(links(page)).toHaveText(['stray', 'gate 2', 'gate 1']);
  await expect.poll(() => heads(page)).toEqual(['Name', 'Status', 'Group', 'Last seen', 'ID']);
  await page.goBack();
  await expect(shown(page)).toHaveText('5 devices');
  await page.goForward();
  await page.reload();
  await expect(menu(page)).toHaveText(/strays<\/b>$/);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await menu(page).click();
  await expectAccessible(page, '[role="menu"]');
  await page.getByRole('menuitem', { name: 'Copy link to this view' }).click();
  await expect(page.getByText(/^Link copied/)).toBeVisible();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toContain('group=gates&no=group&sort=-name&cols=name,status,group,lastSeen,id&density=comfortable');

  // Somebody else has columns of their own, and keeps them.
  const context = await browser.newContext();
  const other = await context.newPage();
  await signIn(other, service);
  await other.goto(`${service.url}/devices`);
  await other.getByRole('button', { name: 'Columns' }).click();
  await dialog(other).getByRole('checkbox', { name: 'Group' }).uncheck();
  await other.keyboard.press('Escape');
  const own = ['Name', 'Status', 'Address', 'Last seen', 'ID'];
  await expect.poll(() => heads(other)).toEqual(own);
  const kept = () => other.evaluate(() => JSON.stringify(localStorage));
  const before = await kept();
  await other.goto(link);
  await expect(links(other)).toHaveText(['stray', 'gate 2', 'gate 1']);
  await expect.poll(() => heads(other)).toEqual(['Name', 'Status', 'Group', 'Last seen', 'ID']);
  await expect(table(other)).toHaveAttribute('data-density', 'comfortable');
  await expect(other.getByText('Columns and rows are as the link has them.')).toBeVisible();
  await expectAccessible(other);
  expect(await kept()).toBe(before);
  await other.getByRole('button', { name: 'Use my columns' }).click();
  await expect.poll(() => heads(other)).toEqual(own);
  await expect(links(other)).toHaveText(['stray', 'gate 2', 'gate 1']);
  await other.goBack();
  await other.getByRole('button', { name: 'Save this view' }).click();
  await dialog(other).getByLabel('Name').fill('From a colleague');
  await dialog(other).getByRole('button', { name: 'Save view' }).click();
  await expect(menu(other)).toContainText('From a colleague');
  await choose(other, 'All devices');
  await expect.poll(() => heads(other)).toEqual(own);

  // Out to a file and in again: a bad file loses nothing, the same view is known, one of the same name is asked about.
  await menu(page).click();
  const downloading = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Export all views' }).click();
  const file = await readFile(await (await downloading).path(), 'utf8');
  await choose(other, 'Import views');
  await importFile(other, file.slice(0, -30));
  await expect(dialog(other).getByRole('alert')).toContainText('views.json was not imported.');
  await expect(dialog(other).getByRole('button', { name: 'Import', exact: true })).toBeDisabled();
  await importFile(other, file);
  await expectAccessible(other);
  await dialog(other).getByRole('button', { name: 'Import 1 view' }).click();
  await choose(other, 'Import views');
  await importFile(other, file);
  await expect(dialog(other).getByRole('status')).toContainText('1 view, 1 there already');
  await importFile(other, file.replace('sort=-name', 'sort=name'));
  await expect(dialog(other)).toContainText('you have another one of this name');
  await dialog(other).getByRole('button', { name: 'Import 1 view' }).click();
  await menu(other).click();
  await expect(other.getByRole('menu').getByRole('menuitem')).toContainText([
    'All devices',
    'From a colleague',
    'Gates <b>& strays</b>',
    'Gates <b>& strays</b> 2',
  ]);
  await other.keyboard.press('Escape');
  await choose(other, 'From a colleague');
  await choose(other, 'Delete view');
  await dialog(other).getByRole('button', { name: 'Delete view' }).click();
  await expect(menu(other)).toHaveText(/Views$/);
  await menu(other).click();
  await expect(other.getByRole('menuitem', { name: 'From a colleague' })).toHaveCount(0);
  await context.close();
});

test('what the table shows is saved as CSV, hostile names included; the focus outlives a scroll @main', async ({
  signedIn: page,
  service,
}) => {
  test.setTimeout(90_000);
  const hostile = ['=cmd|calc', 'a, "b"', '<img src=x>', "'@quoted", '\u202Etxt.exe'];
  await makeDevices(
    service,
    hostile.map((name) => [name, 'hostile']),
  );
  await Promise.all(
    Array.from({ length: 8 }, async (_, part) => {
      for (let number = 1 + part; number <= 240; number += 8) await service.createDevice(`unit-${number}`, 'plain');
    }),
  );
  await page.goto(`${service.url}/devices?group=hostile&sort=-name&cols=name,group,status&widths=group:200`);
  await expect(shown(page)).toHaveText('5 of 245 devices');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  await expect(dialog(page)).toContainText('5 devices in one file.');
  await expect(dialog(page)).toContainText('Columns: Name, Group, Status.');
  await expectAccessible(page);
  const downloading = page.waitForEvent('download');
  await dialog(page).getByRole('button', { name: 'Download CSV' }).click();
  const lines = (await readFile(await (await downloading).path(), 'utf8')).split('\r\n');
  expect(lines[0]).toBe('\uFEFFName,Group,Status');
  const order = await links(page).allInnerTexts();
  expect(order.toSorted()).toEqual(hostile.toSorted());
  const cells: Record<string, string> = { '=cmd|calc': "'=cmd|calc", 'a, "b"': '"a, ""b"""', "'@quoted": "''@quoted" };
  expect(lines.slice(1)).toEqual([...order.map((name) => `${cells[name] ?? name},hostile,Offline`), '']);
  await expect(dialog(page)).toBeHidden();
  await expect(page.getByRole('button', { name: 'Export CSV' })).toBeFocused();

  // A focused row that is scrolled out of sight keeps the focus, and the keys go on from it.
  await page.goto(`${service.url}/devices?sort=name&q=unit`);
  await expect(shown(page)).toHaveText('240 of 245 devices');
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
