// What is reported when a deployment ends while the page is hidden. System notifications need the full browser.
import type { Page, Request } from '@playwright/test';
import { launchOptions } from '../scripts/browser.ts';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';
import { script, jobSandbox } from './job-sandbox.ts';
import { see } from './seen.ts';

test.use({ launchOptions: launchOptions() });

/** The system notifications so far; a headless browser creates them too. */
const noticesOf = (page: Page) =>
  page.evaluate(() => (window as unknown as { notices: { title: string; body: string }[] }).notices);

const asked = (page: Page) => page.evaluate(() => (window as unknown as { asked: number }).asked);

/** Records system notifications, and requests for permission to show them. */
async function recordNotices(page: Page, service: Service): Promise<void> {
  await page.context().grantPermissions(['notifications'], { origin: service.url });
  await page.addInitScript(() => {
    const seen = { notices: [] as { title: string; body: string; real: Notification }[], asked: 0 };
    Object.assign(window, seen);
    const { Notification: Real } = window;
    window.Notification = class extends Real {
      static override requestPermission() {
        (window as unknown as typeof seen).asked += 1;
        return Real.requestPermission();
      }
      constructor(title: string, options: NotificationOptions = {}) {
        super(title, options);
        (window as unknown as typeof seen).notices.push({ title, body: options.body ?? '', real: this });
      }
    };
  });
}

/** Turns notices on with a click on the page Appearance. */
async function turnOn(page: Page, service: Service): Promise<void> {
  await page.goto(`${service.url}/settings/appearance`);
  const notify = page.getByRole('checkbox', { name: 'Notify me when a deployment ends or fails' });
  await expect(notify).not.toBeChecked();
  // The browser asks only after a click.
  expect(await asked(page)).toBe(0);
  await notify.click();
  await expect(notify).toBeChecked();
  expect(await asked(page)).toBe(1);
}

/** Hides the tab once the page watches its jobs: that part is loaded after the first paint. */
async function hide(page: Page): Promise<void> {
  const looks: Request[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/v1/jobs') looks.push(request);
  });
  await expect
    .poll(async () => {
      await see(page, 'visible');
      await see(page, 'hidden');
      return looks.length;
    })
    .toBeGreaterThan(0);
  // A job that has ended by this first answer would not be reported.
  await looks.at(-1)?.response();
}

test('a job that fails while the tab is hidden is reported in its title, by the system, and on the page afterwards', async ({
  signedIn: page,
  service,
}) => {
  await recordNotices(page, service);
  await page.clock.install();
  const sandbox = await jobSandbox(service);
  const { DeviceId, DeviceKey } = await service.createDevice('pump-7');
  await service.agent(DeviceKey);
  const ArtifactId = await script(service, sandbox, 'pump.sh', sandbox.gate('go'), 'exit 3');
  await service.call('POST', '/v1/job', { Name: 'Update the pump', DeviceId, ArtifactId });
  await turnOn(page, service);
  await hide(page);
  await expect(page).toHaveTitle('Appearance · Muster');
  await sandbox.open('go');
  await expect(async () => {
    await page.clock.runFor(30_000);
    expect(await page.title()).toBe('(1) Appearance · Muster');
  }).toPass();
  const notices = [{ title: 'Update the pump has ended', body: 'Result: failed' }];
  await expect.poll(() => noticesOf(page)).toMatchObject(notices);
  await see(page, 'visible');
  await expect(page).toHaveTitle('Appearance · Muster');
  const notice = page.getByRole('alert').filter({ hasText: 'Update the pump has ended' });
  await expect(notice).toContainText('Result: failed');
  await expectAccessible(page);
  await notice.getByRole('link', { name: 'See the job' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Update the pump' })).toBeVisible();
});
