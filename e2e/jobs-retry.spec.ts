// A job that failed on one device is tried again from its own page.
import type { Page } from '@playwright/test';
import { expect, test, type Service } from './fixtures.ts';
import { heading, jobs, log, script, submit, jobSandbox } from './job-sandbox.ts';

/** A device, and an artifact that fails there until the sandbox is opened. */
async function update(service: Service) {
  const sandbox = await jobSandbox(service);
  const open = `[ -e '${sandbox.folder}/room' ] || { echo 'no room' >&2; exit 28; }`;
  const ArtifactId = await script(service, sandbox, 'update.sh', open, 'echo installed');
  const { DeviceId, DeviceKey } = await service.createDevice('mill', 'hall');
  await service.agent(DeviceKey);
  return { sandbox, DeviceId, ArtifactId };
}

async function retry(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Retry…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Retry on 1 device' }).click();
}

/** A job of one device that failed, retried from its page with success. */
async function retriedSingle(page: Page, service: Service) {
  const { sandbox, DeviceId, ArtifactId } = await update(service);
  const failed = await submit(service, { Name: 'Update', DeviceId, ArtifactId });
  await page.goto(`${service.url}/jobs/${failed}`);
  await expect(heading(page)).toHaveText('Update Failed');
  await sandbox.open('room');
  await retry(page);
  await expect(heading(page)).toHaveText('Update Succeeded');
  return failed;
}

test('a child that is retried on its own page becomes the next attempt in its parent', async ({
  signedIn: page,
  service,
}) => {
  const { sandbox, ArtifactId } = await update(service);
  const parent = await submit(service, { Name: 'Update', DeviceGroup: 'hall', ArtifactId });
  await page.goto(`${service.url}/jobs/${parent}`);
  await expect(heading(page)).toHaveText('Update Failed');
  await page.getByRole('table', { name: 'Devices of this job' }).getByRole('link', { name: 'mill' }).click();
  await page.getByRole('link', { name: 'Open job' }).click();
  await sandbox.open('room');
  await retry(page);
  await expect(heading(page)).toHaveText('Update Succeeded');
  await expect(log(page, 'mill')).toContainText('installed');
  expect(await jobs(service)).toHaveLength(1);
  await page.getByRole('link', { name: 'All devices of this job' }).click();
  await expect(page.getByRole('table', { name: 'Devices of this job' })).toContainText(/Succeeded\s*attempt 2/);
});

test('from a single job that failed, two clicks lead to the log of its retry', async ({ signedIn: page, service }) => {
  await retriedSingle(page, service);
  await expect(log(page, 'mill')).toContainText('installed');
});

test('a single job that is retried stays one row, whose page has both attempts', async ({
  signedIn: page,
  service,
}) => {
  const failed = await retriedSingle(page, service);
  await page.getByRole('navigation').getByRole('link', { name: 'Jobs', exact: true }).first().click();
  const row = page.getByRole('table', { name: 'Jobs' }).getByRole('row', { name: /Update/ });
  await expect(row).toHaveCount(1);
  await expect(row).toContainText('mill');
  await expect(row).toContainText('attempt 2');
  await row.getByRole('link', { name: 'Update' }).click();
  await expect(heading(page)).toHaveText('Update Succeeded');
  await page.getByRole('table', { name: 'Devices of this job' }).getByRole('link', { name: 'mill' }).click();
  const attempts = page.getByRole('navigation', { name: 'Attempts' });
  await attempts.getByRole('link', { name: 'Attempt 1' }).click();
  await expect(log(page, 'mill')).toContainText('no room');
  // The address of the first attempt still leads to it.
  await page.goto(`${service.url}/jobs/${failed}`);
  await expect(heading(page)).toHaveText('Update Failed');
  await expect(page.getByRole('link', { name: 'All devices of this job' })).toBeVisible();
});
