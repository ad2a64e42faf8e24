// The device table with the whole fleet in memory: sorted and counted beyond the pages of the service, selected as a whole, and
// gone through by keyboard.
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';

const table = (page: Page) => page.getByRole('table', { name: 'Devices' });
const links = (page: Page) => table(page).getByRole('link');
const shown = (page: Page) => page.getByRole('status', { name: 'Devices shown' });
const sortBy = (page: Page, name: string) => table(page).getByRole('button', { name, exact: true });

/** Makes devices 16 at a time: unit-1 … unit-n, every third in "south"; of the first 500 every fifth of customer Acme. */
async function makeFleet(service: Service, count: number): Promise<void> {
  let next = 1;
  const make = async () => {
    while (next <= count) {
      const number = next++;
      const { DeviceId } = await service.createDevice(`unit-${number}`, number % 3 === 0 ? 'south' : 'north');
      if (number <= 500 && number % 5 === 0)
        await service.call('PATCH', `/v1/devices/${DeviceId}`, { CustomerName: 'Acme' });
    }
  };
  await Promise.all(Array.from({ length: 16 }, make));
}

async function open(page: Page, service: Service, search = ''): Promise<void> {
  await page.goto(`${service.url}/devices${search}`);
  await expect(links(page).first()).toBeVisible();
}

test('600 devices are sorted as a whole, and a reload shows the same', async ({ signedIn: page, service }) => {
  await makeFleet(service, 600);
  await open(page, service);
  await expect(shown(page)).toHaveText('600 devices');
  // Numbers in names count as numbers, over all of the fleet.
  await sortBy(page, 'Name').click();
  await expect(page).toHaveURL(/[?&]sort=name/);
  await expect(links(page).nth(9)).toHaveText('unit-10');
  await sortBy(page, 'Name').click();
  await expect(page).toHaveURL(/[?&]sort=-name/);
  await expect(links(page).first()).toHaveText('unit-600');
  await expect(table(page).getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'descending');
  await page.reload();
  await expect(links(page).first()).toHaveText('unit-600');
});

test('sorting before the fleet is there keeps the rows and the focus until it is', async ({
  signedIn: page,
  service,
}) => {
  await makeFleet(service, 30);
  const arrive = Promise.withResolvers<void>();
  // The page shows 25 rows; the fleet is read in larger portions.
  await page.route(/\/v1\/devices\/1\/(?!25$)\d+$/, async (route) => {
    await arrive.promise;
    await route.continue();
  });
  await open(page, service, '?rows=25');
  await sortBy(page, 'Name').click();
  await expect(page).toHaveURL(/[?&]sort=name/);
  await expect(table(page)).toHaveAttribute('aria-busy', 'true');
  await expect(links(page).first()).toHaveText(/^unit-/);
  await expect(sortBy(page, 'Name')).toBeFocused();
  arrive.resolve();
  await expect(links(page).nth(9)).toHaveText('unit-10');
  await expect(table(page)).toHaveAttribute('aria-busy', 'false');
  await expect(sortBy(page, 'Name')).toBeFocused();
});

test('each filter offers how many devices it leaves, and what matches is selected as a whole', async ({
  signedIn: page,
  service,
}) => {
  await makeFleet(service, 600);
  await open(page, service, '?sort=-name');
  await page.getByRole('button', { name: 'Filter by group' }).click();
  await expect(page.getByRole('option', { name: /^north\s*400$/ })).toBeVisible();
  await page.getByRole('option', { name: /^south\s*200$/ }).click();
  await expect(shown(page)).toHaveText('200 of 600 devices');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Filter by customer' }).click();
  await page.getByRole('option', { name: /^Acme\s*33$/ }).click();
  await page.keyboard.press('Escape');
  await expect(shown(page)).toHaveText('33 of 600 devices');
  await expect(links(page).first()).toHaveText('unit-495');
  await expect(page).toHaveURL(/group=south/);
  await expect(page).toHaveURL(/customer=Acme/);
  await page.getByRole('checkbox', { name: 'Select all 33 matching' }).check();
  await expect(page.getByRole('region', { name: 'Selected devices' })).toContainText('33 selected');
  const filters = page.getByRole('list', { name: 'Filters in use' });
  await filters.getByRole('button', { name: 'Remove Customer Acme' }).click();
  await expect(shown(page)).toHaveText('200 of 600 devices');
  await page.getByRole('button', { name: 'Select all 200 matching' }).click();
  await expect(page.getByRole('region', { name: 'Selected devices' })).toContainText('200 selected');
});

test('a search typed a moment before everything is cleared does not come back', async ({ signedIn: page, service }) => {
  await makeFleet(service, 30);
  await open(page, service, '?group=south');
  await expect(shown(page)).toHaveText('10 of 30 devices');
  await page.getByLabel('Search devices by name or ID').fill('unit-5');
  await page.getByRole('button', { name: 'Clear', exact: true }).evaluate((button: HTMLElement) => {
    const late = performance.now() + 150;
    while (performance.now() < late);
    button.click();
  });
  await expect(shown(page)).toHaveText('30 devices');
  await expect(page.getByLabel('Search devices by name or ID')).toHaveValue('');
});

test('of 5,000 devices only the rows in view are drawn, and the last is one key away', async ({
  signedIn: page,
  service,
}) => {
  await makeFleet(service, 5_000);
  await open(page, service, '?sort=-name');
  await expect(shown(page)).toHaveText('5,000 devices');
  await expect(table(page)).toHaveAttribute('aria-rowcount', '5001');
  const longest = await scrollThrough(page);
  test.info().annotations.push({ type: 'longest task while scrolling 5,000 rows', description: `${longest} ms` });
  await expect(links(page).last()).toHaveText('unit-1');
  expect(await table(page).getByRole('row').count()).toBeLessThan(80);
});

/** Scrolls to the end in 60 steps, one a frame; gives the longest task over 50 ms meanwhile, else 0. */
const scrollThrough = (page: Page) =>
  table(page).evaluate(async (node) => {
    let longest = 0;
    const watch = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longest = Math.max(longest, Math.round(duration));
    });
    watch.observe({ type: 'longtask' });
    let scroller = node.parentElement;
    while (scroller && getComputedStyle(scroller).overflowY !== 'auto') scroller = scroller.parentElement;
    for (let step = 1; step <= 60; step += 1) {
      // As high as it is by now: a row that is drawn later may be higher than was thought.
      scroller?.scrollTo(0, (scroller.scrollHeight * step) / 60);
      await new Promise((frame) => requestAnimationFrame(frame));
    }
    watch.disconnect();
    return longest;
  });

test('j, k, x, Enter, / and ? do what the list of keys describes @main', async ({ signedIn: page, service }) => {
  await makeFleet(service, 30);
  await open(page, service, '?sort=name');
  await expect(shown(page)).toHaveText('30 devices');
  await page.keyboard.press('j');
  await expect(page.getByRole('link', { name: 'unit-1', exact: true })).toBeFocused();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await expect(page.getByRole('link', { name: 'unit-2', exact: true })).toBeFocused();
  await page.keyboard.press('x');
  await expect(page.getByRole('checkbox', { name: 'Select unit-2', exact: true })).toBeChecked();
  await page.keyboard.press('x');
  await expect(page.getByRole('checkbox', { name: 'Select unit-2', exact: true })).not.toBeChecked();

  await page.keyboard.press('?');
  const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(keys).toContainText('Select or clear the row');
  await page.keyboard.press('j');
  await page.keyboard.press('Escape');
  await expect(keys).toBeHidden();
  await expect(page.getByRole('link', { name: 'unit-2', exact: true })).toBeFocused();

  await page.keyboard.press('/');
  await expect(page.getByLabel('Search devices by name or ID')).toBeFocused();
  await page.keyboard.type('xj');
  await expect(page.getByText('No device matches these filters.')).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByRole('link', { name: 'unit-2', exact: true }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: /unit-2/ })).toBeVisible();
});

test('chosen columns, their order and the height of rows are the same after a reload', async ({
  signedIn: page,
  service,
}) => {
  await makeFleet(service, 30);
  await open(page, service);
  await expect(shown(page)).toHaveText('30 devices');
  await page.getByRole('button', { name: 'Columns' }).click();
  const dialog = page.getByRole('dialog', { name: 'Columns' });
  await dialog.getByRole('checkbox', { name: 'Address' }).uncheck();
  await dialog.getByRole('checkbox', { name: 'Created' }).check();
  await dialog.getByRole('button', { name: 'Move Group up' }).click();
  await dialog.getByText('Comfortable').click();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  const width = page.getByRole('slider', { name: 'Width of Group' });
  await width.focus();
  await page.keyboard.press('ArrowRight');
  const expectKept = async () => {
    await expect(table(page).getByRole('columnheader', { name: 'Created' })).toBeVisible();
    await expect(table(page).getByRole('columnheader', { name: 'Address' })).toBeHidden();
    await expect(table(page).getByRole('columnheader').nth(2)).toHaveText(/^Group/);
    await expect(table(page).getByRole('columnheader').nth(3)).toHaveText(/^Status/);
    await expect(width).toHaveAttribute('aria-valuenow', '116');
  };
  await expectKept();
  await page.reload();
  await expectKept();
  await page.getByRole('button', { name: 'Columns' }).click();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Reset' }).click();
  await expect(table(page).getByRole('columnheader', { name: 'Address', includeHidden: true })).toHaveCount(1);
});

/** 10,000 devices of a service. Played, since to make them all would take longer than to look at them. */
async function playFleet(page: Page): Promise<void> {
  const fleet = Array.from({ length: 10_000 }, (_, number) => ({
    DeviceId: `d-${String(number).padStart(5, '0')}`,
    DeviceName: `unit-${number + 1}`,
    DeviceGroup: number % 3 ? 'north' : 'south',
    DeviceStatus: number % 5 ? 'Online' : 'Offline',
    LocalAddr: `10.0.${number >> 8}.${number & 255}`,
    LocalPort: '22',
    CustomerName: number % 4 ? '' : 'Acme',
  }));
  await page.route(/\/v1\/devices\/\d+\/\d+$/, async (route) => {
    const [, number = '', rows = ''] = /(\d+)\/(\d+)$/.exec(new URL(route.request().url()).pathname) ?? [];
    const start = (Number(number) - 1) * Number(rows);
    await route.fulfill({
      json: { Devices: fleet.slice(start, start + Number(rows)), TotalNumDevices: fleet.length },
    });
  });
}

test('customers are counted and chosen in a fleet that is too large to be read unasked', async ({
  signedIn: page,
  service,
}) => {
  await playFleet(page);
  await page.goto(`${service.url}/devices`);
  await expect(page.getByRole('button', { name: 'Load all 10,000 to sort and count' })).toBeVisible();
  await page.getByRole('button', { name: 'Filter by customer' }).click();
  await page.getByRole('option', { name: /^Acme\s*2,500$/ }).click();
  await expect(shown(page)).toHaveText('2,500 of 10,000 devices');
});

test('10,000 rows of another service scroll, the longest task is recorded', async ({ signedIn: page, service }) => {
  await playFleet(page);
  await page.goto(`${service.url}/devices`);
  await page.getByRole('button', { name: 'Load all 10,000 to sort and count' }).click();
  await expect(shown(page)).toHaveText('10,000 devices');
  const longest = await scrollThrough(page);
  test.info().annotations.push({ type: 'longest task while scrolling 10,000 rows', description: `${longest} ms` });
  await expect(links(page).last()).toHaveText('unit-10000');
  expect(await table(page).getByRole('row').count()).toBeLessThan(80);

  // An id is found as well, among those of a group.
  await page.getByRole('button', { name: 'Filter by group' }).click();
  await page.getByRole('option', { name: /^south\s*3,334$/ }).click();
  await page.keyboard.press('Escape');
  await page.getByLabel('Search devices by name or ID').fill('d-00003');
  await expect(shown(page)).toHaveText('1 of 10,000 devices');
  await expect(links(page)).toHaveText(['unit-4']);
});

test('the sorted, filtered table is accessible, wide and on a phone', async ({ signedIn: page, service }) => {
  await makeFleet(service, 150);
  await open(page, service, '?sort=-name&group=north');
  await expect(shown(page)).toHaveText('100 of 150 devices');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Filter by group' }).click();
  await expect(page.getByRole('option', { name: /north/ })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Filters' }).click();
  await expect(page.getByLabel('Sort by')).toBeVisible();
  await expectAccessible(page);
});
