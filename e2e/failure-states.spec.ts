// A state never hides that devices failed: in words wherever it is shown, whatever else waits, runs or has ended.
import { writeFile } from 'node:fs/promises';
import { expect, test } from './fixtures.ts';
import { fleet, heading, lane, rollOut } from './rolled-out.ts';

test('a job that waits for one device says how many failed, in the list, on its page and in the palette', async ({
  signedIn: page,
  service,
}) => {
  const { ArtifactId, broken } = await fleet(service, 3, 2);
  await writeFile(broken, '');
  const draft = { Name: 'Update', DeviceGroup: 'hall', ArtifactId };
  const { JobId } = await service.call<{ JobId: string }>('POST', '/v1/job', draft);
  await page.goto(`${service.url}/jobs/${JobId}`);
  await expect(heading(page)).toHaveText('Update Waiting · 2 failed');
  await expect(page).toHaveTitle('Update · Waiting · 2 failed · Muster');
  await page.goto(`${service.url}/jobs`);
  await expect(page.getByRole('table', { name: 'Jobs' }).getByRole('row', { name: 'Update' })).toContainText(
    'Waiting · 2 failed',
  );
  await page.setViewportSize({ width: 1360, height: 900 });
  const outcome = page
    .getByRole('button', { name: /^Outcome of Update/ })
    .locator('span')
    .last();
  await expect(outcome).toHaveText('1 waits for an offline device');
  expect(
    await outcome.evaluate((words) => [words.scrollWidth - words.clientWidth, words.scrollHeight - words.clientHeight]),
  ).toEqual([0, 0]);
  await page.goto(`${service.url}/artifacts`);
  await expect(page.getByRole('table', { name: 'Artifacts' })).toContainText('1 waiting · 2 failed');
  await page.goto(service.url);
  await expect(page.getByRole('region', { name: 'Running jobs' })).toContainText('2 of 3 done · 2 failed');
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('combobox').fill('Update');
  await expect(page.getByRole('option', { name: /Update/ }).first()).toContainText('Waiting · 2 failed');
});

test('a rollout that was advanced past a failure has ended, and its wave was advanced by hand', async ({
  signedIn: page,
  service,
}) => {
  const made = await fleet(service, 2);
  await writeFile(made.broken, '');
  const id = await rollOut(service, made);
  await page.goto(`${service.url}/rollouts/${id}`);
  for (const number of [1, 2]) {
    await expect(heading(page)).toContainText(`Paused · ${number} failed`);
    await expect(lane(page, number)).toContainText('Paused · 1 failed');
    const { Version } = await service.call<{ Version: number }>('GET', `/v1/rollout/${id}`);
    await service.call('POST', `/v1/rollout/${id}/advance`, { Version });
    await expect(lane(page, number)).toContainText('Advanced by hand · 1 failed');
  }
  await expect(heading(page)).toContainText('Ended · 2 failed');
  await expect(page).toHaveTitle(/ · Ended · 2 failed · Muster$/);
  await expect(page.getByText('All 2 waves have ended. 0 of 2 devices succeeded, 2 failed.')).toBeVisible();
  await page.goto(`${service.url}/rollouts`);
  await expect(page.getByRole('table', { name: 'Rollouts' })).toContainText('Ended · 2 failed');
});
