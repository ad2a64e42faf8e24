// Rollouts: made from a group, watched wave by wave, stopped by a failure and by a device that does not come back.
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test } from './fixtures.ts';
import { before } from './foreign/gateway.ts';
import { startStrict } from './foreign/strict.ts';
import { devices, fleet, heading, lane, rollOut } from './rolled-out.ts';

const review = (page: Page) => page.getByRole('region', { name: 'Review' });

test('a deploy in waves shows who is in which before it begins, and each wave as it passes', async ({
  signedIn: page,
  service,
}) => {
  const { ArtifactId } = await fleet(service, 3);
  await page.goto(`${service.url}/rollouts`);
  await expect(page.getByText('No rollouts yet')).toBeVisible();
  await expectAccessible(page);
  await page.goto(`${service.url}/deploy?group=hall&artifact=${ArtifactId}&waves=on`);
  await page.getByRole('button', { name: '1 device, 10, 100 %' }).click();
  await page.getByRole('button', { name: 'Remove wave 2' }).click();
  await page.getByLabel('And Online again for, in minutes').fill('0');
  const plan = review(page).getByRole('list', { name: 'Planned waves' });
  await expect(plan.getByRole('listitem')).toHaveText([/^Wave 1 1 device/, /^Wave 2 2 devices/]);
  await plan.getByText('Wave 2').click();
  await expect(plan).toContainText(/unit \d, unit \d/);
  await expectAccessible(page);
  await page.getByLabel(/to confirm a rollout/).fill('3');
  await page.getByRole('button', { name: 'Roll out to 3 devices' }).click();
  await expect(heading(page)).toContainText('Succeeded');
  await expect(lane(page, 1)).toContainText('Passed');
  await expect(lane(page, 2)).toContainText('Passed');
  await expect(devices(page).getByRole('row')).toHaveCount(4);
  await expectAccessible(page);
});

test('a failure pauses it before the others are reached; a retry lets it go on', async ({
  signedIn: page,
  service,
}) => {
  const made = await fleet(service, 2);
  const { writeFile, rm } = await import('node:fs/promises');
  await writeFile(made.broken, '');
  await page.goto(`${service.url}/rollouts/${await rollOut(service, made)}`);
  await expect(heading(page)).toContainText('Paused');
  // The figures in it are of that time.
  await expect(page.getByText(/^Paused at .*\d:\d\d.*: Wave 1: 1 of 1 device failed\.$/)).toBeVisible();
  await expect(lane(page, 2)).toContainText('Not begun');
  await rm(made.broken);
  await page.getByRole('button', { name: 'Retry failed…' }).click();
  await page.getByLabel('Reason').fill('room was made');
  await page.getByRole('button', { name: 'Retry failed', exact: true }).click();
  await expect(heading(page)).toContainText('Succeeded');
  await expect(page.getByRole('list', { name: 'History' })).toContainText(/Retried: room was made/);
});

test('a group of failures says why, and just its devices try again', async ({ signedIn: page, service }) => {
  const made = await fleet(service, 2);
  const { writeFile, rm } = await import('node:fs/promises');
  await writeFile(made.broken, '');
  await page.goto(`${service.url}/rollouts/${await rollOut(service, made)}`);
  await expect(heading(page)).toContainText('Paused');
  const failed = devices(page).getByRole('row').filter({ hasText: 'Failed' });
  await expect(failed).toContainText('exit code 28');
  await rm(made.broken);
  await page.getByRole('button', { name: /no room/ }).click();
  await page.getByRole('button', { name: 'Retry these 1…' }).click();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Retry on 1 device' }).click();
  await expect(heading(page)).toContainText('Succeeded');
});

test.describe('two people', () => {
  test.use({ expectedConsole: [/status of 409/] });

  test('a step on an outdated page is refused with what somebody else did', async ({ signedIn: page, service }) => {
    const id = await rollOut(service, await fleet(service, 2, 0));
    await page.goto(`${service.url}/rollouts/${id}`);
    await expect(lane(page, 1)).toContainText('Waiting');
    await page.getByRole('button', { name: 'Abort…' }).click();
    const { Version } = await service.call<{ Version: number }>('GET', `/v1/rollout/${id}`);
    await service.call('POST', `/v1/rollout/${id}/pause`, { Version });
    await page.getByRole('dialog').getByRole('button', { name: 'Abort', exact: true }).click();
    await expect(page.getByRole('dialog').getByRole('alert')).toContainText(/changed meanwhile.*Paused, by/);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Abort…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Abort', exact: true }).click();
    await expect(heading(page)).toContainText('Aborted');
    await expect(lane(page, 1)).toContainText('Cancelled');
  });
});

test.describe('in front of another service', () => {
  const foreignTest = before(startStrict);
  foreignTest(
    'pages say that it has no rollouts, views and outcome rules, and do not ask for them',
    async ({ signedIn: page, service }) => {
      const asked: string[] = [];
      page.on('request', (request) => {
        const { pathname } = new URL(request.url());
        if (/^\/v1\/(rollout|views|rules)/.test(pathname)) asked.push(pathname);
      });
      await page.goto(`${service.url}/rollouts`);
      await expect(page.getByText('This service has no rollouts')).toBeVisible();
      await page.goto(`${service.url}/deploy`);
      await expect(page.getByRole('heading', { name: '3. Name' })).toBeVisible();
      await expect(page.getByText('Roll out in waves')).toHaveCount(0);
      await page.goto(`${service.url}/devices`);
      await page.getByRole('button', { name: /^View:/ }).click();
      await expect(page.getByText('This service does not store views. Copy a link to keep this one.')).toBeVisible();
      expect(asked).toEqual([]);
    },
  );
});
