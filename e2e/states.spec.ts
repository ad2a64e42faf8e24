// Loading, failed, empty, read again: each page of the real service, whose answers are delayed, broken or replaced on
// their way. A bad answer is never taken for an empty fleet.
import type { Page, Route } from '@playwright/test';
import { expect, test, withoutOffers, type Service } from './fixtures.ts';
import { fill, READINGS, type Reading } from './readings.ts';

// What the browser says of each broken answer.
test.use({ ownService: true, expectedConsole: [/status of 50[03]|net::ERR_/] });

type Answer = 'real' | 'held' | 'failed' | 'page' | 'other' | 'null';

const TEXTS: Record<Exclude<Answer, 'real' | 'held' | 'failed'>, string> = {
  page: '<!doctype html><title>Log in to the guest network</title>',
  other: '{"greeting":"hello","one":[1],"two":[2]}',
  null: 'null',
};

/** Stands between the dashboard and one GET of the service. */
class Gate {
  answer: Answer = 'real';
  private readonly waiting: (() => void)[] = [];

  /** Answers what waits, and all that comes, in this way. */
  release(answer: Answer): void {
    this.answer = answer;
    for (const go of this.waiting.splice(0)) go();
  }

  async handle(route: Route): Promise<void> {
    if (route.request().method() !== 'GET') return route.continue();
    if (this.answer === 'held') await new Promise<void>((go) => this.waiting.push(go));
    switch (this.answer) {
      case 'real':
      case 'held':
        return route.continue();
      case 'failed':
        return route.fulfill({
          status: 500,
          contentType: 'application/problem+json',
          body: JSON.stringify({ title: 'Failed', status: 500, detail: 'The disk is full.' }),
        });
      default:
        return route.fulfill({
          contentType: this.answer === 'page' ? 'text/html' : 'application/json',
          body: TEXTS[this.answer],
        });
    }
  }
}

async function gate(page: Page, path: string): Promise<Gate> {
  const made = new Gate();
  await page.route(
    // Where the output of a job cannot be read in pieces, the whole job is asked for.
    ({ pathname }) => pathname === path || `${pathname}/output` === path,
    (route) => made.handle(route),
  );
  return made;
}

/** Lets the pages' own clock strike: what is asked for regularly, or on coming back to the window, is asked again. */
async function askAgain(page: Page): Promise<void> {
  await page.clock.fastForward('01:00');
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
}

/** A page with its one reading under control, and its clock too. */
async function open(page: Page, service: Service, { at, from, what, seen }: Reading) {
  const made = await fill(service);
  // What is not reported is asked for regularly.
  await withoutOffers(page, 'live');
  const main = page.getByRole('main');
  const alerts = main.getByRole('alert');
  // The jump of the clock may end another read of the same page, which has an alert of its own for a moment.
  const alert = alerts.filter({ hasText: what });
  const view = {
    page,
    main,
    alerts,
    alert,
    url: service.url + at(made),
    path: from(made),
    reading: await gate(page, from(made)),
    content: main.getByText(seen).filter({ visible: true }).first(),
    retry: alert.getByRole('button', { name: 'Retry' }),
  };
  // Once the fleet is in memory, a page of the table is read no more.
  if (view.path.startsWith('/v1/devices/1/25')) await page.route(/\/v1\/devices\/1\/(?!25\b)\d+$/, () => {});
  await page.clock.install();
  return view;
}
type View = Awaited<ReturnType<typeof open>>;

/** The page also asks by itself, and its button goes with the error: whichever comes first. */
async function retryUntilRead({ reading, alert, retry }: View, answer: 'real' | 'null'): Promise<void> {
  reading.release(answer);
  await expect(async () => {
    if (await retry.isVisible()) await retry.click({ timeout: 2_000 });
    await expect(alert).toBeHidden({ timeout: 2_000 });
  }).toPass();
}

async function expectSkeletonThenError(view: View, what: string): Promise<void> {
  const { page, main, alerts, alert, url, reading, content } = view;
  reading.release('held');
  await page.goto(url);
  await expect(main.getByRole('status', { name: `Loading ${what}` }).first()).toBeVisible();
  await expect(content).toBeHidden();
  reading.release('failed');
  await expect(alerts).toHaveCount(1);
  await expect(alert).toContainText(`Could not load ${what}: Failed (500)`);
  await expect(alert).toContainText('The disk is full.');
  await expect(content).toBeHidden();
  await retryUntilRead(view, 'real');
  await expect(content).toBeVisible();
}

async function expectRefetchKeepsContent(view: View, { what, picker }: Reading): Promise<void> {
  const { page, main, alert, path, reading, content } = view;
  // The clock jumps below, and would end whatever else is still being read as if it had taken too long.
  await expect(main.getByRole('status', { name: /^Loading/ })).toHaveCount(0);
  const asked = page.waitForRequest((request) => new URL(request.url()).pathname === path);
  reading.release('held');
  await askAgain(page);
  await asked;
  await expect(content).toBeVisible();
  const answered = page.waitForResponse((response) => new URL(response.url()).pathname === path);
  reading.release('failed');
  expect((await answered).status()).toBe(500);
  if (!picker) await expect(alert).toContainText(`Could not refresh ${what}: Failed (500)`);
  await expect(content).toBeVisible();
  await retryUntilRead(view, 'real');
  await expect(content).toBeVisible();
}

async function expectWrongAnswer(
  { page, alert, url, reading, content, retry }: View,
  { what }: Reading,
  answer: 'page' | 'other',
): Promise<void> {
  reading.release(answer);
  if (answer === 'page') await page.goto(url);
  else await retry.click();
  await expect(alert).toContainText(answer === 'page' ? 'This is not an answer of the API' : TEXTS[answer]);
  await expect(alert).not.toContainText('guest network');
  await expect(alert).toContainText(`Could not load ${what}: Unexpected response (200)`);
  await expect(content).toBeHidden();
}

for (const [name, asked] of Object.entries(READINGS))
  test(`${name}: loading, an error with Retry, a refetch over what is there, bad answers @sweep`, async ({
    signedIn: page,
    service,
  }) => {
    const { what, empty } = asked;
    const view = await open(page, service, asked);
    await test.step('a skeleton, then an error with Retry', () => expectSkeletonThenError(view, what));
    await test.step('what is there stays while it is read again, and when that fails', () =>
      expectRefetchKeepsContent(view, asked));
    for (const answer of ['page', 'other'] as const)
      await test.step(`a wrong answer: ${answer}`, () => expectWrongAnswer(view, asked, answer));
    if (empty !== undefined)
      await test.step('null is an empty list', async () => {
        if (asked.later === undefined) await retryUntilRead(view, 'null');
        else {
          view.reading.release('null');
          await page.route(`**${asked.later}`, (route) => route.fulfill({ json: null }));
          await page.goto(view.url);
        }
        await expect(view.main.getByText(empty).filter({ visible: true }).first()).toBeVisible();
        await expect(view.alert).toBeHidden();
      });
  });

test('a service that says "later" is asked again by itself @sweep', async ({ signedIn: page, service }) => {
  await service.createDevice('pump 7');
  let busy = 2;
  let asked = 0;
  await page.route('**/v1/devices/1/25', (route) => {
    asked += 1;
    if (busy === 0) return route.continue();
    busy -= 1;
    return route.fulfill({ status: 503, headers: { 'retry-after': '30' }, body: 'busy' });
  });
  await page.clock.install();
  await page.goto(`${service.url}/devices`);
  for (const left of [1, 0]) {
    await expect.poll(() => busy).toBe(left);
    await expect(page.getByRole('status', { name: 'Loading devices' })).toBeVisible();
    // The page may not have read the answer yet, and counts its 30 seconds from then on: time goes on until it asks.
    const before = asked;
    await expect(async () => {
      await page.clock.fastForward('00:40');
      expect(asked).toBeGreaterThan(before);
    }).toPass();
  }
  await expect(page.getByRole('link', { name: 'pump 7' })).toBeVisible();
});

test('a service that dies is reported as unreachable, what was read stays, and work goes on when it is back', async ({
  signedIn: page,
  service,
}) => {
  await service.createDevice('pump 7');
  await page.clock.install();
  await page.goto(`${service.url}/devices`);
  const row = page.getByRole('link', { name: 'pump 7' });
  await expect(row).toBeVisible();
  await service.stop('SIGKILL');
  const away = page.getByRole('status').filter({ hasText: 'The service cannot be reached' });
  // The tries of a read come one after the other, each some seconds after the one before.
  await expect(async () => {
    await page.clock.fastForward('00:20');
    await expect(away).toBeVisible({ timeout: 500 });
    await expect(away).toContainText('Showing data from', { timeout: 500 });
  }).toPass();
  await expect(row).toBeVisible();
  // Said once.
  await expect(page.getByRole('main').getByRole('alert')).toBeHidden();

  await service.start();
  await expect(async () => {
    await page.clock.fastForward('00:12');
    await expect(away).toBeHidden({ timeout: 500 });
  }).toPass();
  await expect(row).toBeVisible();
});

test('a figure of the overview that cannot be read again says as of when it is @sweep', async ({
  signedIn: page,
  service,
}) => {
  await service.createDevice('pump 7');
  await page.clock.install();
  await page.goto(service.url);
  const tile = page.getByRole('link', { name: /^Open tunnels\s*0$/ });
  await expect(tile).toBeVisible();
  await expect(page.getByText(/^As of/)).toHaveCount(0);
  (await gate(page, '/v1/tunnels')).release('failed');
  await expect(async () => {
    await page.clock.fastForward('00:20');
    await expect(page.getByText(/^As of/)).toHaveCount(1, { timeout: 500 });
  }).toPass();
  await expect(tile).toBeVisible();
});

test('without an answer about the session the page shows what is wrong @sweep', async ({ signedIn: page, service }) => {
  const session = await gate(page, '/auth/session');
  for (const [answer, said] of [
    ['failed', 'Failed (500)'],
    ['page', 'Unexpected response (200)'],
  ] as const) {
    session.release(answer);
    await page.goto(`${service.url}/devices`);
    await expect(page.getByRole('alert').getByRole('heading', { level: 1, name: said })).toBeVisible();
  }
  session.release('real');
  await page.getByRole('button', { name: 'Reload' }).click();
  await expect(page.getByText('No devices yet')).toBeVisible();
});
