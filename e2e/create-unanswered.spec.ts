// An upload whose answer is replaced on its way: it may have been carried out, and the page says where to look. Devices and
// workflows: devices.test.tsx, workflows.test.tsx.
import type { Page } from '@playwright/test';
import { expect, test, withoutOffers } from './fixtures.ts';
import { browse, bulky, form, namesOf, openArtifacts, stored, uploadButton } from './uploads.ts';

test.use({ expectedConsole: [/status of 502/] });

/** The service stores the next upload; a proxy's page comes in place of its answer. */
async function loseAnswer(page: Page): Promise<void> {
  let isLost = false;
  await page.route('**/v1/artifact', async (route) => {
    if (isLost || route.request().method() !== 'POST') return route.fallback();
    isLost = true;
    await route.fetch();
    return route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' });
  });
}

test('an artifact whose answer is lost is sent again under the same key, and stored once', async ({
  signedIn: page,
  service,
}) => {
  await loseAnswer(page);
  await openArtifacts(page, service);
  await browse(page, await bulky(service, 'press_2.0.tar.gz', 10_000));
  await uploadButton(page).click();
  await expect(form(page).getByRole('alert')).toContainText(
    'The artifact may have been accepted. You can send it again',
  );
  await form(page)
    .getByRole('button', { name: /^Retry/ })
    .click();
  await expect(stored(page)).toContainText('press_2.0.tar.gz');
  expect(await namesOf(service)).toEqual(['press_2.0.tar.gz']);
});

test.describe('without keys', () => {
  test.beforeEach(({ signedIn: page }) => withoutOffers(page, 'idempotency'));

  test('an artifact whose answer is lost is not sent a second time', async ({ signedIn: page, service }) => {
    await loseAnswer(page);
    await openArtifacts(page, service);
    await browse(page, await bulky(service, 'press_2.0.tar.gz', 10_000));
    await uploadButton(page).click();
    await expect(form(page).getByRole('alert')).toContainText('The artifact may have been accepted: look for it');
    await expect(form(page).getByRole('button', { name: /^(Retry|Upload)/ })).toHaveCount(0);
    await expect(page.getByRole('row', { name: /press_2\.0\.tar\.gz/ })).toHaveCount(1);
    expect(await namesOf(service)).toEqual(['press_2.0.tar.gz']);
  });
});
