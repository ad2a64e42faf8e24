// What is done on the map: an area selects and the bulk actions follow, devices are placed and moved. By keyboard:
// map-keyboard.spec.ts; with 10,000 devices: map-large.spec.ts.
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';
import { choose } from './bulk-actions.ts';
import { LASSO, anyDrawn, inView, locationOf, middle, openMap, placed, region, unplaced } from './on-map.ts';

const bar = (page: Page) => page.getByRole('region', { name: 'Selected devices' });

/** Names of the devices with this tag or of this group. */
const namesOf = async (service: Service, of: 'tag' | 'group', value: string) =>
  (await service.call<{ DeviceName: string }[]>('GET', `/v1/devices/1/100/filters?device_${of}=${value}`))
    .map(({ DeviceName }) => DeviceName)
    .toSorted();

/** Three devices, of which the third is away from the middle of the map. */
async function openThree(page: Page, service: Service): Promise<void> {
  await placed(service, 'inside 1', 10, 10);
  await placed(service, 'inside 2', 10.1, 10.1);
  await placed(service, 'outside', 10, 13);
  await openMap(page, service, '?at=10,10,7');
  await expect(inView(page).getByRole('listitem')).toHaveCount(3);
}

/** Draws a lasso round the two in the middle. */
async function drawLasso(page: Page): Promise<void> {
  const { x, y } = await middle(page);
  await page.keyboard.press('l');
  await expect(page.getByRole('button', { name: 'Select with a lasso' })).toHaveAttribute('aria-pressed', 'true');
  const [[right, down], ...rest] = LASSO;
  await page.mouse.move(x + right, y + down);
  await page.mouse.down();
  for (const [toRight, toDown] of rest) await page.mouse.move(x + toRight, y + toDown, { steps: 4 });
  await page.mouse.up();
  await expect(page.getByText('2 devices added to the selection.')).toBeVisible();
}

test('a lasso selects what is inside, for the bulk actions @main', async ({ signedIn: page, service }) => {
  await openThree(page, service);
  // Escape puts the lasso away.
  await page.getByRole('button', { name: 'Select with a lasso' }).click();
  await expect(page.getByText('Draw around the devices to select.')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByText('Draw around the devices to select.')).toBeHidden();

  await drawLasso(page);
  await expect(page.getByRole('checkbox', { name: 'Select inside 1' })).toBeChecked();
  await expect(page.getByRole('checkbox', { name: 'Select outside' })).not.toBeChecked();
  // The selection is the same after a look at the table.
  await page.getByRole('link', { name: 'Table' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Devices' })).toBeVisible();
  await page.goBack();
  await expect(inView(page).getByRole('listitem')).toHaveCount(3);
  await expect(bar(page)).toContainText('2 selected');
  await choose(page, 'Add a tag');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'Tag' }).fill('roof');
  await dialog.getByRole('button', { name: 'Create and add to 2 devices' }).click();
  await expect(dialog).toContainText('2 done.');
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  expect(await namesOf(service, 'tag', 'roof')).toEqual(['inside 1', 'inside 2']);
});

test('a rectangle selects what is inside, for the bulk actions', async ({ signedIn: page, service }) => {
  await openThree(page, service);
  const { x, y } = await middle(page);
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
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'Group' }).fill('far');
  await dialog.getByRole('button', { name: /of 1 device$/ }).click();
  await expect(dialog).toContainText('1 done.');
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  expect(await namesOf(service, 'group', 'far')).toEqual(['outside']);
});

test('a device without a location is placed by a click or dragged onto the map, and a placed one is moved and moved back', async ({
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
  await expect(page.getByText('Placed boxed.')).toBeVisible();
  const dropped = await locationOf(service, boxed);
  // 80 pixels west and 60 north of 20, 20 at zoom 6.
  expect(dropped?.Lng).toBeCloseTo(20 - (80 * 360) / (256 * 2 ** 6), 0);
  expect(dropped?.Lat).toBeGreaterThan(20.5);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('Undone: boxed is as before.')).toBeVisible();
  await expect(page.getByText('No location 2')).toBeVisible();

  await page.getByRole('button', { name: 'Place fresh' }).click();
  await expect(page.getByText('Click the map where fresh is.')).toBeVisible();
  await page.mouse.click(x + 100, y + 60);
  await expect(page.getByText('Placed fresh.')).toBeVisible();
  await expect(page.getByText('No location 1')).toBeVisible();
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
  await expect(page.getByText('Moved wanderer.')).toBeVisible();
  expect((await locationOf(service, moved))?.Lat).toBeGreaterThan(20);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('Undone: wanderer is as before.')).toBeVisible();
  expect(await locationOf(service, moved)).toMatchObject({ Lat: 20, Lng: 20 });
});

test('a click on the map in the moment in which it is asked for is not lost', async ({ signedIn: page, service }) => {
  await placed(service, 'wanderer', 20, 20);
  await openMap(page, service, '?at=20,20,6');
  await inView(page)
    .getByRole('button', { name: /wanderer/ })
    .click();
  const { x, y } = await middle(page);
  const at = { clientX: x - 100, clientY: y - 60, bubbles: true };
  await page.evaluate((click) => {
    const seen = new MutationObserver(() => {
      if (!document.body.textContent.includes('Click the map where')) return;
      seen.disconnect();
      document.elementFromPoint(click.clientX, click.clientY)?.dispatchEvent(new MouseEvent('click', click));
    });
    seen.observe(document.body, { subtree: true, childList: true });
  }, at);
  await page.getByRole('button', { name: 'Move', exact: true }).click();
  await expect(page.getByText('Moved wanderer.')).toBeVisible();
});

test.describe('a location that the service refuses', () => {
  test.use({ expectedConsole: [/status of 503/] });

  test('leaves the device without one, and is reported', async ({ signedIn: page, service }) => {
    const { DeviceId } = await service.createDevice('fresh');
    await placed(service, 'other', 5, 5);
    await page.route('**/v1/devices/location/*', (route) =>
      route.fulfill({ status: 503, json: { title: 'The disk is full', detail: 'Free some space.' } }),
    );
    await openMap(page, service, '?at=5,5,6');
    await page.getByText('No location 1').click();
    await page.getByRole('button', { name: 'Place fresh' }).click();
    await page.getByRole('button', { name: 'Place at the map centre' }).click();
    await expect(page.getByText(/^fresh was not placed: /)).toBeVisible();
    await expect(page.getByText('No location 1')).toBeVisible();
    const place = await locationOf(service, DeviceId);
    expect([place?.Lat ?? 0, place?.Lng ?? 0]).toEqual([0, 0]);
  });
});

test('colours by group have letters and a legend, and are in the URL', async ({ signedIn: page, service }) => {
  for (const [name, group, lng] of [
    ['cam', 'cameras', 1],
    ['pump', 'pumps', 2],
  ] as const) {
    const { DeviceId } = await service.createDevice(name, group);
    await service.locate(DeviceId, 45, lng);
  }
  await openMap(page, service);
  await page.getByRole('radiogroup', { name: 'Colour by' }).getByText('Group', { exact: true }).click();
  const legend = page.getByRole('list', { name: 'Colours of the groups' });
  await expect(legend.getByRole('listitem')).toHaveText(['Acameras', 'Bpumps']);
  await expect(page).toHaveURL(/color=group/);
  await expectAccessible(page);
  await page.reload();
  await expect(legend).toBeVisible();
});

test.describe('with a finger on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('a lasso selects', async ({ signedIn: page, service }) => {
    await placed(service, 'inside', 10, 10);
    await placed(service, 'outside', 10, 11);
    await openMap(page, service, '?at=10,10,7');
    // Without a map, which is drawn after its box, a lasso selects nothing.
    await expect.poll(() => anyDrawn(page)).toBe(true);
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
