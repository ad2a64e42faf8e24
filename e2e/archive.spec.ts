// Ended jobs leave the lists for the archive, where everybody finds them by any line of their output. With real agents.
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, expectAccessible, signIn, test, type Service } from './fixtures.ts';
import { heading, jobs, log, script, statusOf, submit, jobSandbox } from './job-sandbox.ts';

const row = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Jobs' }).getByRole('row', { name: new RegExp(name) });
const dialogOf = (page: Page) => page.getByRole('dialog', { name: /ended jobs$/ });
const archived = (page: Page) => page.getByRole('table', { name: 'Archived jobs' });
const selected = (page: Page) => page.getByRole('region', { name: 'Selected archived jobs' });

/** Two jobs that were executed and one that waits, in the list of jobs. */
async function openJobs(page: Page, service: Service) {
  const sandbox = await jobSandbox(service);
  const units = await Promise.all(['one', 'two'].map((name) => service.createDevice(`unit-${name}`, 'lab')));
  const sleeper = await service.createDevice('sleeper');
  const artifact = await script(
    service,
    sandbox,
    'update.sh',
    'echo "checking $UNIT"',
    '[ "$UNIT" != two ] || { echo "No space left on /data" >&2; exit 28; }',
    'echo installed',
  );
  const plain = await script(service, sandbox, 'plain.sh', 'echo a quiet evening');
  await Promise.all(
    units.map(({ DeviceKey }, place) => service.agent(DeviceKey, { env: { UNIT: ['one', 'two'][place] ?? '' } })),
  );
  const group = await submit(service, { Name: 'Roll out 2.4', DeviceGroup: 'lab', ArtifactId: artifact });
  const cut = await submit(service, { Name: 'Cut off', DeviceId: units[0]?.DeviceId ?? '', ArtifactId: plain });
  const waiting = await submit(service, { Name: 'Asleep', DeviceId: sleeper.DeviceId, ArtifactId: plain });
  await expect.poll(() => statusOf(service, cut)).toBe('Succeeded');
  await page.goto(`${service.url}/jobs`);
  await expect(row(page, 'Roll out')).toContainText(/Failed1.failed, 1.succeeded/);
  return { group, cut, waiting };
}

/** Archives what was executed, and opens the archive. */
async function archive(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Archive executed…' }).click();
  await dialogOf(page).getByRole('button', { name: 'Archive 2 jobs' }).click();
  await expect(dialogOf(page).getByText('2 done.')).toBeVisible();
  await dialogOf(page).getByRole('link', { name: 'Open the archive' }).click();
  await expect(heading(page)).toHaveText('Archive');
}

test('the legend of an outcome repeats it with shapes, and Escape closes it', async ({ signedIn: page, service }) => {
  await openJobs(page, service);
  await page.getByRole('button', { name: /^Outcome of Roll out 2\.4: 1.failed, 1.succeeded$/ }).focus();
  await expect(page.getByRole('tooltip')).toHaveText('Failed150%Succeeded150%');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('tooltip')).toBeHidden();
});

test('jobs are selected by mouse and by keyboard, as devices are', async ({ signedIn: page, service }) => {
  await openJobs(page, service);
  await row(page, 'Asleep').getByRole('checkbox').check();
  await row(page, 'Roll out')
    .getByRole('checkbox')
    .click({ modifiers: ['Shift'] });
  const bar = page.getByRole('region', { name: 'Selected jobs' });
  await expect(bar).toContainText('3 selected · 1 wait or run');
  await row(page, 'Cut off').getByRole('link', { name: 'Cut off' }).focus();
  await page.keyboard.press('x');
  await expect(bar).toContainText('2 selected');
  await page.keyboard.press('x');
});

test('two browsers see one archive, and what is restored returns to the list', async ({
  signedIn: page,
  service,
  browser,
}) => {
  const { group, cut, waiting } = await openJobs(page, service);
  const context = await browser.newContext();
  const other = await context.newPage();
  await signIn(other, service);
  await other.goto(`${service.url}/archive`);
  await expect(other.getByText('No job is archived')).toBeVisible();

  await page.getByRole('checkbox', { name: /^Select (this page|all)/ }).check();
  await page.getByRole('region', { name: 'Selected jobs' }).getByRole('button', { name: 'Archive…' }).click();
  await expect(dialogOf(page)).toContainText('2 jobs; 1 that wait or run are left alone.');
  await dialogOf(page).getByRole('button', { name: 'Archive 2 jobs' }).click();
  await expect(dialogOf(page).getByText('2 done.')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(row(page, 'Roll out')).toHaveCount(0);
  expect((await jobs(service)).map(({ JobId }) => JobId)).toEqual([waiting]);

  await expect(archived(other).getByRole('link', { name: 'Cut off' })).toBeVisible();
  await archived(other).getByRole('link', { name: 'Roll out 2.4' }).click();
  await other.getByRole('button', { name: 'Restore…' }).click();
  await dialogOf(other).getByRole('button', { name: 'Restore 1 job' }).click();
  await expect(dialogOf(other).getByText('1 done.')).toBeVisible();
  await context.close();
  await expect(row(page, 'Roll out')).toBeVisible();
  const ids = (await jobs(service)).map(({ JobId }) => JobId);
  expect([ids.includes(group), ids.includes(cut)]).toEqual([true, false]);
});

test('a search finds a line of output, and leads to it @main', async ({ signedIn: page, service }) => {
  await openJobs(page, service);
  await archive(page);
  await expectAccessible(page);
  await page.getByLabel('Find in names, commands and output').fill('NO SPACE LEFT');
  await expect(page.getByRole('status').filter({ hasText: '1 found in 2 jobs' })).toBeVisible();
  await expect(page).toHaveURL(/find=NO/);
  await expectAccessible(page);
  const hit = archived(page).getByRole('link', { name: /unit-two No space left on/ });
  await expect(hit).toHaveAttribute('title', 'unit-two, stderr, line 1');
  await hit.click();
  await expect(heading(page)).toHaveText(/Roll out 2\.4/);
  await expect(log(page, 'unit-two')).toContainText('No space left on /data');
  await expect(page).toHaveURL(/line=stderr\.1/);
  await page.goBack();
  await page.getByLabel('Find in names, commands and output').fill('no such text');
  await expect(page.getByText('Nothing found')).toBeVisible();
});

test('archived jobs are saved as a ZIP file, and deleted', async ({ signedIn: page, service }) => {
  await openJobs(page, service);
  await archive(page);
  await archived(page)
    .getByRole('row', { name: /Roll out/ })
    .getByRole('checkbox')
    .check();
  const saving = page.waitForEvent('download');
  await selected(page).getByRole('link', { name: 'Save as a ZIP file' }).click();
  const download = await saving;
  expect(download.suggestedFilename()).toMatch(/^muster-archive-\d{4}-\d\d-\d\d\.zip$/);
  const bytes = await readFile(await download.path());
  for (const name of ['0001-Roll-out-2.4/job.json', '0001-Roll-out-2.4/00002-unit-two.stderr.txt'])
    expect(bytes.includes(name)).toBe(true);
  expect(bytes.includes('Cut-off')).toBe(false);

  await selected(page).getByRole('button', { name: 'Delete…' }).click();
  await dialogOf(page).getByLabel('Type 1 to confirm').fill('1');
  await dialogOf(page).getByRole('button', { name: 'Delete 1 job' }).click();
  await expect(dialogOf(page).getByText('1 done.')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(archived(page).getByRole('link', { name: 'Roll out 2.4' })).toHaveCount(0);
  await expect(archived(page).getByRole('link', { name: 'Cut off' })).toBeVisible();
});

test('who is about to delete an ended job is offered to archive it', async ({ signedIn: page, service }) => {
  const { cut } = await openJobs(page, service);
  await page.goto(`${service.url}/jobs/${cut}?dialog=delete`);
  await page
    .getByRole('dialog', { name: 'Delete Cut off' })
    .getByRole('link', { name: /^Archive it instead/ })
    .click();
  await dialogOf(page)
    .getByRole('button', { name: /^Archive/ })
    .click();
  await expect(dialogOf(page).getByText('1 done.')).toBeVisible();
});
