// Settings: tokens, sessions, usage, appearance and data in the browser; and Workflows in an empty account.
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, expectAccessible, signIn, test, type Service } from './fixtures.ts';

// The browser logs a refused proof to the console.
test.use({ ownService: true, expectedConsole: [/status of 403/] });

async function openSettings(page: Page, service: Service, name: string): Promise<void> {
  await page.goto(`${service.url}/settings/${name.toLowerCase()}`);
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
}

/** The status that an API client with this token gets. */
const statusWith = async (service: Service, token: string) =>
  (await fetch(`${service.url}/v1/account`, { headers: { authorization: `Bearer ${token}` } })).status;

const tokenRow = (page: Page, name: string) =>
  page.getByRole('table', { name: 'API tokens' }).getByRole('row', { name: new RegExp(name) });

/** Creates a token by the API. */
const makeToken = async (service: Service, Name: string) =>
  (await service.call<{ Token: string }>('POST', '/v1/account/tokens', { Name, Proof: service.token })).Token;

test('an API token is created with a proof, shown once, and works @main', async ({ signedIn: page, service }) => {
  await openSettings(page, service, 'Tokens');
  await page.getByRole('button', { name: 'Create token' }).click();
  const make = page.getByRole('dialog', { name: 'Create API token' });
  await make.getByLabel('Name').fill('Build server');
  await make.getByLabel('Your proof').fill(service.token);
  await make.getByRole('button', { name: 'Create token' }).click();
  // Masked at first; only Done closes the dialog, and only after the token was saved.
  const once = page.getByRole('dialog', { name: 'API token “Build server”' });
  await expect(once.getByLabel('API token, hidden')).toHaveText(/^•+$/);
  await expect(once.getByRole('button', { name: 'Done' })).toBeDisabled();
  await page.keyboard.press('Escape');
  await once.getByRole('button', { name: 'Reveal' }).click();
  const token = await once.getByLabel('API token', { exact: true }).innerText();
  const download = page.waitForEvent('download');
  // Some browsers read the file only after the click's task has ended: it must still be there then.
  const revoked = await once.getByRole('button', { name: 'Download' }).evaluate((button: HTMLElement) => {
    const revokeObjectURL = URL.revokeObjectURL.bind(URL);
    let count = 0;
    URL.revokeObjectURL = () => void count++;
    button.click();
    URL.revokeObjectURL = revokeObjectURL;
    return count;
  });
  expect(revoked).toBe(0);
  expect(await readFile(await (await download).path(), 'utf8')).toBe(`${token}\n`);
  await once.getByRole('button', { name: 'Done' }).click();
  await expect(once).toBeHidden();

  const row = tokenRow(page, 'Build server');
  await expect(row).toContainText('Never');
  await expect(row).toContainText(token.slice(0, 4));
  expect(await page.content()).not.toContain(token);
  expect(await statusWith(service, token)).toBe(200);
  await page.reload();
  await expect(row).toContainText('127.0.0.1');
  expect(await page.content()).not.toContain(token);
});

test('a token needs a name, and a proof beside the session', async ({ signedIn: page, service }) => {
  await openSettings(page, service, 'Tokens');
  await page.getByRole('button', { name: 'Create token' }).click();
  const make = page.getByRole('dialog', { name: 'Create API token' });
  await make.getByRole('button', { name: 'Create token' }).click();
  await expect(make.getByLabel('Name')).toHaveAttribute('aria-invalid', 'true');
  await make.getByLabel('Name').fill('Build server');
  // Being signed in is not enough.
  await make.getByLabel('Your proof').fill('no-token');
  await make.getByRole('button', { name: 'Create token' }).click();
  await expect(make).toContainText('Your proof is not valid');
});

test('a revoked token ends at once, with the sessions that signed in with it', async ({
  signedIn: page,
  service,
  browser,
}) => {
  const token = await makeToken(service, 'Build server');
  await openSettings(page, service, 'Tokens');
  const other = await browser.newContext();
  const session = { data: { Token: token }, headers: { origin: service.url } };
  expect((await other.request.post(`${service.url}/auth/session`, session)).status()).toBe(200);
  expect((await other.request.get(`${service.url}/v1/account`)).status()).toBe(200);
  await page.getByRole('button', { name: 'Revoke Build server' }).click();
  const question = page.getByRole('dialog', { name: 'Revoke API token' });
  await expect(question).toContainText('Build server');
  await question.getByRole('button', { name: 'Revoke token' }).click();
  await expect(question).toBeHidden();
  await expect(tokenRow(page, 'Build server')).toBeHidden();
  expect(await statusWith(service, token)).toBe(401);
  expect((await other.request.get(`${service.url}/v1/account`)).status()).toBe(401);
  await other.close();
  await expect(page.getByRole('table', { name: 'API tokens' })).toBeVisible();
});

test('other browsers are listed and signed out, one or all', async ({ signedIn: page, service, browser }) => {
  const others = await Promise.all([1, 2, 3].map(() => browser.newContext()));
  const areIn = () =>
    Promise.all(others.map(async ({ request }) => (await request.get(`${service.url}/v1/account`)).status() === 200));
  const code = new URL(service.signInLink).hash.slice('#code='.length);
  for (const [index, { request }] of others.entries()) {
    const data = index === 0 ? { Code: code } : { Token: service.token };
    const session = { data, headers: { origin: service.url } };
    expect((await request.post(`${service.url}/auth/session`, session)).status()).toBe(200);
  }
  await openSettings(page, service, 'Sessions');
  const rows = page.getByRole('table', { name: 'Sessions' }).getByRole('row');
  await expect(rows).toHaveCount(5);
  await expect(rows.filter({ hasText: 'This browser' })).toHaveCount(1);
  await rows
    .filter({ hasText: 'Sign-in link' })
    .getByRole('button', { name: /^Sign out/ })
    .click();
  await expect(rows).toHaveCount(4);
  expect(await areIn()).toEqual([false, true, true]);
  await page.getByRole('button', { name: 'Sign out all others' }).click();
  const question = page.getByRole('dialog', { name: 'Sign out all others' });
  await expect(question).toContainText('2 other browsers');
  await question.getByRole('button', { name: 'Sign out', exact: true }).click();
  await expect(rows).toHaveCount(2);
  expect(await areIn()).toEqual([false, false, false]);
  await expect(page.getByRole('button', { name: 'Sign out all others' })).toBeHidden();
  await Promise.all(others.map((other) => other.close()));
});

test.describe('with a plan of two devices', () => {
  test.use({ serviceEnv: { MAX_DEVICES: '2', ARTIFACT_QUOTA_MB: '3' } });

  test('usage follows what is added', async ({ signedIn: page, service }) => {
    await openSettings(page, service, 'Usage');
    const main = page.getByRole('main');
    const devices = main.getByRole('meter', { name: 'Devices' });
    const storage = main.getByRole('meter', { name: 'Artifact storage' });
    await expect(main).toContainText('operator@localhost');
    await expect(devices).toHaveAttribute('aria-valuetext', '0 of 2');
    await expect(storage).toHaveAttribute('aria-valuetext', '0 bytes of 3 MB');

    await page.goto(`${service.url}/devices?dialog=add`);
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('pump 1');
    await page.getByRole('button', { name: 'Add device' }).click();
    const key = page.getByRole('dialog', { name: 'Connect pump 1' });
    await key.getByRole('button', { name: 'Download' }).click();
    await key.getByRole('button', { name: 'Done' }).click();
    const navigation = page.getByRole('navigation', { name: 'Main' });
    await expect(navigation.getByRole('meter', { name: 'Devices' })).toHaveAttribute('aria-valuetext', '1 of 2');
    await service.uploadScript('note.sh', `#!/bin/sh\n# ${'x'.repeat(1024 * 1024)}\n`, '/opt');
    await navigation.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Usage' }).click();
    await expect(devices).toHaveAttribute('aria-valuetext', '1 of 2');
    await page.reload();
    await expect(storage).toHaveAttribute('aria-valuetext', '1 MB of 3 MB');
  });
});

test('the appearance is the same after a reload, and "as the system" follows the system', async ({
  signedIn: page,
  service,
}) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await openSettings(page, service, 'Appearance');
  const choose = (name: string) =>
    page.getByRole('radiogroup', { name: 'Appearance' }).getByText(name, { exact: true }).click();
  const brightness = () =>
    page.evaluate(() => Number(/\d+/.exec(getComputedStyle(document.body).backgroundColor)?.[0]));
  expect(await brightness()).toBeGreaterThan(200);
  await choose('Dark');
  await expect.poll(brightness).toBeLessThan(60);
  await page.reload();
  await expect(page.getByRole('radio', { name: 'Dark' })).toBeChecked();
  expect(await brightness()).toBeLessThan(60);

  // The switch in the navigation is the same setting.
  await page.getByRole('button', { name: 'Switch to light' }).click();
  await expect(page.getByRole('radio', { name: 'Light' })).toBeChecked();
  await expect.poll(brightness).toBeGreaterThan(200);
  await choose('System');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(brightness).toBeLessThan(60);
});

/** Data in this browser, of this account and another, and of an earlier version. */
async function storeData(page: Page): Promise<void> {
  await page.evaluate(() => {
    localStorage.setItem('muster-usage:operator@localhost', '[]');
    localStorage.setItem('muster-views:operator@localhost', 'x'.repeat(1000));
    localStorage.setItem('muster-views:somebody@else', 'theirs');
  });
  await page.reload();
}

test('use is forecast from the history of the service', async ({ signedIn: page, service }) => {
  // Twenty earlier days, instead of waiting for them.
  await page.route('**/v1/history/usage', async (route) => {
    const { Items } = (await (await route.fetch()).json()) as { Items: object[] };
    const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10);
    const earlier = Array.from({ length: 20 }, (_, at) => ({
      Day: day(at + 1),
      Devices: 20 - at,
      ArtifactBytes: (20 - at) * 1000,
      OutputBytes: 0,
    }));
    await route.fulfill({ json: { Items: [...Items, ...earlier] } });
  });
  await service.createDevice('pump-7');
  await openSettings(page, service, 'Usage');
  await expect(page.getByRole('img', { name: 'Devices: from 1 to 1 in 20 days' })).toBeVisible();
  await expect(page.getByText(/^down 19 since yesterday\. Enough for/).first()).toBeVisible();
  await expect(page.getByText('keeps no history')).toBeHidden();
});

test.describe('a history that cannot be read', () => {
  test.use({ expectedConsole: [/status of 500/] });

  test('Usage says so below the figures, and reads it again', async ({ signedIn: page, service }) => {
    let isBroken = true;
    await page.route('**/v1/history/usage', (route) =>
      isBroken ? route.fulfill({ status: 500, json: { title: 'The disk is away' } }) : route.continue(),
    );
    await openSettings(page, service, 'Usage');
    const failure = page.getByRole('alert').filter({ hasText: 'Could not load the history of usage' });
    await expect(failure).toContainText('The disk is away');
    await expect(page.getByRole('main').getByRole('meter', { name: 'Devices' })).toBeVisible();
    isBroken = false;
    await failure.getByRole('button', { name: 'Retry' }).click();
    await expect(failure).toBeHidden();
  });
});

test('the time zone and the height of rows are chosen, and survive a reload', async ({ signedIn: page, service }) => {
  await openSettings(page, service, 'Appearance');
  const choose = (group: string, name: string) =>
    page.getByRole('radiogroup', { name: group }).getByText(name, { exact: true }).click();
  await choose('Times', 'UTC');
  await expect(page.getByText(/^Now: .*UTC$/)).toBeVisible();
  await choose('Table rows', 'Comfortable');
  await expect(page.locator('html')).toHaveAttribute('data-density', 'comfortable');
  await page.reload();
  await expect(page.getByRole('radio', { name: 'UTC' })).toBeChecked();
  await expect(page.locator('html')).toHaveAttribute('data-density', 'comfortable');
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Tokens' }).click();
  await expect(page.getByRole('table', { name: 'API tokens' }).locator('time').first()).toHaveAttribute(
    'title',
    /UTC$/,
  );
});

test('the data of this account in this browser are listed and cleared', async ({ signedIn: page, service }) => {
  await openSettings(page, service, 'Appearance');
  await storeData(page);
  await page.getByRole('radiogroup', { name: 'Table rows' }).getByText('Comfortable', { exact: true }).click();
  await expect(page.locator('html')).toHaveAttribute('data-density', 'comfortable');
  const stored = page.getByRole('table', { name: 'Data in this browser' });
  await expect(stored.getByRole('row', { name: /Columns and former views/ })).toContainText('2 kB');
  await expectAccessible(page);
  await stored.getByRole('button', { name: 'Clear Columns and former views of the device table' }).click();
  const question = page.getByRole('dialog', { name: 'Clear data in this browser' });
  await expect(question).toContainText('The choice of columns is lost, and views that only this browser has.');
  await expectAccessible(page);
  await question.getByRole('button', { name: 'Clear', exact: true }).click();
  await expect(stored.getByRole('row', { name: /Columns and former views/ })).toHaveCount(0);
  await page.getByRole('button', { name: 'Clear all' }).click();
  await question.getByRole('button', { name: 'Clear', exact: true }).click();
  await expect(page.getByText('Nothing is stored.')).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('data-density', 'compact');
  // What earlier versions stored goes a moment after the first paint.
  await expect.poll(() => page.evaluate(() => localStorage.getItem('muster-usage:operator@localhost'))).toBeNull();
  // Another account's data is not touched.
  expect(await page.evaluate(() => localStorage.getItem('muster-views:somebody@else'))).toBe('theirs');
});

test('workflows are marked as legacy, and link to artifacts', async ({ page, service }) => {
  await signIn(page, service);
  await page.goto(`${service.url}/workflows`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Workflows Legacy');
  await expect(page.getByText('Workflows are legacy')).toBeVisible();
  await page.getByRole('link', { name: 'Go to Artifacts' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Artifacts' })).toBeVisible();

  // What was typed survives closing the dialog by mistake.
  await page.goBack();
  await page.getByRole('button', { name: 'Create workflow' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create workflow' });
  await dialog.getByLabel('Command').fill('uptime');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await page.getByRole('button', { name: 'Create workflow' }).click();
  await expect(dialog.getByLabel('Command')).toHaveValue('uptime');
});

test('Usage shows stored job output and what is removed next; a full disk is reported on every page', async ({
  signedIn: page,
  service,
}) => {
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
  let more: object = {
    OutputBytesUsed: 970 * 1024 * 1024,
    OutputBytesLimit: 1024 * 1024 * 1024,
    OutputDays: 30,
    OutputRemoval: { Time: inAnHour, Jobs: 3, Bytes: 2 * 1024 * 1024, Because: 'JOB_OUTPUT_DAYS' },
    DiskState: 'Low',
    DiskBytesFree: 90 * 1024 * 1024,
  };
  await page.route('**/v1/account', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...((await response.json()) as object), ...more } });
  });
  await page.goto(`${service.url}/settings/usage`);
  await expect(page.getByRole('meter', { name: 'Job output' })).toHaveAttribute('aria-valuetext', '970 MB of 1 GB');
  const usage = page.getByRole('main');
  await expect(usage).toContainText('The output of 3 jobs (2 MB) will be older than 30 days and is removed');
  await expect(usage.getByRole('note')).toContainText('nearly full: 90 MB are free');
  await expectAccessible(page);

  more = { DiskState: 'Full' };
  await page.goto(`${service.url}/devices`);
  const notice = page.getByRole('status').filter({ hasText: 'The service’s disk is full.' });
  await expect(notice.getByRole('link')).toHaveText(['jobs', 'artifacts']);
  await expectAccessible(page);
  await notice.getByRole('button', { name: 'Hide' }).click();
  await expect(notice).toBeHidden();
});
