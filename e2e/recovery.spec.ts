// The service fails while a page loads for the first time: the page says so, and heals by itself when the service is well.
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';

test.use({ expectedConsole: [/status of 502|Failed to load resource/] });

const troubles = (page: Page) =>
  page
    .getByRole('main')
    .getByRole('alert')
    .filter({ hasText: /Could not load|Could not be (loaded|read)/i });

const PAGES: Record<string, (ids: { job: string; device: string }) => string> = {
  overview: () => '/',
  devices: () => '/devices',
  device: ({ device }) => `/devices/${device}`,
  artifacts: () => '/artifacts',
  workflows: () => '/workflows',
  jobs: () => '/jobs',
  job: ({ job }) => `/jobs/${job}`,
  archive: () => '/archive',
  activity: () => '/activity',
  tunnels: () => '/tunnels',
  settings: () => '/settings/usage',
};

for (const [name, pathOf] of Object.entries(PAGES))
  test(`the page "${name}" heals by itself after a 502 at its first load @sweep`, async ({
    signedIn: page,
    service,
  }) => {
    const { DeviceId: device } = await service.createDevice('pump-1', 'pumps');
    const ArtifactId = await service.uploadScript('run.sh', 'echo\n', '/tmp');
    const body = { Name: 'roll out', DeviceGroup: 'pumps', ArtifactId };
    const { JobId: job } = await service.call<{ JobId: string }>('POST', '/v1/job', body);
    await page.route('**/v1/**', (route) =>
      route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }),
    );
    await page.goto(service.url + pathOf({ job, device }));
    await expect(troubles(page).first()).toBeVisible();
    await page.unrouteAll({ behavior: 'wait' });
    await expect(troubles(page)).toHaveCount(0);
    await expect(page.getByRole('main').getByRole('status', { name: /^Loading/ })).toHaveCount(0);
  });

test('jobs are said to be missing, and not to be loading, while the account is read again', async ({
  signedIn: page,
  service,
}) => {
  let holding = false;
  let held = 0;
  const failed = { status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' };
  await page.route('**/v1/**', (route) => route.fulfill(failed));
  await page.route('**/v1/account', (route) => {
    if (!holding) return route.fulfill(failed);
    held++;
    return undefined;
  });
  await page.goto(`${service.url}/jobs`);
  await expect(troubles(page).first()).toBeVisible();
  holding = true;
  // After a failure the next read waits for up to a minute.
  await expect.poll(() => held, { timeout: 90_000 }).toBeGreaterThan(0);
  await expect(troubles(page).first()).toBeVisible();
});
