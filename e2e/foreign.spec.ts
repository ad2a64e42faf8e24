// The dashboard as a gateway in front of /v1 services that are not ours: each page against services of different temper.
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test as base } from './fixtures.ts';
import { startBroken } from './foreign/broken.ts';
import type { Mood } from './foreign/broken.ts';
import { startForeign } from './foreign/foreign.ts';
import type { Foreign } from './foreign/foreign.ts';
import { startFileHost } from './foreign/file-host.ts';
import { LEAKED, startGoLike } from './foreign/go-like.ts';
import { startStrict } from './foreign/strict.ts';

/** A gateway in front of the service that `make` starts. */
const before = <F extends Foreign>(make: () => Promise<F>) =>
  base.extend<{ foreign: F }>({
    foreign: async ({}, use) => {
      const foreign = await make();
      await use(foreign);
      await foreign.close();
    },
    serviceEnv: async ({ foreign }, use) => use({ UPSTREAM_URL: foreign.url }),
  });

const jwt = (exp: number) => `e30.${Buffer.from(JSON.stringify({ exp })).toString('base64url')}.signature`;

/** Follows the links of the dashboard's own navigation, so that nothing is loaded anew. */
const go = (page: Page, name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true }).click();

base.describe('services as they are elsewhere', () => {
  const test = before(startGoLike);
  test.use({ expectedConsole: [/status of 40[14]/] });

  test('sign in and read every page, with wrapped lists, nulls and other names', async ({ page, service, foreign }) => {
    await page.goto(`${service.url}/sign-in`);
    const token = page.getByLabel('API token');
    await expect(page.getByText(new URL(foreign.url).host)).toBeVisible();
    await token.fill(jwt(4_102_444_800));
    await expect(page.getByRole('status')).toContainText('good until 2100-01-01');
    await expectAccessible(page);
    await token.press('Enter');
    await expect(page.getByRole('alert')).toContainText('refused this token');
    await expect(page.getByRole('alert')).toContainText('token expired or unknown');
    await token.fill(service.token);
    await token.press('Enter');
    await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();

    await go(page, 'Devices');
    await expect(page.getByRole('row', { name: /press-3/ })).toContainText('Sleeping');
    await page.getByRole('link', { name: 'press-1' }).click();
    await expect(page.getByText('Cortex-A72')).toBeVisible();
    await expect(page.getByText('This service has no tags.')).toBeVisible();
    await expect(page.getByText(/has an agent of its own/)).toBeVisible();

    await go(page, 'Map');
    await expect(page.getByText('1 on the map · 2 without a place')).toBeVisible();
    await go(page, 'Artifacts');
    await expect(page.getByRole('row', { name: /app\.tar\.gz/ })).toBeVisible();
    await go(page, 'Workflows');
    await expect(page.getByText('No workflows')).toBeVisible();
    await go(page, 'Tunnels');
    await expect(page.getByText('No tunnels are open')).toBeVisible();

    await go(page, 'Jobs');
    await expect(page.getByRole('row', { name: /undated/ })).toContainText('yesterday-ish');
    await page.getByRole('link', { name: 'rollout 7' }).click();
    await expect(page.getByRole('row', { name: /press-1/ })).toContainText('Succeeded');
    await expect(page.getByRole('row', { name: /press-2/ })).toContainText('Waiting');
    await expect(page.getByRole('row', { name: /press-3/ })).toContainText('Failed');
    await expect(page.getByRole('row', { name: /only text/ })).toBeVisible();

    await go(page, 'Account');
    await expect(page.getByText('ops@acme.example').first()).toBeVisible();
    await expect(page.getByText(/manages its tokens elsewhere/)).toBeVisible();
    await expect(page.getByText(foreign.url)).toBeVisible();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expect(page.getByRole('heading', { name: 'Sign in to Muster' })).toBeVisible();

    // The key that listings leak is nowhere: not on the page, not in what the browser keeps.
    const kept = await page.evaluate(async () => {
      const databases = await indexedDB.databases();
      const rows = await Promise.all(
        databases.map(
          ({ name = '' }) =>
            new Promise<string>((resolve) => {
              const opening = indexedDB.open(name);
              opening.onsuccess = () => {
                const db = opening.result;
                const stores = [...db.objectStoreNames];
                if (stores.length === 0) return resolve('');
                const all = stores.map((store) => db.transaction(store).objectStore(store).getAll());
                const last = all.at(-1);
                if (last) last.onsuccess = () => resolve(JSON.stringify(all.map(({ result }) => result as unknown)));
              };
            }),
        ),
      );
      const cached = await Promise.all((await caches.keys()).map(async (key) => (await caches.open(key)).keys()));
      return JSON.stringify([rows, Object.entries(localStorage), Object.entries(sessionStorage), cached.length]);
    });
    expect(kept).not.toContain(LEAKED);
    expect(await page.content()).not.toContain(LEAKED);
    for (const { headers } of foreign.heard) {
      expect(headers.cookie).toBeUndefined();
      expect(headers.origin).toBeUndefined();
    }
  });
});

base.describe('as little as the document asks for', () => {
  const test = before(startStrict);
  test.use({ expectedConsole: [/status of 40[45]/] });

  test('every page does without what is missing, and says so', async ({ signedIn: page, service }) => {
    await page.goto(service.url);
    await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
    await go(page, 'Devices');
    await expect(page.getByRole('row', { name: /sensor-01/ })).toBeVisible();
    await page.getByRole('link', { name: 'sensor-01' }).click();
    await expect(page.getByRole('heading', { name: 'sensor-01' })).toBeVisible();
    await expect(page.getByText('rotate logs')).toBeVisible();
    await go(page, 'Tunnels');
    await expect(page.getByRole('row', { name: /t2/ })).toContainText('javascript:alert(1)');
    await expect(page.getByRole('row', { name: /t2/ }).getByRole('link', { name: /javascript/ })).toHaveCount(0);
    await go(page, 'Jobs');
    await page.getByRole('link', { name: 'rotate logs' }).click();
    await expect(page.getByText('Running').first()).toBeVisible();
    await go(page, 'Artifacts');
    await expect(page.getByText(/No artifacts/)).toBeVisible();
    await go(page, 'Map');
    await expect(page.getByText(/30 without a place|No device has a place/)).toBeVisible();
  });
});

base.describe('a bad day', () => {
  const elsewhere: string[] = [];
  let other: Foreign;
  const test = before(() => startBroken(() => other.url));
  test.use({ expectedConsole: [/status of (400|401|403|404|500|502|503|504)|Failed to load resource/] });
  test.beforeAll(async () => {
    other = await startForeign(({ url }, response) => {
      elsewhere.push(url);
      response.end('[]');
    });
  });
  test.afterAll(() => other.close());

  const PAGES = ['/', '/devices', '/map', '/artifacts', '/deploy', '/jobs', '/jobs/j1', '/workflows', '/tunnels'];
  /** What pages say of it. */
  const SAYS: [Mood, RegExp, string[]][] = [
    ['html', /\(500\)/, PAGES],
    ['shape', /Unexpected response \(200\)/, PAGES],
    ['page', /Unexpected response \(200\)/, ['/devices']],
    ['text', /relation "devices" is on holiday/, ['/jobs']],
    ['denied', /scope is missing/, ['/tunnels']],
  ];
  const EMPTY =
    /No devices|No artifacts|No jobs|No workflows|No tunnels|Nothing runs|No job failed|0 devices|was seen before/;

  test('a bad answer is told in its own words, and never an empty fleet', async ({
    signedIn: page,
    service,
    foreign,
  }) => {
    for (const [mood, words, pages] of SAYS) {
      foreign.be(mood);
      for (const at of pages) {
        await page.goto(service.url + at);
        await expect(page.getByRole('alert').filter({ hasText: words }).first(), `${mood} ${at}`).toBeVisible();
        await expect(page.getByRole('main'), `${mood} ${at}`).not.toContainText(EMPTY);
        await expect(page.getByRole('main')).not.toContainText('dk_in_the_wrong_shape');
      }
    }
  });

  test('what is late is waited for, what is away is told, and a redirect leads nowhere', async ({
    signedIn: page,
    service,
    foreign,
  }) => {
    // Asked again by itself, as the service wished; then it is told.
    foreign.be('busy');
    await page.goto(`${service.url}/tunnels`);
    await expect(page.getByRole('alert')).toContainText('draining', { timeout: 30_000 });
    // A late answer is an answer.
    foreign.be('late');
    await page.goto(`${service.url}/tunnels`);
    await expect(page.getByText('No tunnels are open')).toBeVisible();
    for (const [mood, words] of [
      ['redirect', /sends requests elsewhere \(307\)/],
      ['dead', /cannot be reached/],
    ] as const) {
      foreign.be(mood);
      await page.goto(`${service.url}/tunnels`);
      await expect(page.getByRole('alert')).toContainText(words, { timeout: 30_000 });
    }
    expect(elsewhere).toEqual([]);
  });
});

base.describe('the files alone', () => {
  const test = before(startStrict);

  test('from a plain file host: the token stays in memory, what is missing is told', async ({
    browser,
    foreign,
    service,
    tokenGuard,
  }) => {
    const host = await startFileHost(foreign.url);
    tokenGuard.allow(foreign.url);
    const page = await browser.newPage();
    const enter = async () => {
      await page.getByLabel('API token').fill(service.token);
      await page.getByRole('button', { name: 'Sign in' }).click();
    };
    await page.goto(`${host.url}/devices`);
    await expect(page.getByText('Only this page holds it')).toBeVisible();
    await enter();
    await expect(page.getByRole('alert')).toContainText(`does not allow pages of ${host.url}`);
    foreign.allow(host.url);
    await enter();
    await expect(page.getByRole('row', { name: /sensor-01/ })).toBeVisible();
    await go(page, 'Tunnels');
    await expect(page.getByRole('row', { name: /t1/ })).toBeVisible();
    await page.reload();
    await expect(page.getByRole('heading', { name: 'Sign in to Muster' })).toBeVisible();
    expect(await page.evaluate(() => JSON.stringify([Object.entries(localStorage), document.cookie]))).not.toContain(
      service.token,
    );
    await page.close();
    await host.close();
  });
});
