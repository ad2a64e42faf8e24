// What is drawn before the application has come: the frame with its words, where the application draws them too.
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test } from './fixtures.ts';

/** Keeps the application from the page until it is released. */
async function holdApplication(page: Page): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/assets/index-*.js', async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

/** The links of the navigation: words, addresses and places. */
const linksOf = (page: Page, navigation: 'Main' | 'Most used') =>
  page
    .getByRole('navigation', { name: navigation })
    .getByRole('link')
    .evaluateAll((links: HTMLAnchorElement[]) =>
      links.map((link) => {
        const { x, y, height } = link.getBoundingClientRect();
        return { words: link.innerText, path: link.pathname, current: link.ariaCurrent, x, y, height };
      }),
    );

test('the outline has the words of the navigation in their places, and no fault', async ({
  signedIn: page,
  service,
}) => {
  const release = await holdApplication(page);
  await page.goto(`${service.url}/jobs`, { waitUntil: 'commit' });
  const navigation = page.getByRole('navigation', { name: 'Main' });
  await expect(navigation.getByRole('link', { name: 'Jobs' })).toHaveAttribute('aria-current', 'page');
  await expect(page.getByRole('navigation', { name: 'Most used' })).toBeHidden();
  await expectAccessible(page);
  const outline = await linksOf(page, 'Main');
  release();
  await expect(page.getByRole('heading', { level: 1, name: 'Jobs' })).toBeVisible();
  // Activity comes below them once the service has said that it has a log.
  expect(await linksOf(page, 'Main')).toEqual(expect.arrayContaining(outline));
});

test('on a phone the outline is the top bar, and below the page the bar of the most used ones', async ({
  signedIn: page,
  service,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const brand = page.getByRole('banner').getByText('Muster');
  const placeOfBrand = async () => ({ ...(await brand.boundingBox()), width: 0 });
  const release = await holdApplication(page);
  await page.goto(service.url, { waitUntil: 'commit' });
  await expect(brand).toBeVisible();
  await expect(page.getByRole('link', { name: 'Tunnels' })).toBeHidden();
  const bar = page.getByRole('navigation', { name: 'Most used' });
  await expect(bar.getByRole('link', { name: 'Overview' })).toHaveAttribute('aria-current', 'page');
  await expectAccessible(page);
  const before = [await placeOfBrand(), await linksOf(page, 'Most used')];
  release();
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
  expect([await placeOfBrand(), await linksOf(page, 'Most used')]).toEqual(before);
});

test('its links lead to their pages before the application runs', async ({ signedIn: page, service }) => {
  const release = await holdApplication(page);
  await page.goto(service.url, { waitUntil: 'commit' });
  await page.getByRole('link', { name: 'Tunnels' }).click();
  await page.waitForURL(`${service.url}/tunnels`, { waitUntil: 'commit' });
  release();
  await expect(page.getByRole('heading', { level: 1, name: 'Tunnels' })).toBeVisible();
});

test('the first rows are requested before the application runs, and once', async ({ signedIn: page, service }) => {
  await service.createDevice('pump 1');
  let asked = 0;
  page.on('request', (request) => (asked += Number(request.url().endsWith('/v1/devices/1/25'))));
  const release = await holdApplication(page);
  await page.goto(`${service.url}/devices`, { waitUntil: 'commit' });
  await expect.poll(() => asked).toBe(1);
  release();
  await expect(page.getByRole('link', { name: 'pump 1' })).toBeVisible();
  expect(asked).toBe(1);
});

test.describe('without a session', () => {
  test('no navigation is drawn before the sign-in page', async ({ page, service }) => {
    const release = await holdApplication(page);
    await page.goto(`${service.url}/devices?status=Online`, { waitUntil: 'commit' });
    await expect(page.locator('#boot')).toBeHidden();
    release();
    await expect(page.getByRole('heading', { name: 'Sign in to Muster' })).toBeVisible();
    await expect(page).toHaveURL(/\/sign-in\?next=%2Fdevices/);
  });

  test('where scripts are off, it says what is missing', async ({ browser, service }) => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(service.url);
    await expect(page.getByRole('paragraph')).toContainText('an application in JavaScript');
    await context.close();
  });
});
