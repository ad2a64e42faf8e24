// The location of one device: typed, pasted, picked and dragged on the small map, and taken from the reader's own phone.
import { chromium } from '@playwright/test';
import { launchOptions } from '../scripts/browser.ts';
import { expect, expectAccessible, signIn, test } from './fixtures.ts';
import { locationOf } from './on-map.ts';
import { settledBox } from './settled-box.ts';

test.use({ geolocation: { latitude: 47.376_887, longitude: 8.541_694, accuracy: 12 }, permissions: ['geolocation'] });

test('a location is picked on the small map, dragged, typed, pasted, or that of this phone @main', async ({
  signedIn: page,
  service,
}) => {
  const { DeviceId } = await service.createDevice('mast');
  await page.goto(`${service.url}/devices/${DeviceId}`);
  await page.getByRole('link', { name: 'Set location' }).click();
  const dialog = page.getByRole('dialog');
  const map = dialog.getByRole('region', { name: 'Map to pick the location on' });
  await expect(map.getByRole('link', { name: 'GeoNames' })).toBeVisible();
  await map.click({ position: { x: 150, y: 90 } });
  await expect(dialog.getByLabel('Latitude')).toHaveValue(/^-?\d+\.\d+$/);
  const clicked = await dialog.getByLabel('Longitude').inputValue();
  await dialog.getByRole('button', { name: 'Take the map’s centre' }).click();
  await expect(dialog.getByLabel('Longitude')).not.toHaveValue(clicked);
  await expectAccessible(page);

  // The mark is dragged, and the fields follow; what is typed moves the mark.
  const mark = map.locator('.leaflet-marker-draggable');
  const lat = dialog.getByLabel('Latitude');
  const lng = dialog.getByLabel('Longitude');
  await lat.fill('10');
  await lng.fill('20');
  const box = await settledBox(mark);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 + 40, box.y + box.height / 2 - 30, { steps: 6 });
  await page.mouse.up();
  await expect.poll(async () => Number(await lng.inputValue())).toBeGreaterThan(20);
  await expect.poll(async () => Number(await lat.inputValue())).toBeGreaterThan(10);

  // A pair that is pasted fills both fields.
  await lat.fill('');
  await lat.evaluate((input) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text', '52.52, 13.405');
    input.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  });
  await expect(lat).toHaveValue('52.52');
  await expect(lng).toHaveValue('13.405');
  // So does one that is typed.
  await lat.fill('-33.9, 18.4');
  await lng.focus();
  await expect(lat).toHaveValue('-33.9');
  await expect(lng).toHaveValue('18.4');

  await dialog.getByRole('button', { name: "Use this device's position" }).click();
  await expect(dialog.getByText('Found, to within 12 m.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Set location' }).click();
  await expect(dialog).toBeHidden();
  expect(await locationOf(service, DeviceId)).toMatchObject({ Lat: 47.376_887, Lng: 8.541_694 });
});

// Plain http by any name but localhost is what a service on a local network is reached by.
test('over plain http the position of the phone needs https, and says so', async ({ service, context }) => {
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
  const button = page.getByRole('button', { name: "Use this device's position" });
  await expect(button).toBeDisabled();
  await expect(button).toHaveAccessibleDescription(
    'Needs https: over plain http the browser does not tell the position.',
  );
  await browser.close();
});
