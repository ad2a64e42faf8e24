// Executed jobs leave the service: archived in the browser or as a file first, then deleted, then found again by a word of
// their logs. With real agents.
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';
import { heading, jobs, log, script, statusOf, submit, jobSandbox } from './job-sandbox.ts';

const row = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Jobs' }).getByRole('row', { name: new RegExp(name) });
const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Archive executed jobs' });

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

/** Archives and deletes what was executed, and opens the archive. */
async function archive(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Archive executed…' }).click();
  await dialogOf(page).getByLabel('Type 2 to confirm').fill('2');
  await dialogOf(page).getByRole('button', { name: 'Archive and delete' }).click();
  await expect(dialogOf(page).getByRole('status')).toHaveText('2 deleted.');
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

test.describe('when the output of one cannot be read', () => {
  // The browser itself reports the request that the test cuts.
  test.use({ expectedConsole: [/net::ERR_/] });

  test('that job is not deleted, and the others are archived and deleted @main', async ({
    signedIn: page,
    service,
  }) => {
    const { group, cut, waiting } = await openJobs(page, service);
    await page.getByRole('checkbox', { name: /^Select (this page|all)/ }).check();
    const bar = page.getByRole('region', { name: 'Selected jobs' });
    await page.route(`**/v1/job/${cut}`, (route) => route.abort('connectionreset'));
    await bar.getByRole('button', { name: 'Archive and delete…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Archive executed jobs' });
    await expect(dialog).toContainText('2 executed jobs of those selected; 1 that wait or run are left alone.');
    const go = dialog.getByRole('button', { name: 'Archive and delete' });
    await expect(go).toBeDisabled();
    await expect(dialog).toContainText('Type 2 first.');
    await dialog.getByLabel('Type 2 to confirm').fill('2');
    await go.click();
    await expect(dialog.getByRole('status')).toHaveText('1 deleted, 1 failed.');
    await expect(dialog.getByRole('row', { name: /Cut off Failed The service cannot be reached/ })).toBeVisible();
    expect((await jobs(service)).map(({ JobId }) => JobId).sort()).toEqual([cut, waiting].sort());
    await expect(service.call('GET', `/v1/job/${group}`)).rejects.toThrow('404');
    await dialog.getByRole('link', { name: 'Open the archive' }).click();
    const archived = page.getByRole('table', { name: 'Archived jobs' });
    await expect(archived.getByRole('link', { name: 'Roll out 2.4' })).toBeVisible();
    await expect(archived).not.toContainText('Cut off');
  });
});

test('an archived job is found by a word of its log, and read @main', async ({ signedIn: page, service }) => {
  await openJobs(page, service);
  await archive(page);
  const archived = page.getByRole('table', { name: 'Archived jobs' });
  await page.getByLabel('Find in names, devices and logs').fill('NO SPACE LEFT');
  await expect(archived).toContainText('In the output of 1 device');
  await expect(page).toHaveURL(/find=NO/);
  await expectAccessible(page);
  await archived.getByRole('link', { name: /unit-two No space left/ }).click();
  await expect(heading(page)).toHaveText('Roll out 2.4 Failed');
  await expect(log(page, 'unit-two')).toContainText('checking two');
  await expect(log(page, 'unit-two')).toContainText('No space left on /data');
  await page.getByRole('link', { name: 'unit-one' }).click();
  await expect(log(page, 'unit-one')).toHaveText('checking oneinstalled');
  await expectAccessible(page);
});

test('the archive outlasts a reload, hides the token of a command, and deletes a job', async ({
  signedIn: page,
  service,
}) => {
  await openJobs(page, service);
  await archive(page);
  await page.getByRole('link', { name: 'Roll out 2.4' }).click();
  await page.getByRole('link', { name: 'unit-one' }).click();
  await expect(log(page, 'unit-one')).toHaveText('checking oneinstalled');
  await page.reload();
  await expect(log(page, 'unit-one')).toHaveText('checking oneinstalled');
  await page.getByText('Command', { exact: true }).click();
  await expect(page.getByLabel('Command')).toContainText('••••••••');
  await page.getByRole('button', { name: 'Delete from the archive…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(page.getByRole('link', { name: 'Cut off' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Roll out 2.4' })).toHaveCount(0);
});

test('a ZIP file has it all, is deleted from the service only when it is safe, and is read back', async ({
  signedIn: page,
  service,
}) => {
  const sandbox = await jobSandbox(service);
  const { DeviceId, DeviceKey } = await service.createDevice('weighing/../bridge');
  const artifact = await script(service, sandbox, 'weigh.sh', 'echo "weighs 40 t"', 'echo overload >&2', 'exit 3');
  await service.agent(DeviceKey);
  const id = await submit(service, { Name: '../weigh <b>', DeviceId, ArtifactId: artifact });
  await expect.poll(() => statusOf(service, id)).toBe('Failed');

  await page.goto(`${service.url}/jobs?dialog=archive`);
  const dialog = page.getByRole('dialog', { name: 'Archive executed jobs' });
  await dialog.getByLabel('In this browser').uncheck();
  await dialog.getByLabel('As a ZIP file').check();
  await dialog.getByLabel('Ended more than this many days ago').fill('30');
  await expect(dialog).toContainText('No executed job is left to choose.');
  await dialog.getByLabel('Ended more than this many days ago').fill('0');
  await dialog.getByLabel('Type 1 to confirm').fill('1');
  await dialog.getByRole('button', { name: 'Archive and delete' }).click();
  await expect(dialog).toContainText('Save it, look that it is there, and then delete the jobs.');
  const saving = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Save the ZIP file' }).click();
  const download = await saving;
  expect(download.suggestedFilename()).toMatch(/^muster-archive-\d{4}-\d\d-\d\d\.zip$/);
  expect(await statusOf(service, id)).toBe('Failed');
  await dialog.getByRole('button', { name: 'Delete the job' }).click();
  await expect(dialog.getByRole('status')).toHaveText('1 deleted.');
  expect(await jobs(service)).toEqual([]);
  await dialog.getByRole('link', { name: 'Open the archive' }).click();

  const file = await download.path();
  const bytes = await readFile(file);
  for (const name of ['0001-weigh-b/job.json', '0001-weigh-b/00001-weighing-.-bridge.stderr.txt'])
    expect(bytes.includes(name)).toBe(true);
  await expect(page.getByText('Nothing is archived in this browser')).toBeVisible();
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Import…' }).click();
  await (await choosing).setFiles(file);
  await page.getByRole('link', { name: '../weigh <b>' }).click();
  await expect(heading(page)).toHaveText('../weigh <b> Failed');
  await expect(log(page, 'weighing/../bridge')).toContainText('weighs 40 t');
  await expect(log(page, 'weighing/../bridge')).toContainText('overload');
});
