// The pages of the settings: each at its own address, with the links that were to the one page that they have grown from.
import { expect, expectAccessible, openSession, signIn, signOut, test } from './fixtures.ts';

test.use({ ownService: true });

const PAGES = [
  ['people', 'People'],
  ['tokens', 'Tokens'],
  ['sessions', 'Sessions'],
  ['channels', 'Alert channels'],
  ['usage', 'Usage'],
  ['sign-in', 'Sign-in'],
  ['appearance', 'Appearance'],
] as const;
// What is still being read when one signs out is refused.
test.use({ expectedConsole: [/status of 401/] });

const PHONE = { width: 390, height: 844 };

test('each page has its own address, in a list that marks it, and survives a reload', async ({
  signedIn: page,
  service,
}) => {
  await page.goto(`${service.url}/settings`);
  const list = page.getByRole('navigation', { name: 'Settings' });
  await expect(page.getByRole('heading', { level: 1, name: 'People' })).toBeVisible();
  await expect(list.getByRole('link')).toHaveText(PAGES.map(([, name]) => name));
  for (const [path, name] of PAGES) {
    await list.getByRole('link', { name, exact: true }).click();
    await expect(page).toHaveURL(`${service.url}/settings/${path}`);
    await page.reload();
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
    await expect(list.getByRole('link', { name, exact: true })).toHaveAttribute('aria-current', 'page');
    await expect(list.locator('[aria-current]')).toHaveCount(1);
    await expectAccessible(page);
  }
  await page.goto(`${service.url}/settings/nothing`);
  await expect(page.getByText('There is no page at this address.')).toBeVisible();
});

test('on a phone the pages are in a row that scrolls, and none is wider than the screen', async ({
  signedIn: page,
  service,
}) => {
  await page.setViewportSize(PHONE);
  for (const [path, name] of PAGES) {
    await page.goto(`${service.url}/settings/${path}`);
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
    await expect(
      page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name, exact: true }),
    ).toBeInViewport();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
    expect(await page.getByRole('main').evaluate((main) => main.scrollWidth)).toBe(PHONE.width);
  }
});

test.describe('a password', () => {
  test.use({ expectedConsole: [/status of 40[13]/] });

  test('is set by whoever signed in with the link, whom the frame names, then changed with the present one', async ({
    page,
    service,
  }) => {
    await page.goto(service.signInLink);
    await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
    // The frame says who is signed in.
    const own = page.getByRole('button', { name: /^Signed in as/ });
    await expect(own).toHaveText('Signed in as operator@localhost');
    await own.click();
    await expectAccessible(page, '[role="menu"]');
    await page.getByRole('menuitem', { name: 'Settings' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'People' })).toBeVisible();

    await page.goto(`${service.url}/settings/sign-in`);
    await page.getByRole('button', { name: 'Set a password' }).click();
    const set = page.getByRole('dialog', { name: 'Set a password' });
    await set.getByLabel(/^New password/).fill('short');
    await set.getByRole('button', { name: 'Set password' }).click();
    await expect(set).toContainText('New password must have at least 12 characters');
    await set.getByLabel(/^New password/).fill('green stairs and thunder');
    await expectAccessible(page);
    await set.getByRole('button', { name: 'Set password' }).click();
    await expect(page.getByText('The password is set.')).toBeVisible();

    await page.getByRole('button', { name: 'Change password' }).click();
    const change = page.getByRole('dialog', { name: 'Change password' });
    await change.getByLabel('Present password').fill('something else');
    await change.getByLabel(/^New password/).fill('seven quiet herons');
    await change.getByRole('button', { name: 'Change password' }).click();
    await expect(change.getByRole('alert').or(change.locator('[aria-invalid="true"]'))).toBeVisible();
    await change.getByLabel('Present password').fill('green stairs and thunder');
    await change.getByRole('button', { name: 'Change password' }).click();
    await expect(change).toBeHidden();
    await openSession(page, service, '/auth/session', {
      Email: 'operator@localhost',
      Password: 'seven quiet herons',
    });

    await page.goto(service.url);
    await signOut(page);
    await expect(page.getByRole('heading', { name: 'Sign in to Muster' })).toBeVisible();
    await signIn(page, service);
    await page.goto(service.url);
    await expect(own).toHaveText('Signed in as Token AUTH_TOKEN');
  });
});
