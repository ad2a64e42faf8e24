// The map: placed devices appear, unplaced ones are listed, a location set by form shows up, nothing leaves the origin.
import { expect, expectAccessible, test } from './fixtures.ts';
import { drawnInTheMiddle, inView, middle, openMap, placed, region } from './on-map.ts';

test('placed devices are drawn and listed, the unplaced are listed only @main', async ({ signedIn: page, service }) => {
  const berlin = await service.createDevice('gate-berlin', 'gates');
  const tokyo = await service.createDevice('gate-tokyo', 'gates');
  await service.createDevice('still in its box');
  await service.locate(berlin.DeviceId, 52.52, 13.4);
  await service.locate(tokyo.DeviceId, 35.68, 139.65);

  await openMap(page, service);
  const view = page.getByRole('region', { name: 'Devices in view' });
  await expect(view.getByRole('button', { name: /^gate-berlin Not connected yet/ })).toBeVisible();
  await expect(view.getByRole('button', { name: /^gate-tokyo Not connected yet/ })).toBeVisible();
  await expect(page.getByText('2 on the map · 1 without a location')).toBeVisible();
  await expect(view.getByText('still in its box')).toBeHidden();
  await page.getByText('No location 1').click();
  await expect(page.getByRole('region', { name: 'Devices without a location' }).getByRole('link')).toContainText(
    'still in its box',
  );
  const label = page.getByRole('button', { name: 'Select all', exact: true }).locator('.mantine-Button-label');
  expect(await label.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);

  // Chosen in the list: the map goes there, the card opens, and the view is in the URL.
  await page.getByText('In view').click();
  await view.getByRole('button', { name: /gate-berlin/ }).click();
  const card = page.getByRole('link', { name: 'gate-berlin', exact: true });
  await expect(card).toBeVisible();
  await expect(page).toHaveURL(/at=52\.\d+%2C13\.\d+%2C9/);
  await expect.poll(() => drawnInTheMiddle(page)).toBe(true);
  await expect(view.getByRole('button', { name: /gate-tokyo/ })).toBeHidden();

  await page.reload();
  await expect(card).toBeVisible();
  await card.click();
  await expect(page.getByRole('heading', { level: 1, name: /gate-berlin/ })).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/at=52/);
});

test('a marker is clickable: one device opens its card, several on one spot open as a list', async ({
  signedIn: page,
  service,
}) => {
  await placed(service, 'alone', 10, 10);
  for (const name of ['rack 1', 'rack 2', 'rack 3']) await placed(service, name, -20, 30);
  await openMap(page, service, '?at=10,10,8');
  await expect.poll(() => drawnInTheMiddle(page)).toBe(true);
  const first = await middle(page);
  await page.mouse.move(first.x, first.y);
  const hint = page.getByText('alone · Not connected yet');
  await expect(hint).toBeVisible();
  // The list and the map point at the same device, whichever of them the mouse or the focus is on.
  const row = inView(page).getByRole('listitem');
  await expect(row).toHaveAttribute('data-pointed', 'true');
  await page.mouse.move(first.x + 120, first.y);
  await expect(hint).toBeHidden();
  await expect(row).toHaveAttribute('data-pointed', 'false');
  await row.getByRole('button').focus();
  await expect(hint).toBeVisible();
  await row.getByRole('checkbox').focus();
  await expect(hint).toBeHidden();
  await page.mouse.click(first.x, first.y);
  await expect(page.getByRole('link', { name: 'alone', exact: true })).toBeVisible();

  await openMap(page, service, '?at=-20,30,12');
  await expect.poll(() => drawnInTheMiddle(page)).toBe(true);
  const second = await middle(page);
  await page.mouse.click(second.x, second.y);
  await expect(page.getByText('3 devices on this spot')).toBeVisible();
  await expect(page.getByRole('link', { name: /rack \d/ })).toHaveCount(3);
});

test('a fleet on both sides of 180 degrees is in view, together, and its cards open where it is drawn', async ({
  signedIn: page,
  service,
}) => {
  await placed(service, 'suva', -18.14, 178.44);
  await placed(service, 'taveuni west', -16.8, 179.95);
  await placed(service, 'taveuni east', -16.8, -179.95);
  await placed(service, 'tongatapu', -21.13, -175.2);
  await openMap(page, service);
  const rows = inView(page).getByRole('listitem');
  await expect(rows).toHaveCount(4);
  // They fill the map.
  const scale = page.locator('.leaflet-control-scale-line');
  await expect(scale).toHaveText('50 mi');

  await page.getByRole('button', { name: 'Pan right' }).click();
  await expect(rows).toHaveText([/tongatapu/]);
  await page.getByRole('button', { name: 'Show all' }).click();
  await expect(rows).toHaveCount(4);
  const { x, y } = await middle(page);
  await page.getByRole('button', { name: 'Select in a rectangle' }).click();
  await page.mouse.move(x - 310, y + 250);
  await page.mouse.down();
  await page.mouse.move(x + 310, y - 290, { steps: 4 });
  await page.mouse.up();
  await expect(page.getByText('4 devices added to the selection.')).toBeVisible();

  // Neighbours on both sides are one cluster; a click comes closer to it.
  await openMap(page, service, '?at=-16.8,180,8');
  await expect.poll(() => drawnInTheMiddle(page)).toBe(true);
  await page.mouse.click(x, y);
  await expect(page).toHaveURL(/at=-16\.8\d*%2C-?1(80|79\.9)\d*\.?\d*%2C1\d/);
  await expect(rows).toHaveCount(2);
  await inView(page)
    .getByRole('button', { name: /taveuni east/ })
    .click();
  const card = page.getByRole('link', { name: 'taveuni east', exact: true });
  await expect(card).toBeInViewport();
  await page.reload();
  await expect(card).toBeInViewport();
});

test('the filters are those of the table, and stay in the URL', async ({ signedIn: page, service }) => {
  for (const [name, group, lng] of [
    ['cam-1', 'cameras', 1],
    ['cam-2', 'cameras', 2],
    ['pump-1', 'pumps', 3],
  ] as const) {
    const { DeviceId } = await service.createDevice(name, group);
    await service.locate(DeviceId, 45, lng);
  }
  await openMap(page, service, '?group=cameras');
  const rows = page.getByRole('region', { name: 'Devices in view' }).getByRole('listitem');
  await expect(rows).toHaveCount(2);
  await page.getByRole('button', { name: 'Filter by group' }).click();
  await page.getByRole('option', { name: /^pumps/ }).click();
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/group=cameras&group=pumps/);
  await page.getByLabel('Search devices by name or ID').fill('cam-2');
  await expect(rows).toHaveCount(1);
  await expect(page).toHaveURL(/q=cam-2/);
  await page.reload();
  await expect(rows).toHaveCount(1);
  // To the table and back with the same filters.
  await page.getByRole('link', { name: 'Table' }).click();
  await expect(page.getByRole('table', { name: 'Devices' }).getByRole('link')).toHaveText(['cam-2']);
  await page.getByRole('button', { name: 'Remove Group pumps' }).click();
  await page.getByRole('link', { name: 'On the map' }).click();
  await expect(page).toHaveURL(/\/map\?q=cam-2&group=cameras/);
  await expect(rows).toHaveCount(1);
  await page.getByRole('radiogroup', { name: 'State' }).getByText('Online').click();
  await expect(page.getByText('No matching device has a location.')).toBeVisible();
});

test('the map is accessible, also on a phone', async ({ signedIn: page, service }) => {
  await placed(service, 'lone star', 30, -97);
  await openMap(page, service);
  await page.getByRole('button', { name: /lone star/ }).click();
  await expect(page.getByRole('link', { name: 'lone star', exact: true })).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Filters' }).click();
  await expect(page.getByRole('button', { name: 'Filter by group' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('dialog', { name: 'Filters' }).getByRole('button', { name: 'Done' }).click();
  await expect.poll(async () => (await region(page).boundingBox())?.width).toBe(390);
  await expect.poll(async () => (await region(page).boundingBox())?.height).toBeGreaterThan(0.8 * 844);
  await page.getByRole('button', { name: 'List', exact: true }).click();
  await expect(inView(page)).toBeVisible();
  await expectAccessible(page);
});
