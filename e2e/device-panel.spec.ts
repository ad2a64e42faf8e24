// The panel beside the device table of a wide window: the device under the cursor, by keyboard and by mouse.
import { createMany, openDevices } from './bulk-actions.ts';
import { expect, expectAccessible, test } from './fixtures.ts';

test.use({ viewport: { width: 1920, height: 1000 } });

test('the panel follows the cursor, and Enter opens the device', async ({ signedIn: page, service }) => {
  await createMany(service, 3, () => 'hall');
  await openDevices(page, service);
  const panel = page.getByRole('complementary', { name: 'Device under the cursor' });
  await expect(panel.getByRole('link', { name: 'device 1' })).toBeVisible();
  await expect(panel.getByRole('region', { name: 'Details' })).toContainText('hall');
  await expect(panel.getByRole('region', { name: 'Last jobs' })).toContainText('No jobs yet.');
  await expect(panel.getByRole('region', { name: 'Last 24 hours' }).getByRole('img')).toBeVisible();
  await expectAccessible(page);

  const row = (name: string) => page.getByRole('table', { name: 'Devices' }).getByRole('link', { name });
  await row('device 1').focus();
  await page.keyboard.press('ArrowDown');
  await expect(row('device 2')).toBeFocused();
  await expect(panel.getByRole('link', { name: 'device 2' })).toBeVisible();
  await page.keyboard.press('ArrowUp');
  await expect(panel.getByRole('link', { name: 'device 1' })).toBeVisible();
  await page
    .getByRole('row', { name: /device 3/ })
    .getByRole('cell', { name: 'hall' })
    .click();
  await expect(panel.getByRole('link', { name: 'device 3' })).toBeVisible();

  await row('device 2').focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: /device 2/ })).toBeVisible();
});

test('the panel stays closed in this browser until it is opened again', async ({ signedIn: page, service }) => {
  await createMany(service, 1);
  await openDevices(page, service);
  const panel = page.getByRole('complementary', { name: 'Device under the cursor' });
  await panel.getByRole('button', { name: 'Close the panel' }).click();
  await expect(panel).toBeHidden();
  await page.reload();
  const open = page.getByRole('button', { name: 'Show the device panel' });
  await expect(open).toBeVisible();
  await expect(panel).toBeHidden();
  await open.click();
  await expect(panel).toBeVisible();
  await page.setViewportSize({ width: 1360, height: 900 });
  await expect(panel).toBeHidden();
});
