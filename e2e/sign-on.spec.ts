// Signing in at an identity provider, and leaving it. The provider is on another site than the service, so the browser sends
// the cookies as it does in real life.
import type { Browser, Page } from '@playwright/test';
import { CLIENT, FakeProvider } from '../scripts/test-identity-provider.ts';
import { expect, signIn, test as base, type Service } from './fixtures.ts';

const test = base.extend<{ provider: FakeProvider }>({
  provider: async ({}, use) => {
    const provider = await new FakeProvider().start();
    // 127.0.0.1 and localhost are different sites.
    provider.url = provider.url.replace('127.0.0.1', 'localhost');
    await use(provider);
    await provider.end();
  },
  serviceEnv: async ({ provider }, use) => {
    await use({
      OIDC_ISSUER: provider.url,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      OIDC_ROLES: '[{ "Claim": "ops", "Role": "Operator" }]',
    });
  },
});

/** A browser that may visit the provider too. */
async function visit(browser: Browser, service: Service, at: string): Promise<Page> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(service.url + at);
  return page;
}

const signOn = (page: Page) => page.getByRole('link', { name: /^Sign in with/ });

test('the provider signs in, the page that was asked for opens, and signing out ends the session here and there', async ({
  browser,
  service,
  provider,
}) => {
  const page = await visit(browser, service, '/jobs');
  await signOn(page).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Jobs' })).toBeVisible();
  await expect(page.getByRole('button', { name: /Ada/ })).toBeVisible();
  // The session holds when the browser comes from another site and on each reload.
  await page.reload();
  await expect(page.getByRole('heading', { level: 1, name: 'Jobs' })).toBeVisible();

  await page.getByRole('button', { name: /Ada/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(signOn(page)).toBeVisible();
  expect(provider.heard).toContain('GET /end');
  await page.goto(`${service.url}/jobs`);
  await expect(signOn(page)).toBeVisible();
});

test('a provider that does not answer is named and somebody without a role is told so, and the sign-in page stays', async ({
  browser,
  service,
  provider,
}) => {
  const page = await visit(browser, service, '/');
  provider.isUp = false;
  await signOn(page).click();
  await expect(page.getByRole('alert')).toBeVisible();
  provider.isUp = true;

  const known = provider.who;
  provider.who = { sub: 'eve', email: 'eve@example.com', name: 'Eve', groups: ['sales'] };
  await signOn(page).click();
  await expect(page.getByRole('alert')).toContainText('has no role here');
  await expect(page).toHaveURL(/\/sign-in/);

  provider.who = known;
  await signOn(page).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
});

test.describe('joining', () => {
  test.use({ expectedConsole: [/status of 403/] });

  test('asks the person to prove it, and is not offered to a token', async ({ browser, service }) => {
    // From the page of sign-in, only the part behind # would change.
    const page = await visit(browser, service, service.signInLink.slice(service.url.length));
    await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
    await page.goto(`${service.url}/settings/sign-in`);
    await page.getByRole('button', { name: 'Join' }).click();
    const dialog = page.getByRole('dialog', { name: /^Join localhost/ });
    const go = dialog.getByRole('button', { name: /^Go to/ });
    await dialog.getByLabel('Confirm it’s you').fill('something else');
    await go.click();
    await expect(dialog.getByText(/Not recognized\. Copy it whole/)).toBeVisible();
    await dialog.getByLabel('Confirm it’s you').fill(service.token);
    await go.click();
    // The provider gives less than the last Admin must have.
    await expect(page.getByRole('alert')).toContainText('would take your role as the last Admin');

    await page.goto(`${service.url}/settings/sign-in`);
    const made = await page.request.post(`${service.url}/v1/account/tokens`, {
      data: { Name: 'hers', Proof: service.token },
      headers: { origin: service.url },
    });
    const { Token } = (await made.json()) as { Token: string };
    const other = await visit(browser, service, '/');
    await signIn(other, service, Token);
    await other.goto(`${service.url}/settings/sign-in`);
    for (const name of ['Join', 'Set a password'])
      await expect(other.getByRole('button', { name })).toHaveAccessibleDescription(/signed in with a token/);
  });
});
