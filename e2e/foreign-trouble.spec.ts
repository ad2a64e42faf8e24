// The dashboard as a gateway in front of /v1 services that fail, are late, lead elsewhere or let nobody in.
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test as base } from './fixtures.ts';
import { startBroken, type Mood } from './foreign/broken.ts';
import { startForeign, type Foreign } from './foreign/foreign.ts';
import { before } from './foreign/gateway.ts';

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
    /No devices|No artifacts|No jobs|No workflows|No tunnels|No running or waiting jobs|No job failed|0 devices|seen before/;

  test('a bad answer is reported in its own words, and never an empty fleet @sweep', async ({
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

  test('what is late is waited for, what is away is reported, and a redirect leads nowhere @sweep', async ({
    signedIn: page,
    service,
    foreign,
  }) => {
    // Asked again by itself, as the service wished; then it is reported.
    foreign.be('busy');
    await page.goto(`${service.url}/tunnels`);
    await expect(page.getByRole('alert')).toContainText('draining');
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
      await expect(page.getByRole('alert')).toContainText(words);
    }
    expect(elsewhere).toEqual([]);
  });
});

base.describe('a service that does not let anybody in', () => {
  const enter = async (page: Page, token: string) => {
    await page.getByLabel('API token').fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  const expectedConsole = [/status of (429|50[234])/];

  base.describe('for different reasons', () => {
    const test = before(() => startBroken(() => 'http://127.0.0.1:9'));
    test.use({ expectedConsole });

    test('sign-in shows which @sweep', async ({ page, service, foreign }) => {
      await page.goto(`${service.url}/sign-in`);
      for (const [mood, words] of [
        ['limit', /too busy to check the token.*Try again in 7 seconds\. It says: slow down/s],
        ['busy', /too busy to check the token.*draining/s],
        ['html', /failed while it checked the token \(500\)/],
        ['page', /is not a \/v1 device service.*with a web page \(200\)/s],
        ['none', /is not a \/v1 device service.*with 404/s],
        ['shape', /is not a \/v1 device service.*something that is not an account/s],
        ['redirect', /sends requests elsewhere \(307\)/],
        ['dead', /cannot be reached.*ended the connection without an answer/s],
      ] as const) {
        foreign.be(mood, true);
        await enter(page, service.token);
        await expect(page.getByRole('alert'), mood).toContainText(words);
        await expect(page.getByLabel('API token'), mood).toHaveValue(service.token);
      }
      await foreign.close();
      await enter(page, service.token);
      await expect(page.getByRole('alert')).toContainText(/cannot be reached.*Nothing listens there/s);
      await expectAccessible(page);
    });
  });

  base.describe('before the page knows which service it is', () => {
    const test = before(() => startBroken(() => 'http://127.0.0.1:9'));
    test.use({ expectedConsole });

    test('the refusal is worded as soon as it does @sweep', async ({ page, service, foreign }) => {
      const { promise: known, resolve: answer } = Promise.withResolvers<void>();
      await page.route('**/auth/session', async (route) => {
        if (route.request().method() === 'GET') await known;
        await route.continue();
      });
      await page.goto(`${service.url}/sign-in`);
      foreign.be('limit', true);
      await enter(page, service.token);
      await expect(page.getByRole('alert')).toContainText('try again in 7 seconds');
      answer();
      await expect(page.getByRole('alert')).toContainText(/too busy to check the token.*It says: slow down/s);
    });
  });

  base.describe('with a certificate that nobody vouches for', () => {
    const test = before(() => startForeign(() => {}, { tls: true }));
    test.use({ expectedConsole });

    test('is sent no token @sweep', async ({ page, service, foreign }) => {
      await page.goto(`${service.url}/sign-in`);
      await enter(page, service.token);
      await expect(page.getByRole('alert')).toContainText(/The certificate of 127\.0\.0\.1:\d+ cannot be trusted/);
      await expect(page.getByRole('alert')).toContainText('The token was not sent: it is self-signed');
      expect(foreign.heard).toEqual([]);
    });
  });
});
