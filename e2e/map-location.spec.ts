// The location of one device: typed, pasted, picked and dragged on the small map, and taken from the reader's own phone.
import { chromium, type Page } from '@playwright/test';
import { launchOptions } from '../scripts/browser.ts';
import { expect, expectAccessible, signIn, test, type Service } from './fixtures.ts';
import { locationOf } from './on-map.ts';
import { settledBox } from './settled-box.ts';

test.use({ geolocation: { latitude: 47.376_887, longitude: 8.541_694, accuracy: 12 }, permissions: ['geolocation'] });

/** Opens the dialog in which the location of a new device is set. */
async function openLocation(page: Page, service: Service) {
  const { DeviceId } = await service.createDevice('mast');
  await page.goto(`${service.url}/devices/${DeviceId}`);
  await page.getByRole('link', { name: 'Set location' }).click();
  const dialog = page.getByRole('dialog');
  const map = dialog.getByRole('region', { name: 'Map to pick the location on' });
  await expect(map.getByRole('link', { name: 'GeoNames' })).toBeVisible();
  return { DeviceId, dialog, map, lat: dialog.getByLabel('Latitude'), lng: dialog.getByLabel('Longitude') };
}

test('a location is picked on the small map by a click, by its centre, and by dragging the mark', async ({
  signedIn: page,
  service,
}) => {
  const { dialog, map, lat, lng } = await openLocation(page, service);
  await map.click({ position: { x: 150, y: 90 } });
  await expect(lat).toHaveValue(/^-?\d+\.\d+$/);
  const clicked = await lng.inputValue();
  await dialog.getByRole('button', { name: 'Use the map centre' }).click();
  await expect(lng).not.toHaveValue(clicked);
  await expectAccessible(page);

  // What is typed moves the mark; where it is dragged, the fields follow.
  await lat.fill('10');
  await lng.fill('20');
  const box = await settledBox(map.locator('.leaflet-marker-draggable'));
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 + 40, box.y + box.height / 2 - 30, { steps: 6 });
  await page.mouse.up();
  await expect.poll(async () => Number(await lng.inputValue())).toBeGreaterThan(20);
  await expect.poll(async () => Number(await lat.inputValue())).toBeGreaterThan(10);

  // Past 180 degrees the map goes on, and the location is one that a device can have.
  await lat.fill('-17');
  await lng.fill('179.9');
  const { x, y } = await settledBox(map);
  await page.mouse.move(x + 200, y + 60);
  await page.mouse.down();
  await page.mouse.move(x + 100, y + 60, { steps: 6 });
  await page.mouse.up();
  await expect(async () => {
    await dialog.getByRole('button', { name: 'Use the map centre' }).click();
    await expect(lng).toHaveValue(/^-179\.[5-9]/, { timeout: 500 });
  }).toPass();
  await expect(map.locator('.leaflet-marker-draggable')).toBeInViewport();
});

test('a pair that is pasted or typed fills both fields; the position of this phone is set, and shows on the map', async ({
  signedIn: page,
  service,
}) => {
  const { DeviceId, dialog, lat, lng } = await openLocation(page, service);
  await lat.evaluate((input) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text', '52.52, 13.405');
    input.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  });
  await expect(lat).toHaveValue('52.52');
  await expect(lng).toHaveValue('13.405');
  await lat.fill('-33.9, 18.4');
  await lng.focus();
  await expect(lat).toHaveValue('-33.9');
  await expect(lng).toHaveValue('18.4');

  await dialog.getByRole('button', { name: 'Use my current location' }).click();
  await expect(dialog.getByText('Accurate to 12 m.')).toBeVisible();
  // The small map has moved there.
  await dialog.getByRole('button', { name: 'Use the map centre' }).click();
  await expect(lat).toHaveValue(/^47\.3/);
  await dialog.getByRole('button', { name: 'Use my current location' }).click();
  await expect(lat).toHaveValue('47.376887');
  await dialog.getByRole('button', { name: 'Set location' }).click();
  await expect(dialog).toBeHidden();
  expect(await locationOf(service, DeviceId)).toMatchObject({ Lat: 47.376_887, Lng: 8.541_694 });
  await page.getByRole('link', { name: 'Map' }).first().click();
  await expect(page.getByRole('button', { name: /^mast Not connected yet/ })).toBeVisible();
});

// Plain http by any name but localhost is what a service on a local network is reached by.
test('over plain http the position of the phone needs https, and the page explains it', async ({
  service,
  context,
}) => {
  const { DeviceId } = await service.createDevice('mast');
  const options = launchOptions({ light: true });
  const browser = await chromium.launch({
    ...options,
    args: [...(options.args ?? []), '--host-resolver-rules=MAP muster.test 127.0.0.1'],
  });
  const page = await browser.newPage();
  await signIn(await context.newPage(), service);
  // The session goes by name: that of the other name is handed over.
  await page.context().addCookies((await context.cookies()).map((cookie) => ({ ...cookie, domain: 'muster.test' })));
  await page.goto(`http://muster.test:${new URL(service.url).port}/devices/${DeviceId}?dialog=locate`);
  const button = page.getByRole('button', { name: 'Use my current location' });
  await expect(button).toBeDisabled();
  await expect(button).toHaveAccessibleDescription('Location access needs HTTPS.');
  await browser.close();
});
