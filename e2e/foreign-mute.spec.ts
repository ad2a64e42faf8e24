// The dashboard in front of a service that reports no outcome of its jobs, and knows their parts only in a list.
import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';
import { before } from './foreign/gateway.ts';
import { startMute } from './foreign/mute.ts';

const test = before(startMute);
test.use({ expectedConsole: [/status of 40[14]/] });

const title = (page: Page) => page.getByRole('heading', { level: 1 });
const parts = (page: Page) => page.getByRole('table', { name: 'Devices of this job' });

test('a job without an outcome is Finished everywhere, and nobody says that none failed', async ({
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

test('what the output says is the outcome of a device, in its row, its log and the group of its failure', async ({
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

test('a failed part is retried as a job of its own, with what the user chooses', async ({
  signedIn: page,
  service,
  foreign,
}) => {
  await page.goto(`${service.url}/jobs/wordy`);
  await page
    .getByRole('button', { name: /^Retry/ })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('Choose what this job ran.');
  await dialog.getByRole('combobox', { name: 'Artifact' }).selectOption({ value: 'a2' });
  await dialog.getByRole('button', { name: 'Retry on 1 device' }).click();
  await expect(dialog).toContainText('1 done');
  const sent = foreign.heard.filter(({ method, url }) => method === 'POST' && url === '/v1/job');
  expect(sent.map(({ body }) => JSON.parse(body.toString()) as unknown)).toEqual([
    { Name: 'wordy retry', ArtifactId: 'a2', DeviceId: 'm2' },
  ]);
});

test('a retry of what this browser submitted has its artifact chosen', async ({ signedIn: page, service, foreign }) => {
  await page.goto(`${service.url}/deploy?device=m1&artifact=a2`);
  await page.getByRole('button', { name: 'Deploy', exact: true }).click();
  await expect(title(page)).toContainText('Finished');
  await page.reload();
  await page.getByRole('button', { name: 'Retry…' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('combobox', { name: 'Artifact' })).toHaveValue('a2');
  await expect(dialog).toContainText('This browser submitted it.');
  await dialog.getByRole('button', { name: 'Retry on 1 device' }).click();
  await expect(title(page)).toContainText('retry Finished');
  const sent = foreign.heard.filter(({ method, url }) => method === 'POST' && url === '/v1/job');
  expect(sent.map(({ body }) => (JSON.parse(body.toString()) as { ArtifactId: string }).ArtifactId)).toEqual([
    'a2',
    'a2',
  ]);
});
