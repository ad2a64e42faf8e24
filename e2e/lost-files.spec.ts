// A service that goes away, and files of the dashboard that cannot be had: pages, dialogs and the rest of what is fetched
// when it is needed. What is meant is that the page heals in every browser. Newer ones ask again at each `import()`; those
// from before July 2026 (whatwg/html #10327) remember a failure as long as the document lives, so the page has to reload
// itself. `loseFile` makes each of them out of any browser that runs the tests.
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test } from './fixtures.ts';

test.use({ ownService: true });

interface Lost {
  /** Waits until then before it fails. */
  until?: Promise<void>;
  /** It never comes again; otherwise it is lost once. */
  forGood?: boolean;
}

/**
 * Keeps a file of the build from the page, as a browser that remembers: what failed is not to be had until the page is
 * loaded again.
 */
async function loseFile(page: Page, name: string, { until, forGood = false }: Lost = {}): Promise<void> {
  let lost = 1;
  let failed = false;
  page.on('request', (request) => {
    if (request.isNavigationRequest()) failed = false;
  });
  await page.route(`**/assets/${name}-*.js`, async (route) => {
    await until;
    if (lost > 0 || forGood) failed = true;
    lost -= 1;
    return failed ? route.fulfill({ status: 404 }) : route.continue();
  });
}

/** How often the page was loaded from now on. */
function countLoads(page: Page): () => number {
  let loads = 0;
  page.on('load', () => loads++);
  return () => loads;
}

test.describe('a service that goes away', () => {
  // The browser itself reports each request that nobody answered.
  test.use({ expectedConsole: [/net::ERR_/] });

  test('is reported once, with how old what is shown is, and the banner goes by itself', async ({
    signedIn: page,
    service,
  }) => {
    await service.createDevice('pump-7');
    await page.goto(`${service.url}/devices`);
    await expect(page.getByRole('link', { name: 'pump-7' })).toBeVisible();
    const banner = page.getByRole('status').filter({ hasText: 'The service cannot be reached' });
    await expect(banner).toBeHidden();
    await service.stop('SIGKILL');
    await expect(banner).toBeVisible();
    await expect(banner).toContainText('Showing data from');
    await expectAccessible(page);
    // A page that was not loaded before: the frame stays, and it comes when the service does.
    await page.getByRole('link', { name: 'Tunnels' }).click();
    const main = page.getByRole('main');
    await expect(main.getByRole('heading', { name: 'This page could not be loaded' })).toBeVisible();
    await expect(main.getByRole('alert')).toContainText('The service did not answer');
    await expect(banner).toBeVisible();
    await expectAccessible(page);
    await main.getByRole('button', { name: 'Retry' }).click();
    await expect(main.getByRole('button', { name: 'Retry' })).toBeEnabled();
    await page.getByRole('link', { name: 'Devices', exact: true }).click();
    await expect(page.getByRole('link', { name: 'pump-7' })).toBeVisible();
    await page.goBack();
    await expect(main.getByRole('alert')).toContainText('The service did not answer');
    await service.start();
    await expect(banner).toBeHidden();
    await expect(main.getByText('No tunnels are open')).toBeVisible();
    await page.getByRole('link', { name: 'Devices', exact: true }).click();
    await expect(page.getByRole('alert')).toBeHidden();
  });

  test('is noticed by a page that reads nothing again by itself, which shows how old it is', async ({
    signedIn: page,
    service,
  }) => {
    await service.call('POST', '/v1/workflow', { Name: 'Say hello', Command: 'echo hello' });
    await page.goto(`${service.url}/workflows`);
    await expect(page.getByText('Say hello')).toBeVisible();
    await page.context().setOffline(true);
    await expect(page.getByRole('status').filter({ hasText: 'This computer is offline' })).toBeVisible();
    // Said once, for all that is on the page.
    await expect(page.getByText(/Showing data from .*\./)).toHaveCount(1);
    await page.context().setOffline(false);
    await expect(page.getByText('Showing data from')).toBeHidden();
  });
});

test.describe('a new version of the service', () => {
  test.use({ expectedConsole: [/status of 404/] });

  test('is reported, and what was typed stays; a page whose files are gone is loaded anew, once', async ({
    signedIn: page,
    service,
  }) => {
    // As after an upgrade: the page of the host names other files, and the old ones are gone.
    await page.route(`${service.url}/`, async (route) => {
      const text = await (await route.fetch()).text();
      await route.fulfill({
        contentType: 'text/html',
        body: text.replace(/assets\/index-[^"]+\.js/, 'assets/index-next.js'),
      });
    });
    const gone = (name: string) => page.route(`**/assets/${name}-*.js`, (route) => route.fulfill({ status: 404 }));
    await gone('palette-dialog');
    await page.goto(`${service.url}/devices?dialog=add`);
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('pump behind the old mill');
    await expect(page.getByRole('status').filter({ hasText: 'A new version is available' })).toBeVisible();
    await expect(name).toHaveValue('pump behind the old mill');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Cancel' }).click();

    await gone('tunnels-page');
    let loads = 0;
    page.on('load', () => loads++);
    await page.getByRole('link', { name: 'Tunnels' }).click();
    await expect.poll(() => loads).toBe(1);
    const again = page.getByRole('main').getByRole('button', { name: 'Load the new version' });
    await expect(again).toBeVisible();
    await expect(page.getByText('A new version is available')).toBeHidden();
    await expect(page).toHaveURL(/\/tunnels$/);
    expect(loads).toBe(1);
    await page.unrouteAll();
    await again.click();
    await expect(page.getByText('No tunnels are open')).toBeVisible();
  });
});

test.describe('a browser that remembers what failed', () => {
  test.use({ expectedConsole: [/status of 404/] });

  test('a page that was lost on the way comes by itself, by one reload, and so does what is around every page', async ({
    signedIn: page,
    service,
  }) => {
    await loseFile(page, 'shell');
    await page.goto(`${service.url}/devices`);
    await expect(page.getByText('No devices yet')).toBeVisible();
    await loseFile(page, 'tunnels-page');
    const loads = countLoads(page);
    await page.getByRole('link', { name: 'Tunnels' }).click();
    await expect(page.getByText('No tunnels are open')).toBeVisible();
    await expect.poll(loads).toBe(1); // a page can be read before all of it is loaded
  });

  test('a page that never comes is reloaded once, and then reported', async ({ signedIn: page, service }) => {
    await loseFile(page, 'tunnels-page', { forGood: true });
    await page.goto(`${service.url}/devices`);
    const loads = countLoads(page);
    await page.getByRole('link', { name: 'Tunnels' }).click();
    await expect.poll(loads).toBe(1);
    const main = page.getByRole('main');
    await expect(main.getByRole('button', { name: 'Reload' })).toBeVisible();
    await expect(main.getByRole('alert')).toContainText('The download failed.');
    expect(loads()).toBe(1);
  });

  test('nothing is reloaded by itself below a dialog in which something was typed', async ({
    signedIn: page,
    service,
  }) => {
    const { promise: until, resolve: fail } = Promise.withResolvers<void>();
    await loseFile(page, 'tunnels-page', { until });
    await page.goto(`${service.url}/devices`);
    const loads = countLoads(page);
    await page.getByRole('link', { name: 'Tunnels' }).click();
    await page.keyboard.press('Control+k');
    const typed = page.getByRole('dialog').getByRole('combobox');
    await typed.fill('pump');
    fail();
    const reload = page.getByRole('main').getByRole('button', { name: 'Reload', includeHidden: true });
    await expect(reload).toBeVisible();
    await expect(typed).toHaveValue('pump');
    expect(loads()).toBe(0);
  });

  test('a dialog that does not come is reported in a notice that offers the reload, and nothing typed is lost', async ({
    signedIn: page,
    service,
  }) => {
    await loseFile(page, 'palette-dialog');
    await page.goto(`${service.url}/deploy`);
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('Spring update');
    await page.keyboard.press('Control+k');
    const notice = page.getByRole('status').filter({ hasText: 'Part of this page could not be loaded.' });
    await expect(notice).toBeVisible();
    await expect(name).toHaveValue('Spring update');
    await expectAccessible(page);
    const loaded = page.waitForEvent('load');
    await notice.getByRole('button', { name: 'Reload' }).click();
    await loaded;
    await expect(name).toBeVisible();
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('dialog').getByRole('combobox')).toBeVisible();
  });
});
