// What is said when a deployment has ended while nobody looks. The notices of the system need the whole browser.
import type { Page } from '@playwright/test';
import { launchOptions } from '../scripts/browser.ts';
import { expect, expectAccessible, test } from './fixtures.ts';
import { script, jobSandbox } from './job-sandbox.ts';

test.use({ launchOptions: launchOptions() });

/** What was shown of notices of the system: a browser without a screen shows none, but makes them all the same. */
const noticesOf = (page: Page) =>
  page.evaluate(() => (window as unknown as { notices: { title: string; body: string }[] }).notices);

test('a job that fails while the tab is hidden is reported in its title, by the system, and on the page to who comes back', async ({
  signedIn: page,
  service,
}) => {
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
  const sandbox = await jobSandbox(service);
  const { DeviceId, DeviceKey } = await service.createDevice('pump-7');
  await service.agent(DeviceKey);
  const ArtifactId = await script(service, sandbox, 'pump.sh', sandbox.gate('go'), 'exit 3');
  await service.call('POST', '/v1/job', { Name: 'Update the pump', DeviceId, ArtifactId });
  const see = (state: 'hidden' | 'visible') =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => value });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    }, state);
  await page.goto(`${service.url}/account`);
  const tell = page.getByRole('checkbox', { name: 'Tell me when a deployment has ended or failed' });
  await expect(tell).not.toBeChecked();
  const asked = () => page.evaluate(() => (window as unknown as { asked: number }).asked);
  // Nobody is asked before a click.
  expect(await asked()).toBe(0);
  await tell.click();
  await expect(tell).toBeChecked();
  expect(await asked()).toBe(1);
  let looks = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/v1/job')) looks += 1;
  });
  // What watches is fetched after the first picture: hidden again until it looks.
  await expect
    .poll(async () => {
      await see('visible');
      await see('hidden');
      return looks;
    })
    .toBeGreaterThan(0);
  await expect(page).toHaveTitle('Account · Muster');
  await sandbox.open('go');
  await expect(page).toHaveTitle('(1) Account · Muster', { timeout: 30_000 });
  expect(await noticesOf(page)).toMatchObject([{ title: 'Update the pump has ended', body: 'It came to: failed' }]);
  await see('visible');
  await expect(page).toHaveTitle('Account · Muster');
  const notice = page.getByRole('alert').filter({ hasText: 'Update the pump has ended' });
  await expect(notice).toContainText('It came to: failed');
  await expectAccessible(page);
  await notice.getByRole('link', { name: 'See the job' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Update the pump' })).toBeVisible();
});
