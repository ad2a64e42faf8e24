// What is done on the map: an area selects and the bulk actions follow, devices are placed and moved, by mouse and by
// keyboard; and how long the page stands still with 10,000 devices.
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test } from './fixtures.ts';
import type { Service } from './fixtures.ts';
import { LASSO, inView, locationOf, middle, openMap, placed, region, unplaced } from './on-map.ts';

const bar = (page: Page) => page.getByRole('region', { name: 'Selected devices' });

/** Opens an action for the selected devices. */
async function choose(page: Page, action: string): Promise<void> {
  await bar(page).getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}

/** Names of the devices with this tag or of this group. */
const namesOf = async (service: Service, of: 'tag' | 'group', value: string) =>
  (await service.call<{ DeviceName: string }[]>('GET', `/v1/devices/1/100/filters?device_${of}=${value}`))
    .map(({ DeviceName }) => DeviceName)
    .toSorted();

test('a lasso and a rectangle select what is inside, for the bulk actions and for the table @main', async ({
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
  const [[right, down], ...rest] = LASSO;
  await page.mouse.move(x + right, y + down);
  await page.mouse.down();
  for (const [toRight, toDown] of rest) await page.mouse.move(x + toRight, y + toDown, { steps: 4 });
  await page.mouse.up();
  await expect(page.getByText('2 devices added to the selection.')).toBeVisible();
  await expect(page.getByRole('checkbox', { name: 'Select inside 1' })).toBeChecked();
  await expect(page.getByRole('checkbox', { name: 'Select outside' })).not.toBeChecked();

  await expect(bar(page)).toContainText('2 selected');
  await choose(page, 'Add a tag');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'Tag' }).fill('roof');
  await dialog.getByRole('button', { name: 'Create and add to 2 devices' }).click();
  await expect(dialog).toContainText('2 done');
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  expect(await namesOf(service, 'tag', 'roof')).toEqual(['inside 1', 'inside 2']);

  await page.getByRole('link', { name: 'Table' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Devices' })).toBeVisible();
  await page.goBack();
  await expect(bar(page)).toContainText('2 selected');
  await expect(inView(page).getByRole('listitem')).toHaveCount(3);

  // A rectangle over the third one, which gets a group of its own.
  await bar(page).getByRole('button', { name: 'Clear selection' }).click();
  await page.getByRole('button', { name: 'Select in a rectangle' }).click();
  await expect(page.getByRole('button', { name: 'Select in a rectangle' })).toHaveAttribute('aria-pressed', 'true');
  // Three degrees of longitude east of the middle, at zoom 7.
  const east = x + (3 * 256 * 2 ** 7) / 360;
  await page.mouse.move(east - 30, y - 30);
  await page.mouse.down();
  await page.mouse.move(east + 30, y + 30, { steps: 4 });
  await page.mouse.up();
  await expect(page.getByText('1 device added to the selection.')).toBeVisible();
  await choose(page, 'Set group');
  await dialog.getByRole('combobox', { name: 'Group' }).fill('far');
  await dialog.getByRole('button', { name: /of 1 device$/ }).click();
  await expect(dialog).toContainText('1 done');
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  expect(await namesOf(service, 'group', 'far')).toEqual(['outside']);
});

test('a device without a location is placed by a click or dragged onto the map, and a placed one is moved and moved back @main', async ({
  signedIn: page,
  service,
}) => {
  const { DeviceId: fresh } = await service.createDevice('fresh');
  const { DeviceId: boxed } = await service.createDevice('boxed');
  const moved = await placed(service, 'wanderer', 20, 20);
  await openMap(page, service, '?at=20,20,6');
  await page.getByText('No location 2').click();
  const { x, y } = await middle(page);
  const box = await region(page).boundingBox();
  await unplaced(page)
    .getByRole('link', { name: /boxed/ })
    .dragTo(region(page), { targetPosition: { x: x - (box?.x ?? 0) - 80, y: y - (box?.y ?? 0) - 60 } });
  await expect(page.getByText(/^boxed was placed at .* not be without a location again\.$/)).toBeVisible();
  const dropped = await locationOf(service, boxed);
  // 80 pixels west and 60 north of 20, 20 at zoom 6.
  expect(dropped?.Lng).toBeCloseTo(20 - (80 * 360) / (256 * 2 ** 6), 0);
  expect(dropped?.Lat).toBeGreaterThan(20.5);

  await page.getByRole('button', { name: 'Place fresh' }).click();
  await expect(page.getByText('Click the map where fresh is.')).toBeVisible();
  await page.mouse.click(x + 100, y + 60);
  await expect(page.getByText(/^fresh was placed at .* not be without a location again\.$/)).toBeVisible();
  await expect(page.getByText('No location 0')).toBeVisible();
  const place = await locationOf(service, fresh);
  expect(place?.Lat).toBeLessThan(20);
  expect(place?.Lng).toBeGreaterThan(20);

  await page.getByText('In view').click();
  await inView(page)
    .getByRole('button', { name: /wanderer/ })
    .click();
  await page.getByRole('button', { name: 'Move', exact: true }).click();
  await expect(page.getByText('Click the map where wanderer is.')).toBeVisible();
  await page.mouse.click(x - 100, y - 60);
  await expect(page.getByText(/^wanderer was moved to /)).toBeVisible();
  expect((await locationOf(service, moved))?.Lat).toBeGreaterThan(20);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('wanderer is back at 20, 20.')).toBeVisible();
  expect(await locationOf(service, moved)).toMatchObject({ Lat: 20, Lng: 20 });
});

test.describe('a location that the service refuses', () => {
  test.use({ expectedConsole: [/status of 503/] });

  test('leaves the device without one, and says so', async ({ signedIn: page, service }) => {
    const { DeviceId } = await service.createDevice('fresh');
    await placed(service, 'other', 5, 5);
    await page.route('**/v1/devices/location/*', (route) =>
      route.fulfill({ status: 503, json: { title: 'The disk is full', detail: 'Free some space.' } }),
    );
    await openMap(page, service, '?at=5,5,6');
    await page.getByText('No location 1').click();
    await page.getByRole('button', { name: 'Place fresh' }).click();
    await page.getByRole('button', { name: 'Place at the map’s centre' }).click();
    await expect(page.getByText(/^fresh was not placed: /)).toBeVisible();
    await expect(page.getByText('No location 1')).toBeVisible();
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
  // Its actions follow: Open, Deploy, Select.
  for (let step = 0; step < 3; step++) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(bar(page)).toContainText('1 selected');
  await page.keyboard.press('Enter');
  await expect(bar(page)).toBeHidden();
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

  await page.getByRole('radio', { name: /^No location/ }).focus();
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
  await page.getByText('By group', { exact: true }).click();
  const legend = page.getByRole('list', { name: 'Colours of the groups' });
  await expect(legend.getByRole('listitem')).toHaveText(['Acameras', 'Bpumps']);
  await expect(page).toHaveURL(/color=group/);
  await expectAccessible(page);
  await page.reload();
  await expect(legend).toBeVisible();
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
      json: fleet.map(({ DeviceId }, i) => ({
        DeviceId,
        Lat: i === 0 ? 123.4 : ((i * 7) % 120) - 50.5,
        Lng: ((i * 13) % 340) - 170.5,
      })),
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
  await expect(page.getByText('9,999 on the map · 1 without a location')).toBeVisible();
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

  // The list sorts, and has what no place on earth has.
  await page.getByRole('button', { name: 'Show all' }).click();
  const first = inView(page).getByRole('listitem').first();
  await expect(first).not.toContainText('group 0');
  await page.getByLabel('Sort the list by').selectOption('Group');
  await expect(first).toContainText('group 0');
  await page.getByText('No location 1').click();
  await expect(unplaced(page)).toContainText('Out of range: 123.4, -170.5');

  const say = (tasks: number[]) =>
    tasks.length > 0 ? tasks.map((task) => `${Math.round(task)} ms`).join(', ') : 'none';
  const text = `Tasks over 50 ms with 10,000 devices: opening ${say(opening)}; panning and zooming ${say(moving)}`;
  test.info().annotations.push({ type: 'long tasks', description: text });
  await test.info().attach('long-tasks.txt', { body: text });
});

test.describe('with a finger on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('a lasso selects', async ({ signedIn: page, service }) => {
    await placed(service, 'inside', 10, 10);
    await placed(service, 'outside', 10, 11);
    await openMap(page, service, '?at=10,10,7');
    const { x, y } = await middle(page);
    await page.getByRole('button', { name: 'Select with a lasso' }).tap();
    await expect(page.getByRole('button', { name: 'Select with a lasso' })).toHaveAttribute('aria-pressed', 'true');
    const finger = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', at?: readonly [right: number, down: number]) =>
      finger.send('Input.dispatchTouchEvent', { type, touchPoints: at ? [{ x: x + at[0], y: y + at[1] }] : [] });
    await touch('touchStart', LASSO[0]);
    for (const at of LASSO.slice(1)) await touch('touchMove', at);
    await touch('touchEnd');
    await expect(page.getByText('1 device added to the selection.')).toBeVisible();
    await page.getByRole('button', { name: 'List', exact: true }).click();
    await expect(page.getByRole('checkbox', { name: 'Select inside' })).toBeChecked();
    await expect(page.getByRole('checkbox', { name: 'Select outside' })).not.toBeChecked();
  });
});
