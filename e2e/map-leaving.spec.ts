// Following a link while the map still has something to put into the address: the link wins. The code of the next page is
// held back, so that there is such a time.
import type { Page } from '@playwright/test';
import { expect, test, type Service } from './fixtures.ts';
import { inView, openMap, placed } from './on-map.ts';

/** Holds the code of the jobs page back until the returned function is called. */
async function holdJobsPage(page: Page): Promise<() => void> {
  const gate = Promise.withResolvers<void>();
  await page.route('**/assets/jobs-page-*.js', async (route) => {
    await gate.promise;
    await route.continue();
  });
  return gate.resolve;
}

/** The address of the map at zoom 6. */
const CLOSER = /\/map\?at=[^,&]*%2C[^,&]*%2C6/;

/** Opens the map with one device in view, and stops its clock. */
async function openAtRest(page: Page, service: Service): Promise<void> {
  await placed(service, 'somewhere', 10, 10);
  await page.clock.install();
  await openMap(page, service, '?at=10,10,5');
  await expect(inView(page).getByRole('listitem')).toHaveCount(1);
  // Later than now by more than the call itself can take.
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 20_000));
}

const jobs = (page: Page) => page.getByRole('link', { name: 'Jobs', exact: true });
const arrived = async (page: Page) => {
  await expect(page.getByRole('heading', { level: 1, name: 'Jobs' })).toBeVisible();
  await expect(page).toHaveURL(/\/jobs$/);
};

test('a view that is noted while a page loads neither stops it nor follows it there', async ({
  signedIn: page,
  service,
}) => {
  const release = await holdJobsPage(page);
  await openAtRest(page, service);
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await jobs(page).click();
  // Only now does the map come to rest and note where it is, while the other page loads.
  await expect(async () => {
    await page.clock.runFor(500);
    expect(page.url()).toMatch(CLOSER);
  }).toPass();
  await page.clock.resume();
  release();
  await arrived(page);
  await page.goBack();
  await expect(page).toHaveURL(CLOSER);
});

test('a filter that is typed just before a link is followed does not take the reader back', async ({
  signedIn: page,
  service,
}) => {
  const release = await holdJobsPage(page);
  await openAtRest(page, service);
  await page.getByLabel('Search devices by name or ID').fill('some');
  await jobs(page).click();
  // The pause after the last key is over while the other page loads.
  await page.clock.runFor(1000);
  await page.clock.resume();
  release();
  await arrived(page);
});
