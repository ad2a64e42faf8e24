// Why a job failed, with real agents: groups of what the devices printed, and what is done to exactly one of them.
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';
import { heading, isJobPost, jobs, log, script, statusOf, submit, jobSandbox } from './job-sandbox.ts';

const why = (page: Page) => page.getByRole('region', { name: 'Why it failed' });
const groups = (page: Page) => why(page).getByRole('button', { expanded: false });
const group = (page: Page, text: RegExp) => why(page).getByRole('button', { name: text });

/** What each unit of the fleet does, by its number. */
const SCRIPT = [
  '[ "$UNIT" != 5 ] || exit 3',
  'echo "unit-$UNIT starts at $(date +%T)"',
  'echo "free: ${UNIT}00 kB"',
  'case "$UNIT-$(ls ROOM 2>/dev/null)" in',
  '1-) echo "write /data/$UNIT.img: No space left on device" >&2; exit 28;;',
  '2-*) printf "\\033[31mself test failed: bus 0x$UNIT answered after 5 s\\033[0m\\n" >&2; exit 1;;',
  '3-*) echo "./x.sh: line 9: self test failed: bus 0xa$UNIT answered after 17 s" >&2; exit 2;;',
  '4-*) echo "<img src=x onerror=alert(1)> failed" >&2; exit 1;;',
  '8-*) exit 4;;',
  'esac',
  'echo installed',
];

/** A group with these units, each with an agent unless it is away, and a job to all of them. */
async function update(service: Service, units: string[], away: string[] = []) {
  const sandbox = await jobSandbox(service);
  const lines = SCRIPT.map((line) => line.replace('ROOM', `'${sandbox.folder}/room'`));
  const artifact = await script(service, sandbox, 'update.sh', ...lines, sandbox.trace('installed on $UNIT'));
  const devices = new Map<string, { DeviceId: string; DeviceKey: string }>();
  for (const unit of [...units, ...away]) devices.set(unit, await service.createDevice(`unit-${unit}`, 'lab'));
  const start = (unit: string) => service.agent(devices.get(unit)?.DeviceKey ?? '', { env: { UNIT: unit } });
  await Promise.all(units.map(start));
  const parent = await submit(service, { Name: 'Update', DeviceGroup: 'lab', ArtifactId: artifact });
  return { sandbox, devices, start, parent };
}

const membersOf = (page: Page) => page.getByRole('table', { name: 'Devices of this group' }).getByRole('link');
const progressOf = (page: Page) => page.getByRole('region', { name: 'Progress' });

/** A job that two units failed for one reason and one for another, and its larger group opened. */
async function openGroup(page: Page, service: Service): Promise<void> {
  const { parent } = await update(service, ['2', '3', '4', '6']);
  await page.goto(`${service.url}/jobs/${parent}`);
  await expect(progressOf(page)).toContainText('Done on 4 devices');
  await group(page, /self test failed/).click();
  await expect(membersOf(page)).toHaveText(['unit-2', 'unit-3']);
}

test('the devices of a job that failed are grouped by what they printed', async ({ signedIn: page, service }) => {
  const { parent } = await update(service, ['1', '2', '3', '4', '5', '6', '8'], ['7']);
  await page.goto(`${service.url}/jobs/${parent}`);
  await expect(progressOf(page)).toContainText('7 of 8 devices done');
  await expect(progressOf(page)).toContainText('1 waiting for an offline device');
  await expect(why(page)).toContainText('6 devices in 5 groups');
  // The two that differ by numbers and a prefix are one group, the largest; the rest in the order they came.
  await expect(groups(page).first()).toContainText('2 ×self test failed: bus');
  await expect(group(page, /1 × write .*No space left on device.*exit 28/)).toBeVisible();
  await expect(group(page, /1 × No error message. Last line: free: 800 kB/)).toBeVisible();
  await expect(group(page, /1 × Said nothing, exit code 3/)).toBeVisible();
  await expect(group(page, /1 × <img src=x onerror=alert\(1\)> failed/)).toBeVisible();
});

test('a group shows how its log differs from a healthy one, and a reload shows the same', async ({
  signedIn: page,
  service,
}) => {
  await openGroup(page, service);
  await expect(page).toHaveURL(/failures=\w+/);
  const difference = page.getByRole('region', { name: 'Difference between unit-2 and unit-6' });
  await expect(page.getByText('The first 2 lines say the same on both, then they part.')).toBeVisible();
  await expect(difference).toContainText('Only here: self test failed: bus 0x2 answered after 5 s');
  await expect(difference).toContainText('Only in the healthy log: installed');
  await expectAccessible(page);
  await page.getByText('End of the log', { exact: true }).click();
  await expect(page.getByRole('region', { name: 'End of the log of unit-2' })).toContainText('self test failed');
  await page.reload();
  await expect(membersOf(page)).toHaveText(['unit-2', 'unit-3']);
  await membersOf(page).filter({ hasText: 'unit-3' }).click();
  await expect(log(page, 'unit-3')).toContainText('./x.sh: line 9: self test failed');
  await page.getByRole('button', { name: 'Close the output' }).click();
});

test('a device of a group leads to its log, by keyboard and pointer, and closing it leads back', async ({
  signedIn: page,
  service,
}) => {
  await openGroup(page, service);
  const link = membersOf(page).filter({ hasText: 'unit-3' });
  const ways = [() => link.press('Enter'), () => link.click()];
  for (const open of ways) {
    await open();
    await expect(page.getByRole('heading', { level: 2, name: 'unit-3' })).toBeFocused();
    await expect(log(page, 'unit-3')).toBeInViewport({ ratio: 0.9 });
    await page.getByRole('button', { name: 'Close the output' }).click();
    await expect(link).toBeFocused();
  }
});

test('exactly the devices of a group are exported as CSV', async ({ signedIn: page, service }) => {
  await openGroup(page, service);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const file = await readFile(await (await download).path(), 'utf8');
  expect(file.trim().split('\r\n')).toHaveLength(3);
  expect(file).toContain('unit-3,');
});

test('exactly the devices of a group are tagged, and selected in the device table', async ({
  signedIn: page,
  service,
}) => {
  await openGroup(page, service);
  await page.getByRole('button', { name: 'Add a tag…' }).click();
  const tagging = page.getByRole('dialog');
  await tagging.getByRole('combobox', { name: 'Tag' }).fill('bus');
  await tagging.getByRole('button', { name: 'Create and add to 2 devices' }).click();
  await expect(tagging).toContainText('2 done.');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Select', exact: true }).click();
  await page.getByRole('menuitem', { name: 'In the device table' }).click();
  for (const number of ['2', '3']) {
    const row = page.getByRole('table', { name: 'Devices', exact: true }).getByRole('row', { name: `unit-${number}` });
    await expect(row.getByRole('checkbox')).toBeChecked();
    await expect(row).toContainText('bus');
  }
  await expect(page.getByRole('region', { name: 'Selected devices' })).toContainText('2 selected');
});

/** Opens the retry of the one unit without room, after room was made. */
async function openRetry(page: Page, { sandbox, parent }: Awaited<ReturnType<typeof update>>, url: string) {
  await page.goto(`${url}/jobs/${parent}`);
  await group(page, /No space left/).click();
  await expect(membersOf(page)).toHaveText(['unit-1']);
  await sandbox.open('room');
  await page.getByRole('button', { name: 'Retry these 1…' }).click();
  return page.getByRole('dialog', { name: 'Retry this group: 1 device' });
}

test('only one group is retried, as the second attempt of the same job @main', async ({ signedIn: page, service }) => {
  const fleet = await update(service, ['1', '2', '6']);
  const dialog = await openRetry(page, fleet, service.url);
  const sent: string[] = [];
  page.on('request', (request) => void (isJobPost(request) && sent.push(request.postData() ?? '')));
  await expect(dialog).toContainText('The device tries again.');
  await dialog.getByRole('button', { name: 'Retry on 1 device' }).dblclick();
  await expect(dialog).toBeHidden();
  await expect(group(page, /No space left/)).toBeHidden();
  expect(sent.map((body) => JSON.parse(body) as object)).toEqual([
    { Name: 'Update', DeviceIds: [fleet.devices.get('1')?.DeviceId], RetryOf: fleet.parent },
  ]);
  // Its figures count the last attempt of each device, and both are there to be read.
  await expect(progressOf(page)).toContainText(/Done on 3 devices.*1.failed.*2.succeeded/);
  const table = page.getByRole('table', { name: 'Devices of this job' });
  await expect(table.getByRole('row')).toHaveCount(4);
  await expect(table.getByRole('row', { name: /unit-1/ })).toContainText(/Succeeded\s*attempt 2/);
  await table.getByRole('link', { name: 'unit-1' }).click();
  await expect(log(page, 'unit-1')).toContainText('installed');
  await page.getByRole('link', { name: 'Attempt 1' }).click();
  await expect(log(page, 'unit-1')).toContainText('No space left on device');
  expect(await jobs(service)).toHaveLength(1);
});

test('what still waits is taken back, and its device has nothing to do later', async ({ signedIn: page, service }) => {
  const { sandbox, start, parent } = await update(service, ['2', '6'], ['7']);
  await page.goto(`${service.url}/jobs/${parent}`);
  await page.getByRole('button', { name: 'Cancel the 1 that waits…' }).click();
  const cancel = page.getByRole('dialog', { name: 'Cancel where it waits: 1 device' });
  await expect(cancel.getByRole('listitem')).toHaveText(['unit-7']);
  await cancel.getByRole('button', { name: 'Cancel on 1 device' }).click();
  await expect(cancel).toContainText('1 done.');
  await cancel.getByRole('button', { name: 'Close', exact: true }).last().click();
  await expect(heading(page)).toContainText('Update Failed');
  await expect(progressOf(page)).toContainText(/Done on 3 devices.*1.cancelled/);
  await start('7');
  expect(await sandbox.traces()).not.toContain('installed on 7');
});

/** A click turns the order that is drawn. */
async function sortBy(page: Page, name: string, order: 'ascending' | 'descending'): Promise<void> {
  const head = page.getByRole('columnheader', { name, exact: true });
  await head.getByRole('button').click();
  await expect(head).toHaveAttribute('aria-sort', order);
}

test('devices of a job are found by what they printed, sorted, selected and retried, never twice', async ({
  signedIn: page,
  service,
}) => {
  const sandbox = await jobSandbox(service);
  const artifact = await script(service, sandbox, 'check.sh', 'echo "version 2.$UNIT"; exit "$((UNIT % 3))"');
  for (let unit = 1; unit <= 11; unit++) {
    const { DeviceId, DeviceKey } = await service.createDevice(`pump ${unit}`, 'field');
    await service.call('PATCH', `/v1/devices/${DeviceId}`, { CustomerSite: unit % 2 ? 'Kiel' : 'Oslo' });
    if (unit <= 4) await service.agent(DeviceKey, { env: { UNIT: String(unit) } });
  }
  const parent = await submit(service, { Name: 'Check', DeviceGroup: 'field', ArtifactId: artifact });
  await page.goto(`${service.url}/jobs/${parent}`);
  const table = page.getByRole('table', { name: 'Devices of this job' });
  const names = table.getByRole('link');
  await expect(page.getByRole('region', { name: 'Progress' })).toContainText('4 of 11 devices done');

  await page.getByLabel('Find in names and output').fill('VERSION 2.4');
  await expect(names).toHaveText(['pump 4']);
  await expect(page).toHaveURL(/name=VERSION/);
  await page.getByRole('button', { name: 'Clear the search' }).click();
  await sortBy(page, 'Exit code', 'ascending');
  await expect(names.first()).toHaveText('pump 3');
  await sortBy(page, 'Device', 'ascending');
  await sortBy(page, 'Device', 'descending');
  await expect(names.first()).toHaveText('pump 11');
  await expect(page).toHaveURL(/sort=-device/);
  await expect(table.getByRole('cell', { name: 'Kiel' }).first()).toBeVisible();

  // Two that failed and one where it still waits: that one is not ordered a second time.
  for (const name of ['pump 1', 'pump 2', 'pump 9'])
    await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).check();
  await expect(page.getByRole('region', { name: 'Selected devices' })).toContainText('3 selected');
  await page.getByRole('button', { name: 'Retry the selected (3)…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Retry the selected: 3 devices' });
  await expect(dialog).toContainText('2 of 3 devices try again.');
  await expect(dialog).toContainText('1 skipped: it has not ended there.');
  await dialog.getByLabel('Type 2 to confirm').fill('2');
  await dialog.getByLabel('Type 2 to confirm').press('Enter');
  await expect(dialog).toBeHidden();
  await expect(table.getByText('attempt 2')).toHaveCount(2);
  expect((await jobs(service)).length).toBe(1);
  expect(await statusOf(service, parent)).not.toBe('Succeeded');
});
