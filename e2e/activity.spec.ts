// Activity: the audit log and its filters, and availability.
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';
import { before } from './foreign/gateway.ts';
import { startStrict } from './foreign/strict.ts';
import { statusOf, submit } from './job-sandbox.ts';

const log = (page: Page) => page.getByRole('table', { name: 'Audit log' });
const entry = (page: Page, ...texts: string[]) =>
  texts.reduce((rows, hasText) => rows.filter({ hasText }), log(page).getByRole('row'));

test('a change is in the audit log with who did what, and links to its object and back @main', async ({
  signedIn: page,
  service,
}) => {
  const { DeviceId } = await service.createDevice('pump 7');
  await service.createDevice('pump 8');
  await page.goto(`${service.url}/activity`);
  await expect(entry(page, 'Created device', 'pump 7')).toContainText('Token');
  await expectAccessible(page);
  await entry(page, 'Created device', 'pump 7').getByRole('link', { name: 'pump 7', exact: true }).click();
  await expect(page).toHaveURL(`${service.url}/devices/${DeviceId}`);
  await expect(page.getByRole('heading', { level: 1, name: 'pump 7' })).toBeVisible();
  await page.getByRole('link', { name: 'Audit log' }).click();
  await expect(entry(page, 'pump 7')).toHaveCount(1);
  await expect(entry(page, 'pump 8')).toHaveCount(0);
  await page.getByRole('button', { name: 'Clear', exact: true }).click();
  await expect(entry(page, 'pump 8')).toHaveCount(1);
});

test('what devices did themselves is shown by a filter', async ({ signedIn: page, service }) => {
  const { DeviceId, DeviceKey } = await service.createDevice('pump 7');
  await service.agent(DeviceKey);
  const folder = await service.folder('audit');
  const ArtifactId = await service.uploadScript('hello.sh', '#!/bin/sh\necho hello\n', folder);
  const job = await submit(service, { Name: 'Hello', DeviceId, ArtifactId });
  // The log is polled only every 15 s, so it has all of this from its first reading.
  await expect.poll(() => statusOf(service, job)).toBe('Succeeded');
  await page.goto(`${service.url}/activity?by=devices`);
  await expect(entry(page, 'Downloaded artifact', 'pump 7').first()).toBeVisible();
  await page.getByLabel('By', { exact: true }).selectOption('By people and tokens');
  await expect(entry(page, 'Submitted job')).toHaveCount(1);
  await expect(entry(page, 'Downloaded artifact')).toHaveCount(0);
});

test('entries are filtered by kind, result and actor, and exported with the same filters', async ({
  signedIn: page,
  service,
}) => {
  await service.createDevice('pump 7');
  const refused = await page.request.get(`${service.url}/v1/account`, { headers: { Authorization: 'Bearer wrong' } });
  expect(refused.status()).toBe(401);
  await page.goto(`${service.url}/activity?kind=device`);
  await expect(entry(page, 'pump 7')).toHaveCount(1);
  await expect(entry(page, 'Signed in')).toHaveCount(0);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\r\n');
  expect(lines).toHaveLength(2);
  await page.getByLabel('Action').selectOption('Any action');
  await page.getByLabel('Result').selectOption('Refused');
  await expect(entry(page, 'Used API token')).toContainText('Unknown');
  await entry(page, 'Used API token').getByRole('button', { name: 'Unknown' }).click();
  await expect(page.getByText('By Unknown')).toBeVisible();
});

async function onlineSeconds(service: Service): Promise<number> {
  const { Items } = await service.call<{ Items: { OnlineSeconds: number }[] }>('GET', '/v1/history/summary');
  return Items[0]?.OnlineSeconds ?? 0;
}

test('availability by device and site, and as a file', async ({ signedIn: page, service }) => {
  const { DeviceId, DeviceKey } = await service.createDevice('pump 7');
  await service.call('PATCH', `/v1/devices/${DeviceId}`, { CustomerSite: 'Hamburg' });
  await service.agent(DeviceKey);
  // The sums have whole seconds.
  await expect.poll(() => onlineSeconds(service)).toBeGreaterThan(0);
  await page.goto(`${service.url}/activity`);
  await page.getByRole('navigation', { name: 'Activity' }).getByRole('link', { name: 'Availability' }).click();
  const table = page.getByRole('table', { name: 'Availability' });
  await expect(table.getByRole('row').filter({ hasText: 'pump 7' })).toContainText('%');
  await expect(page.getByText(/1 row, as of \d+:\d\d:\d\d/)).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('radiogroup', { name: 'By' }).getByText('Sites').click();
  await expect(table.getByRole('row').filter({ hasText: 'Hamburg' })).toHaveCount(1);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const text = await readFile(await (await download).path(), 'utf8');
  expect(text).toContain('Hamburg,Hamburg,1,');
  await table.getByRole('link', { name: 'Hamburg' }).click();
  await expect(page).toHaveURL(/\/devices\?site=Hamburg/);
});

test('each row of the availability has its strip of states, the worst first, in one request', async ({
  signedIn: page,
  service,
}) => {
  const { DeviceKey } = await service.createDevice('pump 7');
  const other = await service.createDevice('pump 8');
  // It is in no row: it has not connected yet.
  await service.createDevice('pump 9');
  await (await service.agent(other.DeviceKey)).end();
  await service.agent(DeviceKey);
  // The least share of time Online comes first, once a second has passed for both.
  const worst = async () => {
    const { Items } = await service.call<{ Items: { Name: string; OnlineSeconds: number; OfflineSeconds: number }[] }>(
      'GET',
      '/v1/history/summary?sort=worst',
    );
    return Items.map(({ Name, OnlineSeconds, OfflineSeconds }) => (OnlineSeconds + OfflineSeconds > 0 ? Name : ''));
  };
  await expect.poll(worst).toEqual(['pump 8', 'pump 7']);
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith('/v1/history')) asked.push(pathname + search);
  });
  await page.goto(`${service.url}/activity/availability`);
  const table = page.getByRole('table', { name: 'Availability' });
  await expect(table.getByRole('columnheader')).toHaveText([
    'Device',
    'Online',
    'States, last 24 hours',
    'Offline',
    'Changes',
  ]);
  await expect(table.getByRole('img')).toHaveCount(2);
  await expect(table.getByRole('img').first()).toHaveAccessibleName(
    /^pump 8: Online for \d+% of the time that is known, Offline for /,
  );
  await expect(table.getByRole('img', { name: /^pump 7: Online for .*, 1 change$/ })).toBeVisible();
  expect(asked).toEqual(['/v1/history/summary?by=device&hours=24&sort=worst&limit=100&steps=96']);
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(table.getByRole('img').first()).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Filters', exact: true }).click();
  await page.getByRole('radiogroup', { name: 'Period' }).getByText('7 d').click();
  await page
    .getByRole('dialog', { name: 'Filters' })
    .getByRole('button', { name: /^Show / })
    .click();
  await expect(table.getByRole('columnheader', { name: 'States, last 7 days' })).toHaveCount(1);
});

test.describe('in front of another service', () => {
  const foreignTest = before(startStrict);
  foreignTest('the pages say that there is no audit log and no history', async ({ signedIn: page, service }) => {
    await page.goto(`${service.url}/activity`);
    await expect(page.getByText('This service has no audit log')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Export CSV' })).toHaveCount(0);
    await page.goto(`${service.url}/activity/availability`);
    await expect(page.getByText('This service keeps no state history')).toBeVisible();
    await page.goto(service.url);
    await expect(page.getByRole('region', { name: /^Down now/ })).toBeVisible();
    await expect(page.getByRole('region', { name: 'Recent disconnects' })).toHaveCount(0);
  });
});
