// The map as it was: a day in which two sites go down one after the other and come back, and a time when the service was
// down. The history is put into the service's database, since a test can't wait for a day.
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Page } from '@playwright/test';
import { expect, expectAccessible, expectAccessibleHere, test, type Service } from './fixtures.ts';
import { inView, openMap, region } from './on-map.ts';

test.use({ ownService: true });

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const bar = (page: Page) => page.getByRole('region', { name: 'Replay of the last 24 hours' });
const scrubber = (page: Page) => bar(page).getByRole('slider', { name: /^Moment of the last 24 hours/ });
const first = (page: Page) => bar(page).getByRole('list', { name: /^Sites and groups that are down/ });
const listed = (page: Page, name: string) => inView(page).getByRole('listitem').filter({ hasText: name });
const open = (page: Page) => page.getByRole('button', { name: 'Replay', exact: true });

interface Past {
  now: number;
  /** north-1 */
  online: string;
}

/**
 * Two devices at each of two sites: North goes down six hours ago and South a minute and a half later, both are back three
 * hours later. The service was down from twelve to eleven hours ago. At present only north-1 is Online.
 */
async function withPast(service: Service): Promise<Past> {
  const now = Date.now();
  const made = [];
  for (const [name, site, lat] of [
    ['north-1', 'North', 60],
    ['north-2', 'North', 60.2],
    ['south-1', 'South', 40],
    ['south-2', 'South', 40.2],
  ] as const) {
    const device = await service.createDevice(name, 'pumps');
    await service.call('PATCH', `/v1/devices/${device.DeviceId}`, { CustomerSite: site });
    await service.locate(device.DeviceId, lat, 10);
    made.push({ ...device, began: now - 6 * HOUR + (site === 'North' ? 0 : 1.5 * MINUTE) });
  }
  const database = new DatabaseSync(path.join(service.dataFolder, 'muster.db'), { timeout: 5_000 });
  const change = database.prepare('INSERT INTO state_changes (at, device_seq, cause) VALUES (?, ?, ?)');
  database.exec('BEGIN IMMEDIATE');
  database.prepare('DELETE FROM service_gaps').run();
  database.prepare('INSERT INTO service_gaps (from_time, to_time) VALUES (?, ?)').run(now - 12 * HOUR, now - 11 * HOUR);
  for (const { DeviceId, began } of made) {
    const { seq } = database.prepare('SELECT seq FROM devices WHERE id = ?').get(DeviceId) as { seq: number };
    change.run(now - 40 * HOUR, seq, 5);
    change.run(began, seq, 2);
    change.run(now - 3 * HOUR, seq, 1);
    database
      .prepare('UPDATE devices SET created = ?1, state_online = 1, state_time = ?2, last_seen = ?2 WHERE seq = ?3')
      .run(now - 48 * HOUR, now - 3 * HOUR, seq);
  }
  database.exec('COMMIT');
  database.close();
  await service.agent(made[0]?.DeviceKey ?? '');
  return { now, online: made[0]?.DeviceId ?? '' };
}

const address = (at: number) => `?replay=24h&time=${new Date(at).toISOString()}`;

test.use({ contextOptions: { reducedMotion: 'reduce' } });

test('the fleet is seen as it was, by keyboard, with the site that went down first @main', async ({
  signedIn: page,
  service,
}) => {
  await withPast(service);
  await openMap(page, service);
  await expect(listed(page, 'north-1')).toContainText('Online');
  await expect(listed(page, 'south-1')).toContainText('Offline');
  await open(page).press('Enter');
  await expect(bar(page)).toContainText('4 Online');
  await expect(bar(page).getByRole('button', { name: 'Play', exact: true })).toBeFocused();
  await expect(page).toHaveURL(/replay=24h/);
  await expect(bar(page)).toContainText('No site or group is down.');
  await expect(listed(page, 'south-1')).toContainText('Online');

  await scrubber(page).press('End');
  for (let page50 = 0; page50 < 6; page50++) await scrubber(page).press('PageDown');
  await expect(scrubber(page)).toHaveAttribute('aria-valuetext', /: 0 Online, 4 Offline$/);
  await expect(bar(page)).toContainText('4 Offline');
  await expect(listed(page, 'north-1')).toContainText('Offline');
  await expect(first(page).getByRole('button')).toHaveText([/North2 of 2 Offline$/, /South2 of 2 Offline$/]);
  await expect(page).toHaveURL(/time=/);
  await expectAccessible(page);

  // The address is the state.
  await page.reload();
  await expect(bar(page)).toContainText('4 Offline');
  await first(page).getByRole('button', { name: /North/ }).press('Enter');
  await expect(page).toHaveURL(/at=60\./);
  await expect(listed(page, 'south-1')).toBeHidden();
  await expect(listed(page, 'north-1')).toContainText('Offline');

  await bar(page).getByRole('button', { name: 'Close the replay' }).press('Enter');
  await expect(bar(page)).toBeHidden();
  await expect(open(page)).toBeFocused();
  await expect(page).not.toHaveURL(/replay|time/);
  await expect(listed(page, 'north-1')).toContainText('Online');
});

test('a time when the service was down is unknown, in the list and on the map; the space bar plays and pauses, and the arrows move', async ({
  signedIn: page,
  service,
}) => {
  const { now } = await withPast(service);
  await openMap(page, service, `${address(now - 11.5 * HOUR)}&at=60.1000,10.0000,3`);
  await expect(bar(page)).toContainText('4 Unknown: the service was down');
  await expect(bar(page)).toContainText('Nothing is known of this time.');
  await expect(listed(page, 'north-1')).toContainText('Unknown');
  const box = await region(page).boundingBox();
  await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2);
  await expect(page.getByText(/^\d devices, \d unknown$/)).toBeVisible();
  await scrubber(page).press('ArrowRight');
  await expect(scrubber(page)).toHaveAttribute('aria-valuetext', /: 4 Unknown, the service was down$/);

  await openMap(page, service, `${address(now - 6 * HOUR - 20 * MINUTE)}&speed=900`);
  await expect(bar(page)).toContainText('4 Online');
  await expect(bar(page).getByRole('combobox', { name: 'Speed' })).toHaveValue('900');
  await page.keyboard.press('Space');
  await expect(bar(page).getByRole('button', { name: 'Pause' })).toBeVisible();
  await expect(bar(page)).toContainText('4 Offline');
  await page.keyboard.press('Space');
  await expect(bar(page).getByRole('button', { name: 'Play', exact: true })).toBeVisible();
  const time = bar(page).locator('time');
  const paused = await time.getAttribute('datetime');
  await page.keyboard.press('ArrowLeft');
  await expect(time).not.toHaveAttribute('datetime', paused ?? '');
  await page.keyboard.press('ArrowRight');
  await expect(time).toHaveAttribute('datetime', paused ?? '');

  // From event to event: both sites come back, and before that the second one went down.
  await openMap(page, service, address(now - 4 * HOUR));
  await bar(page).getByRole('button', { name: 'Next event' }).click();
  await expect(bar(page)).toContainText('4 Online');
  await page.keyboard.press('p');
  await expect(bar(page)).toContainText('4 Offline');
  await page.keyboard.press('p');
  await expect(first(page).getByRole('button')).toHaveText([/North2 of 2 Offline$/]);
});

test.describe('without a wish for less motion', () => {
  test.use({ contextOptions: { reducedMotion: 'no-preference' } });

  test('it plays when it is opened, and not when a moment is', async ({ signedIn: page, service }) => {
    const { now } = await withPast(service);
    await openMap(page, service);
    await open(page).click();
    await expect(bar(page).getByRole('button', { name: 'Pause' })).toBeVisible();
    await openMap(page, service, address(now - 5 * HOUR));
    await expect(bar(page)).toContainText('4 Offline');
    await expect(bar(page).getByRole('button', { name: 'Play', exact: true })).toBeVisible();
  });
});

test('deploys are marked, and alerts once for all channels; a filter counts only its devices', async ({
  signedIn: page,
  service,
}) => {
  const { now, online } = await withPast(service);
  const Channels: string[] = [];
  for (const Name of ['Ops', 'Night']) {
    const channel = { Name, Kind: 'webhook', Url: 'https://hooks.invalid/', Format: 'json' };
    Channels.push((await service.call<{ ChannelId: string }>('POST', '/v1/alerts/channels', channel)).ChannelId);
  }
  const rule = { Name: 'Failures', When: 'JobFailed', ForMinutes: 0, QuietMinutes: 0, Channels };
  await service.call('POST', '/v1/alerts/rules', rule);
  const ArtifactId = await service.uploadScript('fail.sh', '#!/bin/sh\nexit 3\n', await service.folder('opt'));
  await service.call('POST', '/v1/job', { Name: 'Fails', DeviceId: online, ArtifactId });
  await service.call('POST', '/v1/job', { Name: 'For all', DeviceGroup: 'pumps', ArtifactId });
  const sent = () => service.call<{ Items: object[] }>('GET', '/v1/alerts/deliveries');
  await expect.poll(async () => (await sent()).Items.length).toBe(2);
  await openMap(page, service, `${address(now - 5 * HOUR)}&site=North`);
  await expect(bar(page)).toContainText('2 Offline');
  await expect(first(page).getByRole('button')).toHaveText([/North2 of 2 Offline$/]);
  await bar(page).getByRole('link', { name: 'Deploy of For all' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'For all' })).toBeVisible();
  await page.goBack();
  await bar(page).getByRole('link', { name: 'Alert Failures' }).click();
  await expect(page).toHaveURL(/\/activity\/alerts/);
});

test('a moment of the overview leads to the map as it was, which has room on a phone', async ({
  signedIn: page,
  service,
}) => {
  await withPast(service);
  await page.goto(`${service.url}/`);
  const course = page.getByRole('slider', { name: /^Devices Online .* Enter shows the map as it was then$/ });
  await course.press('End');
  for (let hour = 0; hour < 6; hour++) await course.press('PageDown');
  await course.press('Enter');
  await expect(page).toHaveURL(/\/map\?replay=24h&time=/);
  await expect(bar(page)).toContainText('4 Offline');

  await page.setViewportSize({ width: 390, height: 844 });
  await page.reload();
  await expect(first(page).getByRole('button')).toHaveCount(2);
  await expectAccessibleHere(page);
  const overflow = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(await overflow()).toBe(0);
});

test.describe('when the past cannot be read', () => {
  test.use({ expectedConsole: [/status of 500/] });

  test('the bar says so and reads it again', async ({ signedIn: page, service }) => {
    await withPast(service);
    let isBroken = true;
    await page.route('**/v1/history/replay?**', (route) =>
      isBroken ? route.fulfill({ status: 500, body: 'Broken' }) : route.fallback(),
    );
    await openMap(page, service);
    await open(page).click();
    const alert = page.getByRole('alert').filter({ hasText: 'Could not load the past' });
    await expect(alert).toBeVisible();
    isBroken = false;
    await alert.getByRole('button', { name: 'Retry' }).click();
    await expect(bar(page)).toContainText('4 Online');
  });
});
