// All that the map offers, by keyboard alone.
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';
import { inView, locationOf, openMap, placed } from './on-map.ts';

const bar = (page: Page) => page.getByRole('region', { name: 'Selected devices' });

const press = async (page: Page, name: string | RegExp) => {
  await page.getByRole('button', { name }).first().focus();
  await page.keyboard.press('Enter');
};

/** Two devices with a location. */
async function openTwo(page: Page, service: Service): Promise<void> {
  await placed(service, 'north', 50, 10);
  await placed(service, 'south', -30, 10);
  await openMap(page, service);
  // The list is drawn after the map: until then the buttons move nothing.
  await expect(inView(page).getByRole('listitem')).toHaveCount(2);
}

test('the map is moved, devices are opened, selected and placed by keyboard', async ({ signedIn: page, service }) => {
  await openTwo(page, service);
  await press(page, 'Zoom in');
  await expect(page).toHaveURL(/at=/);
  const before = page.url();
  await press(page, 'Pan up');
  await expect(page).not.toHaveURL(before);

  await press(page, 'Show all');
  await press(page, /^north Not connected yet/);
  const card = page.getByRole('link', { name: 'north', exact: true });
  await expect(card).toBeFocused();
  // Its actions follow: Open, Deploy, Select.
  for (let step = 0; step < 3; step++) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(bar(page)).toContainText('1 selected');
  await page.keyboard.press('Enter');
  await expect(bar(page)).toBeHidden();
  await page.keyboard.press('Escape');
  await expect(card).toBeHidden();
  await expect(page.getByRole('button', { name: /^north Not connected yet/ })).toBeFocused();

  // In its list.
  await press(page, 'Show all');
  await expect(inView(page).getByRole('listitem')).toHaveCount(2);
  await page.getByRole('checkbox', { name: 'Select south' }).focus();
  await page.keyboard.press('Space');
  await expect(bar(page)).toContainText('1 selected');
  await press(page, 'Fit to selection');
  await expect(inView(page).getByRole('listitem')).toHaveCount(1);
  await press(page, 'Show all');
  await expect(inView(page).getByRole('listitem')).toHaveCount(2);
  await press(page, 'Select all in view');
  await expect(bar(page)).toContainText('2 selected');
  await expectAccessible(page);

  const { DeviceId: fresh } = await service.createDevice('fresh');
  await page.reload();
  await page.getByRole('radio', { name: /^No location/ }).focus();
  await page.keyboard.press('Space');
  await press(page, 'Place fresh');
  await press(page, 'Place at the map centre');
  await expect(page.getByText('Placed fresh.')).toBeVisible();
  expect((await locationOf(service, fresh))?.Lat).not.toBe(0);
});
