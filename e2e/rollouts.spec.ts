// Rollouts: created for a group, watched wave by wave, paused by a failure and retried.
import { rm, writeFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test } from './fixtures.ts';
import { devices, fleet, heading, lane, rollOut } from './rolled-out.ts';

const planned = (page: Page) => page.getByRole('list', { name: 'Planned waves' });

test('a rollout shows the devices of each wave before it starts, each wave as it passes, and its waves in the list of jobs', async ({
  signedIn: page,
  service,
}) => {
  const { ArtifactId } = await fleet(service, 3);
  await page.goto(`${service.url}/rollouts`);
  await expect(page.getByText('No rollouts yet')).toBeVisible();
  await expectAccessible(page);
  await page.goto(`${service.url}/deploy?group=hall&artifact=${ArtifactId}&waves=on`);
  await page.getByRole('button', { name: 'Canary by hand' }).click();
  await expect(page.getByLabel('Devices of wave 1')).toHaveValue(/^unit \d$/);
  await page.getByLabel('Require approval before each wave').uncheck();
  await page.getByText('Passes at 95 %').click();
  await page.getByLabel('Online again for (minutes)').fill('0');
  const plan = planned(page);
  await expect(plan.getByRole('listitem')).toHaveText([/^Wave 1 · 1 device/, /^Wave 2 · up to 100 % · 2 devices/]);
  await plan.getByText('Wave 2').click();
  await expect(plan).toContainText(/unit \d, unit \d/);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Roll out to 3 devices' }).click();
  await expect(heading(page)).toContainText('Succeeded');
  await expect(lane(page, 1)).toContainText('Passed');
  await expect(lane(page, 2)).toContainText('Passed');
  await expect(devices(page).getByRole('row')).toHaveCount(4);
  await expectAccessible(page);

  // One row for the whole rollout, which opens to the jobs of its waves.
  await page.goto(`${service.url}/jobs`);
  const name = 'myapp.sh 2.0.0 to group hall';
  const jobs = page.getByRole('table', { name: 'Jobs' });
  await expect(jobs.getByRole('link')).toHaveText([name]);
  const opener = jobs.getByRole('button', { name: `2 waves of ${name}` });
  await opener.press('Enter');
  await expect(jobs.getByRole('link')).toHaveText([name, 'Wave 2 of 2', 'Wave 1 of 2']);
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await jobs.getByRole('link', { name: `${name}, wave 2 of 2` }).click();
  await expect(heading(page)).toContainText('wave 2 of 2');
});

test('a deploy in waves needs no scrolling; their ends move on one bar, whose parts show their devices and those Offline', async ({
  signedIn: page,
  service,
}) => {
  const { ArtifactId } = await fleet(service, 10, 0);
  await page.setViewportSize({ width: 1360, height: 900 });
  await page.goto(`${service.url}/deploy?group=hall&artifact=${ArtifactId}&waves=on`);
  await expect(planned(page).getByRole('listitem')).toHaveText([
    /1 not online/,
    /Wave 2/,
    /4 not online/,
    /5 not online/,
  ]);
  const review = page.getByRole('region', { name: 'Review' });
  await expect(review.getByRole('list', { name: 'When each wave starts' }).getByRole('listitem')).toHaveText([
    /^Now: 1 device \(unit \d+\)$/,
    'After ≥ 95 % and 5 min online: 4 · 5 devices',
  ]);
  await expect(review).toContainText('at the earliest.');
  await expect(review).not.toContainText('earlier jobs are done');
  await expect(review.getByRole('columnheader', { name: 'Wave' })).toBeVisible();
  for (const name of ['Passes at 95 %', 'Roll out to 10 devices'])
    await expect(page.getByText(name)).toBeInViewport({ ratio: 1 });
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(900);

  await page.goto(`${service.url}/deploy?group=hall&artifact=${ArtifactId}`);
  await page.getByRole('heading', { name: 'Safety' }).click();
  await page.getByRole('button', { name: '1 · 10 · 50 · 100 %' }).click();
  const parts = planned(page).getByRole('listitem');
  await page.getByRole('button', { name: 'Remove wave 1' }).click();
  await expect(parts).toHaveText([
    /^Wave 1 · up to 10 % · 1 device, 1 not online/,
    /^Wave 2 · up to 50 % · 4 devices, 4 not online/,
    /^Wave 3 · up to 100 % · 5 devices, 5 not online/,
  ]);
  const first = page.getByRole('slider', { name: 'End of wave 1' });
  await first.focus();
  for (const key of ['PageUp', 'ArrowRight', 'ArrowLeft', 'PageUp']) await page.keyboard.press(key);
  await expect(first).toHaveAttribute('aria-valuetext', '30 %, 3 devices, 3 not online');
  await page.keyboard.press('End');
  await expect(first).toHaveAttribute('aria-valuenow', '49');

  const second = page.getByRole('slider', { name: 'End of wave 2' });
  const [from, bar] = await Promise.all([second.boundingBox(), page.getByTestId('waves').boundingBox()]);
  if (!from || !bar) throw new Error('the bar is not drawn');
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(bar.x + bar.width * 0.8, from.y, { steps: 4 });
  await page.mouse.up();
  await expect(second).toHaveAttribute('aria-valuetext', '80 %, 3 devices, 3 not online');
  await expectAccessible(page);
});

test('a failure pauses a rollout before it reaches other devices, and a retry continues it', async ({
  signedIn: page,
  service,
}) => {
  const made = await fleet(service, 2);
  await writeFile(made.broken, '');
  await page.goto(`${service.url}/rollouts/${await rollOut(service, made)}`);
  await expect(heading(page)).toContainText('Paused');
  // Its figures are from that time.
  await expect(page.getByText(/^Paused at .*\d:\d\d.*: 1 of 1 failed: no room\. Wave 1 cannot pass\.$/)).toBeVisible();
  await expect(lane(page, 2)).toContainText('Not started');
  await rm(made.broken);
  const decision = page.getByRole('region', { name: 'Decision' });
  await expect(decision.getByRole('listitem')).toContainText([
    'It runs the job again.',
    'No device of wave 1 is left: it passes without it, and wave 2 starts.',
    'Wave 1 ends as it is. 1 device follows.',
    'The rollout ends.',
  ]);
  await expectAccessible(page);
  await decision.getByRole('button', { name: 'Retry this one…' }).click();
  await page.getByLabel('Reason').fill('room was made');
  await page.getByRole('button', { name: 'Retry this one', exact: true }).click();
  await expect(heading(page)).toContainText('Succeeded');
  await expect(page.getByRole('list', { name: 'History' })).toContainText(/Retried: room was made/);
});

test('once the failed device is left out, the next wave begins by itself', async ({ signedIn: page, service }) => {
  const made = await fleet(service, 2);
  await writeFile(made.broken, '');
  await page.goto(`${service.url}/rollouts/${await rollOut(service, made)}`);
  await expect(heading(page)).toContainText('Paused');
  await rm(made.broken);
  await page.getByRole('button', { name: 'Leave it out…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Leave it out', exact: true }).click();
  await expect(heading(page)).toContainText('Succeeded');
  await expect(lane(page, 1)).toContainText('Left out 1');
  await expect(lane(page, 2)).toContainText('Succeeded 1');
});

test('a failure group says why its devices failed, and only they are retried', async ({ signedIn: page, service }) => {
  const made = await fleet(service, 2);
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

test('a failure group of one wave is compared with a healthy log of another, and its devices are left out', async ({
  signedIn: page,
  service,
}) => {
  const made = await fleet(service, 2);
  const [first, second] = made.units;
  const Waves = [{ DeviceIds: [first!.DeviceId] }, { DeviceIds: [second!.DeviceId] }];
  await page.goto(`${service.url}/rollouts/${await rollOut(service, made, { Waves, Advance: 'confirm' })}`);
  await expect(lane(page, 1)).toContainText('Succeeded 1');
  await writeFile(made.broken, '');
  // Only then the page has the version of the rollout that is advanced.
  await expect(page.getByText('Wave 2 is waiting for approval').first()).toBeVisible();
  await page.getByRole('button', { name: 'Advance…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Advance', exact: true }).click();
  const why = page.getByRole('region', { name: 'Why it failed' });
  await why.getByRole('button', { name: /no room/ }).click();
  const difference = why.getByRole('region', { name: 'Difference between unit 2 and unit 1' });
  await expect(difference).toContainText('Only here: no room');
  await expect(difference).toContainText('Only in the healthy log: installed');
  await expectAccessible(page);
  await why.getByText('End of the log', { exact: true }).click();
  await page.reload();
  await expect(why.getByRole('region', { name: 'End of the log of unit 2' })).toContainText('no room');
  await why.getByRole('button', { name: 'Add a tag…' }).click();
  await expect(page.getByRole('dialog')).toContainText('1 device');
  await page.keyboard.press('Escape');
  await why.getByRole('link', { name: 'Full log of unit 2' }).click();
  await expect(page.getByRole('region', { name: 'Output of unit 2, text' })).toContainText('no room');
  await page.goBack();
  await why.getByRole('button', { name: 'Leave it out…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Leave out 1 device' }).click();
  await expect(heading(page)).toContainText('Succeeded');
  await expect(lane(page, 2)).toContainText('Left out 1');
});

test.describe('two people', () => {
  test.use({ expectedConsole: [/status of 409/] });

  test('an action on an outdated page is refused, with what somebody else did', async ({ signedIn: page, service }) => {
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
