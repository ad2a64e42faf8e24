// The map with 10,000 devices: what a list of that length needs, and how long the page does not answer.
import type { Page } from '@playwright/test';
import { expectBlocked } from './blocked.ts';
import { expect, test, type Service } from './fixtures.ts';
import { anyDrawn, inView, middle, openMap, unplaced } from './on-map.ts';

/** Answers for 10,000 devices, one of which has a location that is on no map. `held`: the last page waits for it. */
async function answerLarge(page: Page, held: Promise<void> = Promise.resolve()): Promise<void> {
  // The answers are made here: creating so many would be the longest part of the test.
  const fleet = Array.from({ length: 10_000 }, (_, i) => ({
    DeviceId: `device-${i}`,
    DeviceName: `device ${i}`,
    DeviceGroup: `group ${i % 12}`,
    LocalAddr: '10.0.0.1',
    LocalPort: '',
    DeviceStatus: i % 4 === 0 ? 'Offline' : 'Online',
  }));
  await page.route(/\/v1\/devices\/\d+\/\d+$/, async (route) => {
    const [number = 1, rows = 1] = new URL(route.request().url()).pathname.split('/').slice(-2).map(Number);
    if (number * rows >= fleet.length) await held;
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
}

async function openLarge(page: Page, service: Service): Promise<void> {
  await answerLarge(page);
  await openMap(page, service);
  await expect(page.getByText('9,999 on the map · 1 without a location')).toBeVisible();
  await expect(inView(page).getByRole('listitem').first()).toBeVisible();
}

test('10,000 devices: long tasks are recorded, the list sorts, and a location that is on no map is reported', async ({
  signedIn: page,
  service,
}) => {
  await page.addInitScript(() => {
    const tasks: number[] = [];
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: 'longtask',
      buffered: true,
    });
    Object.assign(window, { longTasks: tasks });
  });
  const longTasks = () => page.evaluate(() => (window as unknown as { longTasks: number[] }).longTasks.splice(0));
  await openLarge(page, service);
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

  const first = inView(page).getByRole('listitem').first();
  await page.getByRole('button', { name: 'Show all' }).click();
  await expect(first).not.toContainText('group 0');
  await page.getByLabel('Sort the list by').selectOption('Group');
  await expect(first).toContainText('group 0');
  await page.getByText('No location 1').click();
  await expect(unplaced(page)).toContainText('Out of range: 123.4, -170.5');
});

test('10,000 devices: the map draws while it reads, and shows all when it has read them', async ({
  signedIn: page,
  service,
}) => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await answerLarge(page, held);
  await openMap(page, service);
  await expect(page.getByRole('progressbar', { name: 'Devices loaded' })).toBeVisible();
  await expect.poll(() => anyDrawn(page)).toBe(true);
  await expect(page.getByText('9,000 of 10,000 devices loaded')).toBeVisible();
  await expectBlocked(page.getByRole('button', { name: 'Select in a rectangle' }), 'Some devices are still loading');
  release();
  await expect(page.getByText('9,999 on the map · 1 without a location')).toBeVisible();
  await expect(page.getByRole('progressbar', { name: 'Devices loaded' })).toBeHidden();
  await expect(page.getByRole('button', { name: 'Select in a rectangle' })).toBeEnabled();
  expect(new URL(page.url()).search, 'the page chose the view, not the person').toBe('');
});
