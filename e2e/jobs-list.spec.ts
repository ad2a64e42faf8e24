// Jobs from a workflow, and the list of jobs: searched, filtered and sorted.
import type { Page } from '@playwright/test';
import { expect, test, type Service } from './fixtures.ts';
import { deployButton, heading, jobs, jobSandbox, log, review, script, submit } from './job-sandbox.ts';

test('a workflow is defined, deployed and deleted', async ({ signedIn: page, service }) => {
  const { DeviceId, DeviceKey } = await service.createDevice('kiosk');
  await service.agent(DeviceKey);
  await page.goto(`${service.url}/workflows`);
  await page.getByRole('button', { name: 'Create workflow' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create workflow' });
  await dialog.getByLabel('Name').fill('say who you are');
  await dialog.getByRole('button', { name: 'Create workflow' }).click();
  await expect(dialog.getByLabel('Command')).toHaveAttribute('aria-invalid', 'true');
  await dialog.getByLabel('Command').fill("echo 'a kiosk'\nexit 4");
  await dialog.getByRole('button', { name: 'Create workflow' }).click();
  await expect(dialog).toBeHidden();

  await page.getByRole('link', { name: 'Deploy say who you are' }).click();
  await expect(page.getByRole('combobox', { name: 'Artifact or workflow' })).toHaveValue('say who you are');
  await page.getByRole('combobox', { name: 'Device' }).click();
  await page.getByRole('option', { name: /kiosk/ }).click();
  await expect(review(page).getByLabel('Command of the workflow')).toHaveText("echo 'a kiosk'\nexit 4");
  await deployButton(page).click();
  await expect(heading(page)).toHaveText('say who you are to kiosk Failed');
  await expect(page.getByText('Exit code4')).toBeVisible();
  await expect(log(page, 'kiosk')).toHaveText('a kiosk');
  expect((await jobs(service)).map(({ JobName }) => JobName)).toEqual(['say who you are to kiosk']);
  await expect(page.getByRole('link', { name: 'kiosk' })).toHaveAttribute('href', `/devices/${DeviceId}`);

  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Artifacts' }).click();
  await page.getByRole('navigation', { name: 'Artifacts' }).getByRole('link', { name: 'Workflows' }).click();
  await page.getByRole('button', { name: 'Delete say who you are' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete workflow' }).click();
  await expect(page.getByText('No workflows')).toBeVisible();
  expect((await service.call<unknown[] | null>('GET', '/v1/workflow')) ?? []).toEqual([]);
});

const rows = (page: Page) => page.getByRole('table', { name: 'Jobs' }).locator('tbody').getByRole('row');

/** Four jobs of two devices, of which one waits and two have failed. */
async function openFour(page: Page, service: Service): Promise<string> {
  const sandbox = await jobSandbox(service);
  const runner = await service.createDevice('runner');
  const sleeper = await service.createDevice('sleeper');
  const fine = await script(service, sandbox, 'fine.sh', 'true');
  const wrong = await script(service, sandbox, 'wrong.sh', 'exit 7');
  await service.agent(runner.DeviceKey);
  await submit(service, { Name: 'Nightly backup', DeviceId: sleeper.DeviceId, ArtifactId: fine });
  await submit(service, { Name: 'Nightly clean-up', DeviceId: runner.DeviceId, ArtifactId: wrong });
  await submit(service, { Name: 'Weekly report', DeviceId: runner.DeviceId, ArtifactId: wrong });
  await submit(service, { Name: 'Rotate keys', DeviceId: runner.DeviceId, ArtifactId: fine });
  await page.goto(`${service.url}/jobs`);
  await expect(rows(page).filter({ hasText: 'Rotate keys' })).toContainText('Succeeded');
  await expect(rows(page).filter({ hasText: 'Weekly report' })).toContainText('Failedexit code 7');
  await expect(rows(page).getByRole('link')).toHaveText([
    'Rotate keys',
    'Weekly report',
    'Nightly clean-up',
    'Nightly backup',
  ]);
  return runner.DeviceId;
}

test('jobs are searched by name and state, in the URL, for Back and reload', async ({ signedIn: page, service }) => {
  await openFour(page, service);
  await page.getByLabel('Name contains').fill('nightly');
  await expect(rows(page)).toHaveCount(2);
  await expect(page).toHaveURL(/\?name=nightly$/);
  await page.getByRole('combobox', { name: 'State' }).selectOption('Failed');
  await expect(rows(page).getByRole('link')).toHaveText(['Nightly clean-up']);
  await expect(page).toHaveURL(/\?name=nightly&state=Failed$/);
  await expect(page.getByRole('search', { name: 'Filter jobs' }).getByRole('status')).toHaveText('1 of 4 jobs');

  await page.getByRole('link', { name: 'Nightly clean-up' }).click();
  await expect(heading(page)).toContainText('Nightly clean-up Failed');
  await page.goBack();
  await expect(rows(page)).toHaveCount(1);
  await expect(page.getByLabel('Name contains')).toHaveValue('nightly');
  await page.reload();
  await expect(rows(page)).toHaveCount(1);
  await page.getByRole('combobox', { name: 'State' }).selectOption('Running');
  await expect(page.getByText('No job matches')).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(rows(page)).toHaveCount(4);
});

test('jobs are filtered by target and artifact, and sorted by any column', async ({ signedIn: page, service }) => {
  const runner = await openFour(page, service);
  await page.getByRole('combobox', { name: 'Target' }).click();
  await page.getByRole('option', { name: 'runner' }).click();
  await expect(rows(page)).toHaveCount(3);
  await page.getByRole('button', { name: 'Name', exact: true }).click();
  await expect(rows(page).getByRole('link')).toHaveText(['Nightly clean-up', 'Rotate keys', 'Weekly report']);
  await expect(page.getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'ascending');
  await expect(page).toHaveURL(new RegExp(`device=${runner}&sort=name$`));
  await page.getByRole('combobox', { name: 'Artifact' }).click();
  await page.getByRole('option', { name: /^wrong\.sh/ }).click();
  await expect(rows(page).getByRole('link')).toHaveText(['Nightly clean-up', 'Weekly report']);
});

test('a long list of jobs is read page by page, and what is looked for is found by the service', async ({
  signedIn: page,
  service,
}) => {
  const sandbox = await jobSandbox(service);
  const { DeviceId } = await service.createDevice('sleeper');
  const ArtifactId = await script(service, sandbox, 'fine.sh', 'true');
  for (let n = 1; n <= 130; n++) await submit(service, { Name: `Job ${n}.`, DeviceId, ArtifactId });
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (request.method() === 'GET' && /^\/v1\/jobs?$/.test(pathname)) asked.push(pathname + search);
  });
  await page.goto(`${service.url}/jobs`);
  await expect(page.getByText('130 jobs', { exact: true })).toBeVisible();
  await expect(rows(page)).toHaveCount(100);
  await expect(rows(page).first()).toContainText('Job 130.');

  // What is submitted meanwhile comes by what has changed, as soon as the page hears of changes.
  await submit(service, { Name: 'The first to be heard of', DeviceId, ArtifactId });
  await expect.poll(() => asked.some((path) => path.includes('since='))).toBe(true);
  await expect(rows(page).first()).toContainText('The first to be heard of');
  const before = asked.length;
  await submit(service, { Name: 'The newest', DeviceId, ArtifactId });
  await expect(rows(page).first()).toContainText('The newest');
  expect(asked.slice(before).filter((path) => !path.includes('since='))).toEqual([]);

  await page.getByRole('textbox', { name: 'Name contains' }).fill('job 7.');
  await expect(rows(page).getByRole('link')).toHaveText(['Job 7.']);
  await page.getByRole('button', { name: 'Clear the name' }).click();
  await page.getByRole('button', { name: 'Show older jobs' }).click();
  await expect(page.getByRole('button', { name: 'Show older jobs' })).toBeHidden();
  await expect(rows(page)).toHaveCount(132);
  expect(asked.filter((path) => path.startsWith('/v1/job?') || path === '/v1/job')).toEqual([]);
});
