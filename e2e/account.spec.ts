// Settings: a token that is shown once, and the appearance.
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, test, type Service } from './fixtures.ts';

test.use({ ownService: true });

async function openSettings(page: Page, service: Service, name: string): Promise<void> {
  await page.goto(`${service.url}/settings/${name.toLowerCase()}`);
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
}

/** The status that an API client with this token gets. */
const statusWith = async (service: Service, token: string) =>
  (await fetch(`${service.url}/v1/account`, { headers: { authorization: `Bearer ${token}` } })).status;

const tokenRow = (page: Page, name: string) =>
  page.getByRole('table', { name: 'API tokens' }).getByRole('row', { name: new RegExp(name) });

test('an API token is created with a proof, shown once, and works @main', async ({ signedIn: page, service }) => {
  await openSettings(page, service, 'Tokens');
  await page.getByRole('button', { name: 'Create token' }).click();
  const make = page.getByRole('dialog', { name: 'Create API token' });
  await make.getByLabel('Name').fill('Build server');
  await make.getByLabel('Confirm it’s you').fill(service.token);
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
