// Executed jobs leave the service: archived in the browser or as a file first, then deleted, then found again by a word of
// their logs. With real agents.
import { readFile } from 'node:fs/promises';
import { expect, expectAccessible, test } from './fixtures.ts';
import { heading, jobs, log, script, statusOf, submit, jobSandbox } from './job-sandbox.ts';

test.describe('what is executed', () => {
  // The browser itself reports the request that the test cuts.
  test.use({ expectedConsole: [/net::ERR_|status of 404/] });

  test('is archived, deleted job by job, and found again by a word of its log @main', async ({
    signedIn: page,
    service,
  }) => {
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
    const table = page.getByRole('table', { name: 'Jobs' });
    const row = (name: string) => table.getByRole('row', { name: new RegExp(name) });
    await expect(row('Roll out')).toContainText(/Failed1.failed, 1.succeeded/);

    // The legend says the same with shapes; Escape takes it away.
    await page.getByRole('button', { name: /^Outcome of Roll out 2\.4: 1.failed, 1.succeeded$/ }).focus();
    await expect(page.getByRole('tooltip')).toHaveText('Failed150%Succeeded150%');
    await page.keyboard.press('Escape');
    await expect(page.getByRole('tooltip')).toBeHidden();

    // Selected with the keys and the mouse, in the way of the device table.
    await row('Asleep').getByRole('checkbox').check();
    await row('Roll out')
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] });
    const bar = page.getByRole('region', { name: 'Selected jobs' });
    await expect(bar).toContainText('3 selected · 1 wait or run');
    await row('Cut off').getByRole('link', { name: 'Cut off' }).focus();
    await page.keyboard.press('x');
    await expect(bar).toContainText('2 selected');
    await page.keyboard.press('x');

    // The output of one of them cannot be read: that one stays where it is.
    await page.route(`**/v1/job/${cut}`, (route) => route.abort('connectionreset'));
    await bar.getByRole('button', { name: 'Archive and delete…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Archive executed jobs' });
    await expect(dialog).toContainText('2 executed jobs of those selected; 1 that wait or run are left alone.');
    const go = dialog.getByRole('button', { name: 'Archive and delete' });
    await expect(go).toBeDisabled();
    await expect(dialog).toContainText('Type 2 first.');
    await dialog.getByLabel('Type 2 to confirm').fill('2');
    await go.click();
    await expect(dialog.getByRole('status')).toHaveText('1 deleted, 1 failed.', { timeout: 30_000 });
    await expect(dialog.getByRole('row', { name: /Cut off Failed The service cannot be reached/ })).toBeVisible();
    expect((await jobs(service)).map(({ JobId }) => JobId).sort()).toEqual([cut, waiting].sort());
    await expect(service.call('GET', `/v1/job/${group}`)).rejects.toThrow('404');

    await dialog.getByRole('link', { name: 'Open the archive' }).click();
    await expect(heading(page)).toHaveText('Archive');
    const archive = page.getByRole('table', { name: 'Archived jobs' });
    await expect(archive.getByRole('link', { name: 'Roll out 2.4' })).toBeVisible();
    await expect(archive).not.toContainText('Cut off');
    await page.getByLabel('Find in names, devices and logs').fill('NO SPACE LEFT');
    await expect(archive).toContainText('In the output of 1 device');
    await expect(page).toHaveURL(/find=NO/);
    await expectAccessible(page);
    await archive.getByRole('link', { name: /unit-two No space left/ }).click();
    await expect(heading(page)).toHaveText('Roll out 2.4 Failed');
    await expect(log(page, 'unit-two')).toContainText('checking two');
    await expect(log(page, 'unit-two')).toContainText('No space left on /data');
    await page.getByRole('link', { name: 'unit-one' }).click();
    await expect(log(page, 'unit-one')).toHaveText('checking oneinstalled');
    await expectAccessible(page);

    // It is in the browser: a reload finds it, and nothing of its artifact's token came along.
    await page.reload();
    await expect(log(page, 'unit-one')).toHaveText('checking oneinstalled');
    await page.getByText('Command', { exact: true }).click();
    await expect(page.getByLabel('Command')).toContainText('••••••••');
    await page.getByRole('button', { name: 'Delete from the archive…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(page.getByText('Nothing is archived in this browser')).toBeVisible();
  });
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
