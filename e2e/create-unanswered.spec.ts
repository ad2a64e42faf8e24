// A create whose answer is lost or replaced on its way: it may have been carried out, and the page says where to look.
import type { Page } from '@playwright/test';
import { expect, test, withoutOffers } from './fixtures.ts';
import { devices } from './rows-to-create.ts';
import { browse, bulky, form, namesOf, openArtifacts, stored, uploadButton } from './uploads.ts';

test.use({ expectedConsole: [/net::ERR_|status of 502/] });

/** The service carries out the next write to this path; its answer is cut, or a proxy's page comes instead. */
async function loseAnswer(page: Page, path: string, how: 'cut' | 'proxy'): Promise<void> {
  let isLost = false;
  await page.route(`**${path}`, async (route) => {
    if (isLost || route.request().method() !== 'POST') return route.fallback();
    isLost = true;
    await route.fetch();
    return how === 'cut'
      ? route.abort('connectionreset')
      : route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' });
  });
}

for (const how of ['cut', 'proxy'] as const)
  test(`a device whose answer is lost (${how}) may have been accepted: the list shows it, and a second press makes no other`, async ({
    signedIn: page,
    service,
  }) => {
    await loseAnswer(page, '/v1/devices', how);
    await page.goto(`${service.url}/devices?dialog=add`);
    const dialog = page.getByRole('dialog', { name: 'Add a device' });
    await dialog.getByLabel('Name').fill('pump 9');
    await dialog.getByRole('button', { name: 'Add device' }).click();
    await expect(dialog.getByRole('alert')).toContainText(
      'The device may have been accepted. You can send it again: the service creates it only once.',
    );
    await expect(dialog.getByLabel('Name')).toHaveValue('pump 9');
    // The list that it names is behind the dialog, and has it.
    await expect(page.getByRole('row', { name: /pump 9/, includeHidden: true })).toHaveCount(1);
    await dialog.getByRole('button', { name: 'Add device' }).click();
    await expect(page.getByRole('dialog', { name: 'Connect pump 9' })).toBeVisible();
    expect(await devices(service)).toHaveLength(1);
  });

test('a workflow whose answer is lost may have been accepted, and the list shows it', async ({
  signedIn: page,
  service,
}) => {
  await loseAnswer(page, '/v1/workflow', 'cut');
  await page.goto(`${service.url}/workflows`);
  await page
    .getByRole('button', { name: /^(Create|New|Define).*workflow/ })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('restart');
  await dialog.getByLabel('Command').fill('systemctl restart app');
  await dialog.getByRole('button', { name: 'Create workflow' }).click();
  await expect(dialog.getByRole('alert')).toContainText('The workflow may have been accepted.');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByText('restart', { exact: true }).first()).toBeVisible();
});

test('an artifact whose answer is lost is sent again under the same key, and stored once', async ({
  signedIn: page,
  service,
}) => {
  await loseAnswer(page, '/v1/artifact', 'proxy');
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

  test('a device whose answer is lost is not sent a second time, and a link leads to the list', async ({
    signedIn: page,
    service,
  }) => {
    await loseAnswer(page, '/v1/devices', 'cut');
    await page.goto(`${service.url}/devices?dialog=add`);
    const dialog = page.getByRole('dialog', { name: 'Add a device' });
    await dialog.getByLabel('Name').fill('pump 9');
    await dialog.getByLabel('Name').press('Enter');
    await expect(dialog.getByRole('alert')).toContainText(
      'The device may have been accepted: look for it in the list before you send it again.',
    );
    await expect(dialog.getByRole('button', { name: 'Add device' })).toHaveCount(0);
    await dialog.getByLabel('Name').press('Enter');
    await dialog.getByRole('link', { name: 'See the devices' }).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByRole('row', { name: /pump 9/ })).toHaveCount(1);
    expect(await devices(service)).toHaveLength(1);
  });

  test('an artifact whose answer is lost is not sent a second time', async ({ signedIn: page, service }) => {
    await loseAnswer(page, '/v1/artifact', 'proxy');
    await openArtifacts(page, service);
    await browse(page, await bulky(service, 'press_2.0.tar.gz', 10_000));
    await uploadButton(page).click();
    await expect(form(page).getByRole('alert')).toContainText('The artifact may have been accepted: look for it');
    await expect(form(page).getByRole('button', { name: /^(Retry|Upload)/ })).toHaveCount(0);
    await expect(page.getByRole('row', { name: /press_2\.0\.tar\.gz/ })).toHaveCount(1);
    expect(await namesOf(service)).toEqual(['press_2.0.tar.gz']);
  });
});
