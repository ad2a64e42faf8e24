// In front of a service that has what the document has and nothing more: nothing else is asked for, and no page, tab or
// line of the palette leads to what is not there.
import type { Page } from '@playwright/test';
import { expect, test as base } from './fixtures.ts';
import { startFileHost } from './foreign/file-host.ts';
import { before, go } from './foreign/gateway.ts';
import { startPlain } from './foreign/plain.ts';

/** Notes each answer with an error status, but the one of the sign-in page. */
function watchRefusals(page: Page): string[] {
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() >= 400) refused.push(`${response.status()} ${new URL(response.url()).pathname}`);
  });
  return refused;
}

const MISSING = [
  'People',
  'Tokens',
  'Sessions',
  'Alert channels',
  'Sign-in',
  'Rollouts',
  'Standing orders',
  'Queues',
  'Archive',
  'Activity',
  'Audit log',
  'Availability',
  'Alerts',
];

/** Every page that the navigation and its tabs lead to, then a device and a job. */
async function visitAll(page: Page): Promise<void> {
  const main = page.getByRole('navigation', { name: 'Main' });
  await expect(main.getByRole('link', { name: 'Rollouts' })).toHaveCount(0);
  const names = await main.getByRole('link').allTextContents();
  expect(names.filter((name) => MISSING.includes(name))).toEqual([]);
  for (const name of names) {
    await main.getByRole('link', { name, exact: true }).click();
    // The settings begin with the first page that is offered.
    await expect(page.getByRole('heading', { level: 1, name: name === 'Settings' ? 'Usage' : name })).toBeVisible();
    await expect(page.getByRole('progressbar', { name: /^Reading/ })).toHaveCount(0);
    const tabs = page.getByRole('navigation', { name, exact: true }).getByRole('link');
    const labels = await tabs.allTextContents();
    expect(labels.filter((label) => MISSING.includes(label))).toEqual([]);
    for (const label of labels) {
      await page.getByRole('navigation', { name, exact: true }).getByRole('link', { name: label, exact: true }).click();
      await expect(page.getByRole('heading', { level: 1, name: label })).toBeVisible();
    }
  }
  await go(page, 'Devices');
  await page.getByRole('link', { name: 'press-1', exact: true }).click();
  await expect(page.getByRole('heading', { level: 2, name: 'Details' })).toBeVisible();
  await expect(page.getByRole('heading', { level: 2, name: /^(History|Tags|Timeline|Queue and jobs)$/ })).toHaveCount(
    0,
  );
  await expect(page.getByRole('link', { name: 'New key' })).toHaveCount(0);
  await page.getByRole('link', { name: 'Jobs to this device' }).click();
  await expect(page).toHaveURL(/jobs\?device=p1/);
  await go(page, 'Jobs');
  await page.getByRole('link', { name: 'update', exact: true }).click();
  await expect(page.getByRole('main')).toContainText('8 failed');
}

base.describe('through the gateway', () => {
  const test = before(startPlain);

  test('no page asks for what is not offered', async ({ signedIn: page, service, foreign }) => {
    const refused = watchRefusals(page);
    await page.goto(service.url);
    await visitAll(page);
    expect(refused).toEqual([]);
    // The gateway finds out about tags, once.
    const unknown = foreign.heard.filter(({ url }) =>
      /^\/v1\/(?!account$|devices\b|artifact$|workflow$|tunnels$|job$|job\/)/.test(url),
    );
    expect(unknown.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /v1/tag']);
  });

  test('the settings have the pages that are offered, and Overview the failures that the service does not count', async ({
    signedIn: page,
    service,
  }) => {
    await page.goto(service.url);
    const failed = page.getByRole('region', { name: 'Failed, last 24 h' });
    await expect(failed.getByRole('link', { name: 'update' })).toBeVisible();
    await expect(failed).toContainText('8 of 10 devices failed');
    await go(page, 'Settings');
    const pages = page.getByRole('navigation', { name: 'Settings' }).getByRole('link');
    await expect(pages).toHaveText(['Usage', 'Appearance']);
    for (const name of ['Appearance', 'Usage']) {
      await go(page, name);
      await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
      await expect(page.getByRole('main').getByRole('alert')).toHaveCount(0);
    }
    await page.goto(`${service.url}/settings/people`);
    await expect(page.getByText('This service does not offer this page')).toBeVisible();
  });

  test('the palette offers only what is there @sweep', async ({ signedIn: page, service }) => {
    await page.goto(service.url);
    await page.keyboard.press('Control+k');
    const found = page.getByRole('listbox', { name: 'Found' });
    await expect(found.getByRole('option', { name: /^Tunnels/ })).toBeVisible();
    const all = await found.getByRole('option').allTextContents();
    expect(all.filter((text) => MISSING.some((name) => text.startsWith(name)))).toEqual([]);
    await page.keyboard.type('archive');
    await expect(found.getByRole('option', { name: 'All 0 matching devices' })).toBeVisible();
    await expect(found.getByRole('option', { name: /archive/i })).toHaveCount(0);
  });
});

base.describe('through the gateway, with tags', () => {
  const test = before(() => startPlain([{ TagId: 't1', TagName: 'outdoors' }]));

  test('tags that the gateway found are offered @sweep', async ({ signedIn: page, service }) => {
    const refused = watchRefusals(page);
    await page.goto(`${service.url}/devices/p1`);
    await expect(page.getByPlaceholder('Add a tag')).toBeVisible();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('outdoors');
    await expect(page.getByRole('option', { name: 'outdoors', exact: true })).toBeVisible();
    expect(refused).toEqual([]);
  });
});

base.describe('without a gateway', () => {
  const test = before(startPlain);

  test('no page asks for what is not offered @sweep', async ({ browser, foreign, service, tokenGuard }) => {
    const host = await startFileHost(foreign.url);
    foreign.allow(host.url);
    tokenGuard.allow(foreign.url);
    const page = await browser.newPage();
    const refused = watchRefusals(page);
    await page.goto(host.url);
    await page.getByLabel('API token').fill(service.token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
    await visitAll(page);
    expect(refused).toEqual([]);
    await page.close();
    await host.close();
  });
});
