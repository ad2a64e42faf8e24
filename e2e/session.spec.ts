// Signing in and out: the printed link, a token, a wrong token, a session that ends during an edit, two tabs.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { endSession, expect, signIn, test, signOut } from './fixtures.ts';

// The browser logs each refused request to the console.
test.use({ ownService: true, expectedConsole: [/status of 401/] });

test('the printed link signs in once, and its code leaves the address bar', async ({ page, service, browser }) => {
  await page.goto(service.signInLink);
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
  expect(page.url()).not.toContain('code');
  await page.goBack();
  expect(page.url()).not.toContain('code=');

  const stranger = await browser.newContext();
  const second = await stranger.newPage();
  await second.goto(service.signInLink);
  await expect(second.getByRole('alert')).toContainText('This sign-in link no longer works');
  expect(second.url()).not.toContain('code');
  await stranger.close();
});

test('a wrong token is refused with the reason; a valid one opens the requested page, and is nowhere in the browser @main', async ({
  page,
  service,
}) => {
  await page.goto(`${service.url}/devices?status=Online`);
  await expect(page).toHaveURL(/\/sign-in\?next=/);
  await page.getByLabel('API token').fill('not-a-token');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('alert')).toContainText('Invalid token');
  await expect(page.getByLabel('API token')).toHaveValue('not-a-token');

  await page.getByLabel('API token').fill(service.token);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Devices' })).toBeVisible();
  await expect(page).toHaveURL(/\/devices\?status=Online/);

  // Not in storage, nor in a cookie that scripts can read.
  const seen = await page.evaluate(() =>
    JSON.stringify([
      ...Object.entries(localStorage),
      ...Object.entries(sessionStorage),
      document.cookie,
      location.href,
    ]),
  );
  expect(seen).not.toContain(service.token);
  const [cookie] = await page.context().cookies();
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
  expect(cookie?.value).not.toContain(service.token);
});

test('a sign-in link pasted instead of a token signs in', async ({ page, service }) => {
  await page.goto(`${service.url}/sign-in`);
  await page.getByLabel('API token').fill(` ${service.signInLink} `);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
});

test('a session that ends during an edit asks for the token and keeps what was typed @main', async ({
  signedIn: page,
  service,
}) => {
  await page.goto(`${service.url}/devices?dialog=add`);
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('pump behind the old mill');
  const again = page.getByRole('dialog', { name: 'You’ve been signed out' });
  await endSession(page, async () => {
    await page.getByRole('button', { name: 'Add device' }).click();
    await expect(again).toBeVisible();
  });
  await again.getByLabel('API token').fill('wrong');
  await again.getByRole('button', { name: 'Sign in' }).click();
  await expect(again.getByRole('alert')).toContainText('Invalid token');
  await again.getByLabel('API token').fill(service.token);
  await again.getByRole('button', { name: 'Sign in' }).click();
  await expect(again).toBeHidden();

  await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('pump behind the old mill');
  await page.getByRole('button', { name: 'Add device' }).click();
  await expect(page.getByRole('dialog', { name: 'Connect pump behind the old mill' })).toBeVisible();
  const { Devices } = await service.call<{ Devices: { DeviceName: string }[] }>('GET', '/v1/devices/1/10');
  expect(Devices.map(({ DeviceName }) => DeviceName)).toEqual(['pump behind the old mill']);
});

test('signing out ends the session in every tab, and on the service; signing in again in one tab signs in the other', async ({
  signedIn: page,
  service,
}) => {
  await page.goto(`${service.url}/settings/usage`);
  const other = await page.context().newPage();
  await other.goto(`${service.url}/devices`);
  await expect(other.getByRole('heading', { level: 1, name: 'Devices' })).toBeVisible();
  const stolen = await page.context().cookies();

  await signOut(page);
  await expect(page.getByRole('heading', { name: 'Sign in to Muster' })).toBeVisible();
  await expect(other.getByRole('heading', { name: 'Sign in to Muster' })).toBeVisible();

  await page.context().addCookies(stolen);
  const answer = await page.context().request.get(`${service.url}/v1/account`);
  expect(answer.status()).toBe(401);

  await page.getByLabel('API token').fill(service.token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
  await expect(other.getByRole('navigation', { name: 'Main' })).toBeVisible();
});

test('the guard against tokens sent to other hosts sees them in any context, and from workers', async ({
  browser,
  service,
  tokenGuard,
}) => {
  const other = createServer((request, response) => {
    const js = request.url?.endsWith('.js') === true;
    response
      .writeHead(200, { 'content-type': js ? 'text/javascript' : 'text/html' })
      .end(
        js ? `fetch('/from-worker', { headers: { authorization: 'Bearer of-a-worker' } })` : '<title>Elsewhere</title>',
      );
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const at = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const context = await browser.newContext();
  const page = await context.newPage();
  await signIn(page, service);
  // Cookies ignore ports.
  await page.goto(`${at}/page`);
  const asked = page.waitForResponse(`${at}/from-worker`);
  await page.evaluate(async (token) => {
    const worker = new Worker('/worker.js');
    worker.addEventListener('error', () => {});
    await fetch('/as-text', { method: 'POST', body: token, credentials: 'omit' });
    await fetch('/harmless', { credentials: 'omit' });
  }, service.token);
  await asked;
  const found = await tokenGuard.take();
  expect(found).toContain(`the cookie of a session to ${at}/page`);
  expect(found).toContain(`the token to ${at}/as-text`);
  expect(found.some((each) => each.startsWith('a Bearer') && each.endsWith('/from-worker'))).toBe(true);
  expect(found.join()).not.toContain('/harmless');
  await context.close();
  other.closeAllConnections();
  await new Promise((resolve) => other.close(resolve));
});
