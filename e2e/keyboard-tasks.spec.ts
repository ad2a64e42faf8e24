// Tasks of the README by keyboard alone: no click, and the first row of a list within four presses of Tab.
import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';

/** Presses Tab until the focus is on it; returns how often. */
async function tabTo(page: Page, target: Locator): Promise<number> {
  await expect(target).toBeAttached();
  const isFocused = () => target.evaluate((element) => element === document.activeElement);
  let presses = 0;
  for (; !(await isFocused()); presses += 1) {
    expect(presses, 'Tab never comes there').toBeLessThan(100);
    await page.keyboard.press('Tab');
  }
  return presses;
}

/** To the first row of the page's list by its skip link. */
async function toFirstRow(page: Page, row: Locator): Promise<void> {
  await expect(row).toBeVisible();
  // The links to the parts of the page are there once the focus comes to the first of them.
  let presses = await tabTo(page, page.getByRole('link', { name: 'Skip to content' }));
  presses += await tabTo(page, page.getByRole('button', { name: 'Skip to the table' }));
  expect(presses).toBeLessThanOrEqual(4);
  await page.keyboard.press('Enter');
  await expect(row).toBeFocused();
}

test('by keyboard: filter devices and select one', async ({ signedIn: page, service }) => {
  await service.createDevice('gate 1', 'gates');
  await service.createDevice('pump 1', 'pumps');
  await page.goto(`${service.url}/devices`);
  await toFirstRow(page, page.getByRole('table', { name: 'Devices' }).getByRole('link', { name: 'gate 1' }));
  await page.keyboard.press('/');
  await page.keyboard.type('pump');
  await expect(page.getByRole('status', { name: 'Devices shown' })).toHaveText('1 of 2 devices');
  await tabTo(page, page.getByRole('checkbox', { name: 'Select pump 1' }));
  await page.keyboard.press('Space');
  await expect(page.getByText('1 selected').first()).toBeVisible();
});

test('by keyboard: who did it, in the audit log', async ({ signedIn: page, service }) => {
  const { DeviceId } = await service.createDevice('pump 1');
  await service.call('PATCH', `/v1/devices/${DeviceId}`, { DeviceName: 'pump 2' });
  await page.goto(`${service.url}/activity`);
  await expect(page.getByRole('main').locator('tbody tr').first()).toBeVisible();
  await page.keyboard.press('/');
  await expect(page.getByRole('textbox', { name: 'Name or ID of the object' })).toBeFocused();
  await page.keyboard.type(DeviceId);
  await expect(page).toHaveURL(/object=/);
  await expect(page.getByRole('main').locator('tbody').getByRole('link', { name: 'pump 2' }).first()).toBeVisible();
});
