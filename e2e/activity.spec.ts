// Activity: the audit log, read and filtered by a person.
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';
import { before } from './foreign/gateway.ts';
import { startStrict } from './foreign/strict.ts';
import { statusOf, submit } from './job-sandbox.ts';

const log = (page: Page) => page.getByRole('table', { name: 'Audit log' });
const entry = (page: Page, ...texts: string[]) =>
  texts.reduce((rows, hasText) => rows.filter({ hasText }), log(page).getByRole('row'));

test('a change is in the audit log: who, what, and the way to it and back @main', async ({
  signedIn: page,
  service,
}) => {
  const { DeviceId } = await service.createDevice('pump 7');
  await service.createDevice('pump 8');
  await page.goto(`${service.url}/activity`);
  await expect(entry(page, 'Created device', 'pump 7')).toContainText('Token');
  await expectAccessible(page);
  await entry(page, 'Created device', 'pump 7').getByRole('link', { name: 'pump 7' }).click();
  await expect(page).toHaveURL(`${service.url}/devices/${DeviceId}`);
  await expect(page.getByRole('heading', { level: 1, name: 'pump 7' })).toBeVisible();
  await page.getByRole('link', { name: 'Audit log' }).click();
  await expect(entry(page, 'pump 7')).toHaveCount(1);
  await expect(entry(page, 'pump 8')).toHaveCount(0);
  await page.getByRole('button', { name: 'Clear', exact: true }).click();
  await expect(entry(page, 'pump 8')).toHaveCount(1);
});

test('the audit log is filtered by the name of what was changed', async ({ signedIn: page, service }) => {
  await service.createDevice('pump 7');
  await service.createDevice('pump 8');
  await page.goto(`${service.url}/activity`);
  await page.getByLabel('Name or ID of the object').fill('PUMP 7');
  await expect(entry(page, 'pump 7')).toHaveCount(1);
  await expect(entry(page, 'pump 8')).toHaveCount(0);
});

test('what devices did themselves is shown when it is asked for', async ({ signedIn: page, service }) => {
  const { DeviceId, DeviceKey } = await service.createDevice('pump 7');
  await service.agent(DeviceKey);
  const folder = await service.folder('audit');
  const ArtifactId = await service.uploadScript('hello.sh', '#!/bin/sh\necho hello\n', folder);
  const job = await submit(service, { Name: 'Hello', DeviceId, ArtifactId });
  // The log is read again only every 15 s: all of it is in it by now.
  await expect.poll(() => statusOf(service, job)).toBe('Succeeded');
  await page.goto(`${service.url}/activity?by=devices`);
  await expect(entry(page, 'Downloaded artifact', 'pump 7').first()).toBeVisible();
  await page.getByLabel('By', { exact: true }).selectOption('By people and tokens');
  await expect(entry(page, 'Submitted job')).toHaveCount(1);
  await expect(entry(page, 'Downloaded artifact')).toHaveCount(0);
});

test('an entry shows all that it holds, and the link to it opens it again', async ({ signedIn: page, service }) => {
  await service.createDevice('pump 7');
  await page.goto(`${service.url}/activity`);
  await entry(page, 'pump 7').getByRole('link', { name: 'Created device' }).click();
  const dialog = page.getByRole('dialog', { name: 'Created device' });
  await expect(dialog).toContainText('device.create');
  await expect(dialog).toContainText(/[0-9a-f]{64}/);
  await expectAccessible(page);
  await page.reload();
  await expect(dialog).toBeVisible();
});

test('entries are filtered by kind, result and actor, and exported as they are filtered', async ({
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

test('older entries are shown page by page', async ({ signedIn: page, service }) => {
  await Promise.all(Array.from({ length: 120 }, (_, nth) => service.createDevice(`pump ${nth}`)));
  await page.goto(`${service.url}/activity?kind=device`);
  await expect(page.getByText('Newest 100')).toBeVisible();
  await page.getByRole('button', { name: 'Show older entries' }).click();
  await expect(page.getByText('120 entries')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Show older entries' })).toBeHidden();
});

async function onlineSeconds(service: Service): Promise<number> {
  const { Items } = await service.call<{ Items: { OnlineSeconds: number }[] }>('GET', '/v1/history/summary');
  return Items[0]?.OnlineSeconds ?? 0;
}

test('availability by device and site, and as a file', async ({ signedIn: page, service }) => {
  const { DeviceId, DeviceKey } = await service.createDevice('pump 7');
  await service.call('PATCH', `/v1/devices/${DeviceId}`, { CustomerSite: 'Hamburg' });
  await service.agent(DeviceKey);
  // Sums are of whole seconds.
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

test.describe('in front of another service', () => {
  const foreignTest = before(startStrict);
  foreignTest('the pages say that there is no audit log and no history', async ({ signedIn: page, service }) => {
    await page.goto(`${service.url}/activity`);
    await expect(page.getByText('This service has no audit log')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Export CSV' })).toHaveCount(0);
    await page.goto(`${service.url}/activity/availability`);
    await expect(page.getByText('This service keeps no history of states')).toBeVisible();
    await page.goto(service.url);
    await expect(page.getByRole('region', { name: /^Down now/ })).toBeVisible();
    await expect(page.getByRole('region', { name: 'Recent disconnects' })).toHaveCount(0);
  });
});
