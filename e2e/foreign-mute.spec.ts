// The dashboard in front of a service that reports no outcome of its jobs, and knows their parts only in a list.
import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';
import { before } from './foreign/gateway.ts';
import { startMute } from './foreign/mute.ts';

const test = before(startMute);
test.use({ expectedConsole: [/status of 40[14]/] });

const title = (page: Page) => page.getByRole('heading', { level: 1 });
const parts = (page: Page) => page.getByRole('table', { name: 'Devices of this job' });

test('a job without an outcome is Finished everywhere, and nobody says that none failed @sweep', async ({
  signedIn: page,
  service,
}) => {
  await page.goto(`${service.url}/jobs`);
  await expect(page.getByRole('row', { name: /silent/ })).toContainText('Finished');
  await page.getByRole('link', { name: 'silent' }).click();
  await expect(title(page)).toHaveText('silent Finished');
  await expect(page.getByRole('region', { name: 'Progress' })).toContainText('Done on 3 devices');
  await expect(page.getByRole('region', { name: 'Progress' })).toContainText('3 finished');
  for (const name of ['mill-1', 'mill-3'])
    await expect(parts(page).getByRole('row', { name })).toContainText('Finished');
  await expect(page.getByRole('main')).not.toContainText(/succeeded|failed/i);
  await page.goto(service.url);
  // Of the other job the output of a part says that it failed.
  const failed = page.getByRole('region', { name: /^Failed/ });
  await expect(failed).toContainText('1 of 3 devices failed');
  await expect(failed).not.toContainText('silent');
  await expect(page.getByText('No job failed.')).toHaveCount(0);
});

test('what the output says is the outcome of a device, in its row, its log and the group of its failure @sweep', async ({
  signedIn: page,
  service,
}) => {
  await page.goto(`${service.url}/jobs/wordy`);
  await expect(title(page)).toHaveText('wordy Failed');
  await expect(page.getByRole('region', { name: 'Progress' })).toContainText(/1\sfailed, 1\ssucceeded, 1\sfinished/);
  await expect(page.getByRole('region', { name: 'Why it failed' })).toContainText('no space left on device');
  await parts(page).getByRole('link', { name: 'mill-2' }).click();
  const panel = page.getByRole('region', { name: 'Output of mill-2, panel' });
  await expect(panel).toContainText('error: no space left on device');
  await expect(panel).toContainText('Failed');
  // It cannot be read by itself: no link leads to a page that would say that there is no such job.
  await expect(panel.getByRole('link', { name: 'Open job' })).toHaveCount(0);
  // The list does not count them; once this page has, it shows the same.
  await page.getByRole('navigation').getByRole('link', { name: 'Jobs', exact: true }).first().click();
  await expect(page.getByRole('row', { name: /wordy/ })).toContainText('Failed');
});

test('a failed device is deployed to again from its output @sweep', async ({ signedIn: page, service, foreign }) => {
  await page.goto(`${service.url}/jobs/wordy`);
  await parts(page).getByRole('link', { name: 'mill-2' }).click();
  await page.getByRole('link', { name: 'Deploy again' }).click();
  // The service does not report what the job ran.
  await page.getByRole('combobox', { name: 'Artifact' }).click();
  await page.getByRole('option', { name: /mill\.tar\.gz 2/ }).click();
  await page.getByRole('button', { name: 'Deploy', exact: true }).click();
  await expect(title(page)).toContainText('mill.tar.gz 2 to mill-2');
  const sent = foreign.heard.filter(({ method, url }) => method === 'POST' && url === '/v1/job');
  expect(sent.map(({ body }) => JSON.parse(body.toString()) as unknown)).toEqual([
    { Name: 'mill.tar.gz 2 to mill-2', DeviceId: 'm2', ArtifactId: 'a2' },
  ]);
});

test('the failed devices of a job are retried by a job for each, with what is chosen @sweep', async ({
  signedIn: page,
  service,
  foreign,
}) => {
  await page.goto(`${service.url}/jobs/wordy`);
  await page.getByRole('button', { name: 'Retry the failed (1)…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Retry the failed: 1 device' });
  const retry = dialog.getByRole('button', { name: 'Retry on 1 device' });
  await expect(retry).toBeDisabled();
  await dialog.getByLabel('What to run').selectOption({ label: 'mill.tar.gz 2' });
  await retry.click();
  await expect(dialog.getByText('1 done.')).toBeVisible();
  const sent = foreign.heard.filter(({ method, url }) => method === 'POST' && url === '/v1/job');
  expect(sent.map(({ body }) => JSON.parse(body.toString()) as unknown)).toEqual([
    { Name: 'wordy', DeviceId: 'm2', ArtifactId: 'a2' },
  ]);
});
