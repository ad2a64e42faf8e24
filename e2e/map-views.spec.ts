// Saved views on the map: the same as on the table, of which the map shows the devices and keeps the rest.
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';
import { inView, openMap, placed } from './on-map.ts';

const menu = (page: Page) => page.getByRole('button', { name: /^View:/ });
const rows = (page: Page) => page.getByRole('table', { name: 'Devices' }).getByRole('link');
const onMap = (page: Page) => inView(page).getByRole('listitem');

async function choose(page: Page, item: string): Promise<void> {
  await menu(page).click();
  await page.getByRole('menuitem', { name: item }).first().click();
}

async function placeDevices(service: Service): Promise<void> {
  await placed(service, 'gate 1', 52.5, 13.4, 'gates');
  await placed(service, 'gate 2', 53.5, 10, 'gates');
  await placed(service, 'pump 1', 48.1, 11.6, 'pumps');
}

/** As the table saves it. */
const saveOnTable = (service: Service, name: string, Query: string) =>
  service.call('PUT', `/v1/views/${name}`, { Query, Private: false });

test('a view that is saved on the map is shown by the table, and one of the table by the map, where changes keep its columns and order', async ({
  signedIn: page,
  service,
}) => {
  await placeDevices(service);
  await openMap(page, service, '?group=gates');
  await expect(onMap(page)).toHaveCount(2);
  await choose(page, 'Save as a new view');
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('Saves the filters and search');
  await expectAccessible(page);
  await dialog.getByLabel('Name').fill('Gates');
  await dialog.getByRole('button', { name: 'Save view' }).click();
  await expect(menu(page)).toHaveText('View: Gates');

  await page.getByRole('link', { name: 'Devices', exact: true }).click();
  await expect(rows(page)).toHaveCount(3);
  await choose(page, 'Gates');
  await expect(rows(page)).toHaveText(['gate 1', 'gate 2']);

  await saveOnTable(service, 'Doors', 'group=gates&sort=-name&cols=name,status');
  await openMap(page, service);
  await expect(onMap(page)).toHaveCount(3);
  await choose(page, 'Doors');
  await expect(onMap(page)).toHaveCount(2);
  await page.getByLabel('Search devices by name or ID').fill('gate 2');
  await expect(onMap(page)).toHaveCount(1);
  await expect(menu(page)).toContainText('changed');
  await choose(page, 'Save changes');
  await expect(menu(page)).not.toContainText('changed');
  const views = await service.call<{ Name: string; Query: string }[]>('GET', '/v1/views');
  const view = views.find(({ Name }) => Name === 'Doors');
  expect(new URLSearchParams(view?.Query).get('q')).toBe('gate 2');
  expect(view?.Query).toContain('sort=-name&cols=name,status');
  await page.goBack();
  await expect(onMap(page)).toHaveCount(3);
});
