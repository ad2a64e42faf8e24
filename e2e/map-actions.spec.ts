// What is done on the map: an area selects and the bulk actions follow, devices are placed and moved, by mouse and by
// keyboard; and how long the page stands still with 10,000 devices.
import type { Page } from '@playwright/test';
import { expect, expectAccessible, signIn, test } from './fixtures.ts';
import type { Service } from './fixtures.ts';

const region = (page: Page) => page.getByRole('region', { name: 'Map of device locations' });
const inView = (page: Page) => page.getByRole('region', { name: 'Devices in view' });

async function openMap(page: Page, service: Service, search = ''): Promise<void> {
  await page.goto(`${service.url}/map${search}`);
  await expect(region(page)).toBeVisible();
}

/** The middle of the map in pixels of the window. */
async function middle(page: Page): Promise<{ x: number; y: number }> {
  const box = await region(page).boundingBox();
  if (!box) throw new Error('the map has no box');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

async function placed(service: Service, name: string, lat: number, lng: number): Promise<string> {
  const { DeviceId } = await service.createDevice(name);
  await service.locate(DeviceId, lat, lng);
  return DeviceId;
}

const locationOf = async (service: Service, id: string) =>
  (await service.call<{ DeviceId: string; Lat: number; Lng: number }[]>('GET', '/v1/devices/location')).find(
    ({ DeviceId }) => DeviceId === id,
  );

test('a lasso selects what is inside, and the selection goes to the bulk actions and to the table', async ({
  signedIn: page,
  service,
}) => {
  await placed(service, 'inside 1', 10, 10);
  await placed(service, 'inside 2', 10.1, 10.1);
  await placed(service, 'outside', 10, 13);
  await openMap(page, service, '?at=10,10,7');
  await expect(inView(page).getByRole('listitem')).toHaveCount(3);
  const { x, y } = await middle(page);

  // Escape puts the tool away.
  await page.getByRole('button', { name: 'Select with a lasso' }).click();
  await expect(page.getByText('Draw round the devices to select.')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByText('Draw round the devices to select.')).toBeHidden();

  await page.keyboard.press('l');
  await expect(page.getByRole('button', { name: 'Select with a lasso' })).toHaveAttribute('aria-pressed', 'true');
  await page.mouse.move(x - 60, y);
  await page.mouse.down();
  for (const [right, down] of [
    [-40, -60],
    [30, -70],
    [70, 0],
    [30, 60],
    [-40, 50],
  ] as const)
    await page.mouse.move(x + right, y + down, { steps: 4 });
  await page.mouse.up();
  await expect(page.getByText('2 devices added to the selection.')).toBeVisible();
  await expect(page.getByRole('checkbox', { name: 'Select inside 1' })).toBeChecked();
  await expect(page.getByRole('checkbox', { name: 'Select outside' })).not.toBeChecked();

  const bar = page.getByRole('region', { name: 'Selected devices' });
  await expect(bar).toContainText('2 selected');
  await bar.getByRole('button', { name: 'Actions' }).click();
  await expect(page.getByRole('menuitem', { name: 'Add a tag' })).toBeVisible();
  await page.keyboard.press('Escape');

  await page.getByRole('link', { name: 'Table' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Devices' })).toBeVisible();
  await page.goBack();
  await expect(bar).toContainText('2 selected');
});

test('a device without a place is placed by a click, and a placed one is moved and moved back', async ({
  signedIn: page,
  service,
}) => {
  const { DeviceId: fresh } = await service.createDevice('fresh');
  const moved = await placed(service, 'wanderer', 20, 20);
  await openMap(page, service, '?at=20,20,6');
  await page.getByText('No place 1').click();
  await page.getByRole('button', { name: 'Place fresh' }).click();
  await expect(page.getByText('Click the map where fresh is.')).toBeVisible();
  const { x, y } = await middle(page);
  await page.mouse.click(x + 100, y + 60);
  await expect(page.getByText(/^fresh was placed at .* not be without a place again\.$/)).toBeVisible();
  await expect(page.getByText('No place 0')).toBeVisible();
  const place = await locationOf(service, fresh);
  expect(place?.Lat).toBeLessThan(20);
  expect(place?.Lng).toBeGreaterThan(20);

  await page.getByText('In view').click();
  await inView(page)
    .getByRole('button', { name: /wanderer/ })
    .click();
  await page.getByRole('button', { name: 'Move', exact: true }).click();
  await page.mouse.click(x - 100, y - 60);
  await expect(page.getByText(/^wanderer was moved to /)).toBeVisible();
  expect((await locationOf(service, moved))?.Lat).toBeGreaterThan(20);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('wanderer is back at 20, 20.')).toBeVisible();
  expect(await locationOf(service, moved)).toMatchObject({ Lat: 20, Lng: 20 });
});

test.describe('a place that the service refuses', () => {
  test.use({ expectedConsole: [/503/] });

  test('leaves the device without one, and says so', async ({ signedIn: page, service }) => {
    const { DeviceId } = await service.createDevice('fresh');
    await placed(service, 'other', 5, 5);
    await page.route('**/v1/devices/location/*', (route) =>
      route.fulfill({ status: 503, json: { title: 'The disk is full', detail: 'Free some space.' } }),
    );
    await openMap(page, service, '?at=5,5,6');
    await page.getByText('No place 1').click();
    await page.getByRole('button', { name: 'Place fresh' }).click();
    await page.getByRole('button', { name: 'Place at the map’s centre' }).click();
    await expect(page.getByText(/^fresh was not placed: /)).toBeVisible();
    await expect(page.getByText('No place 1')).toBeVisible();
    const place = await locationOf(service, DeviceId);
    expect([place?.Lat ?? 0, place?.Lng ?? 0]).toEqual([0, 0]);
  });
});

test('all of it works by keyboard alone', async ({ signedIn: page, service }) => {
  await placed(service, 'north', 50, 10);
  await placed(service, 'south', -30, 10);
  const { DeviceId: fresh } = await service.createDevice('fresh');
  await openMap(page, service);
  const press = async (name: string | RegExp, key = 'Enter') => {
    await page.getByRole('button', { name }).first().focus();
    await page.keyboard.press(key);
  };

  await press('Zoom in');
  await expect(page).toHaveURL(/at=/);
  const before = page.url();
  await press('Pan up');
  await expect(page).not.toHaveURL(before);

  await press('Show all');
  await press(/^north Offline/);
  const card = page.getByRole('link', { name: 'north', exact: true });
  await expect(card).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(card).toBeHidden();
  await expect(page.getByRole('button', { name: /^north Offline/ })).toBeFocused();

  await press('Show all');
  await page.getByRole('checkbox', { name: 'Select south' }).focus();
  await page.keyboard.press('Space');
  await expect(page.getByRole('region', { name: 'Selected devices' })).toContainText('1 selected');
  await press('Fit to selection');
  await expect(inView(page).getByRole('listitem')).toHaveCount(1);
  await press('Show all');
  await press('Select all in view');
  await expect(page.getByRole('region', { name: 'Selected devices' })).toContainText('2 selected');
  await expectAccessible(page);

  await page.getByRole('radio', { name: /^No place/ }).focus();
  await page.keyboard.press('Space');
  await press('Place fresh');
  await press('Place at the map’s centre');
  await expect(page.getByText(/^fresh was placed at /)).toBeVisible();
  expect((await locationOf(service, fresh))?.Lat).not.toBe(0);
});

test('colours by group have letters and a legend, and stand in the URL', async ({ signedIn: page, service }) => {
  for (const [name, group, lng] of [
    ['cam', 'cameras', 1],
    ['pump', 'pumps', 2],
  ] as const) {
    const { DeviceId } = await service.createDevice(name, group);
    await service.locate(DeviceId, 45, lng);
  }
  await openMap(page, service);
  await page.getByText('By group').click();
  const legend = page.getByRole('list', { name: 'Colours of the groups' });
  await expect(legend.getByRole('listitem')).toHaveText(['Acameras', 'Bpumps']);
  await expect(page).toHaveURL(/color=group/);
  await expectAccessible(page);
  await page.reload();
  await expect(legend).toBeVisible();
});

test('the location dialog has a map of its own to pick from', async ({ signedIn: page, service }) => {
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
  await dialog.getByRole('button', { name: 'Set location' }).click();
  await expect(dialog).toBeHidden();
  expect((await locationOf(service, DeviceId))?.Lat).not.toBe(0);
});

test.describe('tiles of a host that does not answer', () => {
  test.use({
    serviceEnv: {
      MAP_TILES_URL: 'http://127.0.0.1:9/{z}/{x}/{y}.png',
      MAP_ATTRIBUTION: '© [Maps](https://maps.example/)',
    },
  });

  // A page of its own: the fixture's refuses every request to another host, as this one makes.
  test('give way to the built-in map, with a note', async ({ browser, service }) => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await signIn(page, service);
    await placed(service, 'somewhere', 30, 30);
    const answer = await page.goto(`${service.url}/map`);
    const policy = answer?.headers()['content-security-policy'] ?? '';
    expect(policy).toContain("img-src 'self' data: http://127.0.0.1:9;");
    expect(policy).toContain("connect-src 'self' http://127.0.0.1:9;");
    await expect(page.getByText('The map tiles of 127.0.0.1:9 do not load. This is the built-in map.')).toBeVisible();
    await expect(page.getByRole('link', { name: 'GeoNames' })).toBeVisible();
    await context.close();
  });
});

test('10,000 devices: how long the page stands still is recorded', async ({ signedIn: page, service }) => {
  // The answers are made here: creating so many would be the longest part of the test.
  const fleet = Array.from({ length: 10_000 }, (_, i) => ({
    DeviceId: `device-${i}`,
    DeviceName: `device ${i}`,
    DeviceGroup: `group ${i % 12}`,
    LocalAddr: '10.0.0.1',
    LocalPort: '',
    DeviceStatus: i % 4 === 0 ? 'Offline' : 'Online',
  }));
  await page.route(/\/v1\/devices\/\d+\/\d+$/, (route) => {
    const [number = 1, rows = 1] = new URL(route.request().url()).pathname.split('/').slice(-2).map(Number);
    return route.fulfill({
      json: { Devices: fleet.slice((number - 1) * rows, number * rows), TotalNumDevices: fleet.length },
    });
  });
  await page.route('**/v1/devices/location', (route) =>
    route.fulfill({
      json: fleet.map(({ DeviceId }, i) => ({ DeviceId, Lat: ((i * 7) % 120) - 50.5, Lng: ((i * 13) % 340) - 170.5 })),
    }),
  );
  await page.addInitScript(() => {
    const tasks: number[] = [];
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: 'longtask',
      buffered: true,
    });
    Object.assign(window, { longTasks: tasks });
  });
  const longTasks = () => page.evaluate(() => (window as unknown as { longTasks: number[] }).longTasks.splice(0));
  await openMap(page, service);
  await expect(page.getByText('10,000 on the map')).toBeVisible();
  await expect(inView(page).getByRole('listitem').first()).toBeVisible();
  const opening = await longTasks();
  const { x, y } = await middle(page);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 300, y + 80, { steps: 40 });
  await page.mouse.up();
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await expect(page).toHaveURL(/at=/);
  const moving = await longTasks();
  const say = (tasks: number[]) =>
    tasks.length > 0 ? tasks.map((task) => `${Math.round(task)} ms`).join(', ') : 'none';
  const text = `Tasks over 50 ms with 10,000 devices: opening ${say(opening)}; panning and zooming ${say(moving)}`;
  test.info().annotations.push({ type: 'long tasks', description: text });
  await test.info().attach('long-tasks.txt', { body: text });
});
