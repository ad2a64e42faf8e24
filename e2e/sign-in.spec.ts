// Signing in as a person: password, second factor, invitation, a forgotten password, and what the pages are like.
import { createHmac } from 'node:crypto';
import type { Page } from '@playwright/test';
import { expect, expectAccessible, expectAccessibleHere, signIn, test, type Service } from './fixtures.ts';

// The browser logs each refused request to the console.
test.use({ ownService: true, expectedConsole: [/status of (400|401|403|409|429)/] });

const EMAIL = 'ada@example.com';
const PASSWORD = 'mill pond lantern oak';

const overview = (page: Page) => page.getByRole('heading', { level: 1, name: 'Overview' });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

const invite = (service: Service, Email = EMAIL, Role = 'Operator') =>
  service.call<{ PersonId: string; InviteUrl: string }>('POST', '/v1/people', { Email, Name: '', Role, Groups: [] });

/** A call of a browser without a page. */
async function post<T>(
  service: Service,
  at: string,
  body: object,
  cookie = '',
): Promise<{ answer: T; cookie: string }> {
  const response = await fetch(service.url + at, {
    method: 'POST',
    headers: { origin: service.url, 'content-type': 'application/json', cookie },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${at}: ${response.status} ${text}`);
  const set = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
  return { answer: (text ? JSON.parse(text) : undefined) as T, cookie: set };
}

const codeOf = (link: string) => new URL(link).hash.replace('#code=', '');

/** A person with a password. */
async function addPerson(service: Service): Promise<{ id: string; cookie: string }> {
  const { PersonId, InviteUrl } = await invite(service);
  const { cookie } = await post(service, '/auth/accept', { Code: codeOf(InviteUrl), Name: 'Ada', Password: PASSWORD });
  return { id: PersonId, cookie };
}

/** RFC 6238 with the parameters of all authenticator apps. `later`: by how many steps. */
function otp(secret: string, later = 0): string {
  const bits = secret
    .split('')
    .map((each) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(each).toString(2).padStart(5, '0'));
  const bytes = Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + later));
  const digest = createHmac('sha1', bytes).update(counter).digest();
  const at = (digest.at(-1) ?? 0) & 15;
  return String((digest.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

/** Gives the person a second factor. */
async function addSecondFactor(service: Service, cookie: string) {
  const begun = await post<{ Secret: string; Setup: string }>(
    service,
    '/auth/otp/begin',
    { Password: PASSWORD },
    cookie,
  );
  const { Secret, Setup } = begun.answer;
  const { answer } = await post<{ RecoveryCodes: string[] }>(
    service,
    '/auth/otp/confirm',
    { Setup, Otp: otp(Secret) },
    begun.cookie,
  );
  return { secret: Secret, recovery: answer.RecoveryCodes };
}

async function typePassword(page: Page, password = PASSWORD) {
  await page.getByLabel('E-mail address').fill(EMAIL);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.keyboard.press('Enter');
}

test('while nobody has a password, the page asks for a token only, and a word in the address that is no reason shows nothing', async ({
  page,
  service,
}) => {
  await page.goto(`${service.url}/sign-in`);
  await expect(page.getByLabel('API token')).toBeFocused();
  await expect(page.getByLabel('Password')).toHaveCount(0);
  await expect(page.getByRole('link')).toHaveCount(0);
  await expect(page.getByRole('button')).toHaveCount(1);
  await page.goto(`${service.url}/sign-in?refused=constructor`);
  await expect(page.getByLabel('API token')).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('the dashboard is not fetched before the form is there', async ({ page, service }) => {
  const seen: string[] = [];
  page.on('request', (request) => {
    if (/\/assets\/frame-.*\.js$/.test(request.url())) seen.push('dashboard');
  });
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  await page.route('**/auth/session', async (route) => {
    await answered;
    await route.continue();
  });
  // The page does not stop waiting for the answer by itself.
  await page.clock.install();
  await page.goto(`${service.url}/sign-in`);
  await expect(page.getByRole('heading', { name: 'Sign in to Muster' })).toBeVisible();
  await page.waitForFunction(() => document.fonts.status === 'loaded');
  seen.push('answer');
  answer();
  await expect(page.getByLabel('API token')).toBeVisible();
  await expect.poll(() => seen).toEqual(['answer', 'dashboard']);
});

test('a wrong password is refused in words; the right one opens the requested page, and is nowhere in the browser @main', async ({
  page,
  service,
}) => {
  await addPerson(service);
  await page.goto(`${service.url}/devices?status=Online`);
  await expect(page.getByLabel('E-mail address')).toBeFocused();
  await typePassword(page, 'not my password');
  await expect(page.getByRole('alert')).toContainText('Wrong e-mail address or password');
  await expect(page.getByLabel('Password', { exact: true })).toBeFocused();
  await expect(page.getByLabel('E-mail address')).toHaveValue(EMAIL);

  await typePassword(page);
  await expect(page.getByRole('heading', { level: 1, name: 'Devices' })).toBeVisible();
  await expect(page).toHaveURL(/\/devices\?status=Online/);
  const seen = await page.evaluate(() =>
    JSON.stringify([
      ...Object.entries(localStorage),
      ...Object.entries(sessionStorage),
      document.cookie,
      location.href,
    ]),
  );
  expect(seen).not.toContain(PASSWORD);

  // A session that ends asks for the password again.
  await page.context().clearCookies();
  await page.reload();
  await expect(page.getByLabel('Password', { exact: true })).toBeVisible();
});

test('where people have passwords, what is typed can be shown, a forgotten one needs an Admin, and a token still signs in', async ({
  page,
  service,
}) => {
  await addPerson(service);
  await page.goto(`${service.url}/sign-in`);
  const password = page.getByLabel('Password', { exact: true });
  await password.fill(PASSWORD);
  await expect(password).toHaveAttribute('type', 'password');
  await page.getByRole('button', { name: 'Show what is typed' }).click();
  await expect(password).toHaveAttribute('type', 'text');
  await expect(password).toHaveValue(PASSWORD);

  // The service sends no e-mail.
  await button(page, 'Forgot your password?').click();
  await page.getByLabel('E-mail address').fill(EMAIL);
  await page.keyboard.press('Enter');
  await expect(page.getByText('Ask an Admin of your account')).toBeFocused();
  await button(page, 'Back to sign-in').click();
  await expect(page.getByLabel('Password', { exact: true })).toBeVisible();

  await button(page, 'Use an API token or sign-in link').click();
  await page.getByLabel('API token').fill(service.token);
  await page.keyboard.press('Enter');
  await expect(overview(page)).toBeVisible();
});

test('the code of the second factor is asked for once the password is right', async ({ page, service }) => {
  const { cookie } = await addPerson(service);
  const { secret, recovery } = await addSecondFactor(service, cookie);
  await page.goto(`${service.url}/sign-in`);
  await typePassword(page);
  const code = page.getByLabel('Code of your authenticator app');
  await expect(code).toBeFocused();
  await expect(page.getByRole('alert')).toHaveCount(0);
  await code.fill('000000');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toContainText('This code is not right');
  await expect(code).toBeFocused();
  // The code of now was used for the setup.
  await code.fill(otp(secret, 1));
  await page.keyboard.press('Enter');
  await expect(overview(page)).toBeVisible();

  await page.context().clearCookies();
  await page.goto(`${service.url}/sign-in`);
  await typePassword(page);
  await code.fill(recovery[0] ?? '');
  await page.keyboard.press('Enter');
  await expect(overview(page)).toBeVisible();
});

test('an invitation is accepted with a name and a password, and its code leaves the address bar', async ({
  page,
  service,
}) => {
  const { InviteUrl, PersonId } = await invite(service);
  await page.goto(InviteUrl);
  await expect(page).toHaveURL(`${service.url}/accept`);
  await expect(page.getByText('At least 12 characters')).toBeVisible();
  await page.getByLabel('Your name').fill('Ada Lovelace');
  const password = page.getByLabel('Password', { exact: true });
  await password.fill('too short');
  await button(page, 'Join').click();
  await expect(page.getByRole('alert')).toContainText('at least 12 characters; this one has 9');
  await expect(password).toBeFocused();
  await password.fill('password1234');
  await button(page, 'Join').click();
  await expect(page.getByRole('alert')).toContainText('The password');
  await password.fill(PASSWORD);
  await button(page, 'Join').click();
  await expect(overview(page)).toBeVisible();
  await page.goBack();
  expect(page.url()).not.toContain('code');
  const people = await service.call<{ PersonId: string; Name: string; State: string }[]>('GET', '/v1/people');
  expect(people.find((each) => each.PersonId === PersonId)).toMatchObject({ Name: 'Ada Lovelace', State: 'Active' });

  // It works once.
  await page.context().clearCookies();
  await page.goto('about:blank');
  await page.goto(InviteUrl);
  await password.fill(PASSWORD);
  await button(page, 'Join').click();
  await expect(page.getByRole('alert')).toContainText('This invitation no longer works');
});

test('a link for a new password sets it, its code leaves the address bar, and a page without its code says so', async ({
  page,
  service,
}) => {
  await page.goto(`${service.url}/accept`);
  await expect(page.getByText('Open the link in your invitation again')).toBeVisible();
  await page.getByRole('link', { name: 'Go to sign-in' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in to Muster' })).toBeVisible();

  const { id } = await addPerson(service);
  const { InviteUrl } = await service.call<{ InviteUrl: string }>('POST', `/v1/people/${id}/invite`);
  await page.goto(InviteUrl);
  await expect(page).toHaveURL(`${service.url}/reset`);
  await page.getByLabel('New password').fill('another lantern for the pond');
  await page.keyboard.press('Enter');
  await expect(overview(page)).toBeVisible();

  await page.context().clearCookies();
  await page.goto(`${service.url}/sign-in`);
  await typePassword(page);
  await expect(page.getByRole('alert')).toContainText('Wrong e-mail address or password');
  await typePassword(page, 'another lantern for the pond');
  await expect(overview(page)).toBeVisible();
});

test('an account that requires a second factor has it set up before anything else', async ({ page, service }) => {
  await addPerson(service);
  await service.call('PATCH', '/v1/account', { NeedsSecondFactor: true });
  await page.goto(`${service.url}/jobs`);
  await typePassword(page);
  await expect(page.getByRole('heading', { name: 'Set up a second factor' })).toBeVisible();
  // Nothing else can be opened.
  await page.goto(`${service.url}/jobs`);
  await expect(page.getByRole('heading', { name: 'Set up a second factor' })).toBeVisible();
  await page.getByLabel('Your password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText('Type the secret instead').click();
  const secret = ((await page.getByLabel('Secret').textContent()) ?? '').replaceAll(' ', '');
  const code = page.getByLabel('Code that the app shows');
  await code.fill('000000');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toContainText('not the code that belongs to this secret');
  await expectAccessible(page);
  await code.fill(otp(secret));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Recovery codes' })).toBeFocused();
  await expectAccessible(page);
  await expect(button(page, 'Done')).toBeDisabled();
  const download = page.waitForEvent('download');
  await button(page, 'Download').click();
  expect((await download).suggestedFilename()).toBe('muster-recovery-codes.txt');
  await button(page, 'Done').click();
  await expect(page.getByRole('heading', { level: 1, name: 'Jobs' })).toBeVisible();
});

test('an Admin requires a second factor of everybody in Settings', async ({ page, service, browser }) => {
  await addPerson(service);
  await signIn(page, service);
  await page.goto(`${service.url}/settings/sign-in`);
  await page.getByRole('checkbox', { name: 'Require a second factor' }).check();
  await expect
    .poll(() => service.call<{ NeedsSecondFactor?: boolean }>('GET', '/v1/account'))
    .toMatchObject({ NeedsSecondFactor: true });

  const person = await (await browser.newContext()).newPage();
  await person.goto(`${service.url}/sign-in`);
  await typePassword(person);
  await expect(person.getByRole('heading', { name: 'Set up a second factor' })).toBeVisible();
  await page.getByRole('checkbox', { name: 'Require a second factor' }).uncheck();
  await expect
    .poll(() => service.call<{ NeedsSecondFactor?: boolean }>('GET', '/v1/account'))
    .not.toMatchObject({ NeedsSecondFactor: true });
  await person.goto(service.url);
  await expect(overview(person)).toBeVisible();
});

/** The whole page as axe judges it, on a wide screen and on a phone, where it does not scroll sideways. */
async function judge(page: Page): Promise<void> {
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectAccessibleHere(page);
  const overflow = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(await overflow()).toBe(0);
  await page.setViewportSize({ width: 1360, height: 800 });
}

test('every page before the sign-in is accessible, on a phone too', async ({ page, service }) => {
  test.setTimeout(240_000);
  await page.setViewportSize({ width: 1360, height: 800 });
  const { cookie } = await addPerson(service);
  const { InviteUrl } = await invite(service, 'grace@example.com');
  await page.goto(InviteUrl);
  await page.getByLabel('Password', { exact: true }).fill('short');
  await button(page, 'Join').click();
  await expect(page.getByRole('alert')).toBeVisible();
  await judge(page);
  await page.goto(`${service.url}/reset`);
  await judge(page);
  await page.goto(`${service.url}/sign-in?refused=no-role`);
  await expect(page.getByRole('alert')).toContainText('has no role here');
  await judge(page);
  await addSecondFactor(service, cookie);
  await typePassword(page);
  await expect(page.getByLabel('Code of your authenticator app')).toBeVisible();
  await judge(page);
  await button(page, 'Use another account').click();
  await button(page, 'Forgot your password?').click();
  await judge(page);
});

test('the keyboard alone signs in', async ({ page, service }) => {
  await addPerson(service);
  await page.goto(`${service.url}/sign-in`);
  await expect(page.getByLabel('E-mail address')).toBeFocused();
  await page.keyboard.type(EMAIL);
  await page.keyboard.press('Tab');
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Show what is typed' })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(button(page, 'Sign in')).toBeFocused();
  await page.keyboard.press('Space');
  await expect(overview(page)).toBeVisible();
});
