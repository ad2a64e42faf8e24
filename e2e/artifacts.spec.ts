// Artifacts: both types, by drop and by Browse; what is refused and why; the registry with search, details and delete.
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from './fixtures.ts';
import {
  browse,
  checks,
  drop,
  finding,
  form,
  listed,
  namesOf,
  openArtifacts,
  packed,
  saved,
  stored,
  uploadButton,
} from './uploads.ts';

const run = promisify(execFile);

test('a tar.gz that is dropped on the page is checked, uploaded and listed', async ({ signedIn: page, service }) => {
  await openArtifacts(page, service);
  await expect(page.getByText('No artifacts yet')).toBeVisible();
  await drop(
    page,
    await packed(service, 'myapp_1.2.0.tar.gz', { 'update.sh': '#!/bin/sh\necho installed\n', 'app/bin': 'x' }),
  );

  await expect(form(page).getByText('myapp_1.2.0.tar.gz')).toBeVisible();
  await expect(finding(page, 'Fine').first()).toHaveText('2 files, 10 kB unpacked');
  await expect(checks(page)).toContainText('update.sh is at the root');
  await expect(finding(page, 'Error')).toHaveCount(0);
  await expect(form(page).getByRole('radio', { name: 'tar.gz' })).toBeChecked();
  await expect(form(page).getByLabel('Version')).toHaveValue('1.2.0');
  await expect(form(page).getByLabel('Command')).toBeHidden();
  await uploadButton(page).click();

  await expect(stored(page)).toContainText('myapp_1.2.0.tar.gz 1.2.0');
  const row = page.getByRole('table', { name: 'Artifacts' }).getByRole('row', { name: /myapp_1\.2\.0/ });
  await expect(row).toContainText('tar.gz');
  await expect(page.getByRole('link', { name: 'Deploy it' })).toBeFocused();
  await page.getByRole('link', { name: 'Deploy it' }).click();
  await expect(page).toHaveURL(/\/deploy\?artifact=/);
});

test('a script is uploaded with where it goes and what runs it, and its Command does just that', async ({
  signedIn: page,
  service,
}) => {
  const device = await service.folder('device');
  await openArtifacts(page, service);
  await browse(page, await saved(service, 'set up-2.0.sh', '#!/bin/sh\necho "set up with $1"\n'));
  await expect(form(page).getByRole('radio', { name: 'Script' })).toBeChecked();
  await expect(form(page).getByLabel('Version')).toHaveValue('2.0');
  await expect(form(page).getByLabel('Command')).toHaveValue(`./'set up-2.0.sh'`);

  // What is missing is said at the field, and nothing is sent.
  await uploadButton(page).click();
  await expect(form(page).getByLabel('Destination folder')).toHaveAccessibleDescription(/Destination folder/);
  await expect(form(page).getByLabel('Destination folder')).toHaveAttribute('aria-invalid', 'true');
  expect(await namesOf(service)).toEqual([]);

  await form(page).getByLabel('Destination folder').fill(`${device}/opt/it's here`);
  await form(page).getByLabel('Command').fill(`./'set up-2.0.sh' care`);
  await uploadButton(page).click();
  await expect(stored(page)).toBeVisible();

  const [artifact] = (await listed(service)) ?? [];
  const { stdout } = await run('sh', ['-c', artifact?.Command ?? 'exit 9']);
  expect(stdout).toBe('set up with care\n');
  expect(await readdir(`${device}/opt/it's here`)).toEqual(['set up-2.0.sh']);
});

test('a file of 10 MB or more is refused before a byte of it is sent', async ({ signedIn: page, service }) => {
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(`${request.method()} ${request.url()}`);
  });
  await openArtifacts(page, service);
  await browse(page, await saved(service, 'image_7.tar.gz', Buffer.alloc(10 * 1024 * 1024)));
  await expect(finding(page, 'Error')).toContainText(
    'The file has 10 MB, but an artifact must be smaller than 10 MBLeave out what devices do not need',
  );
  await expect(uploadButton(page)).toBeDisabled();
  await form(page).getByLabel('Version').fill('7');
  await page.keyboard.press('Enter');
  await expect(form(page)).toBeVisible();
  expect(sent).toEqual([]);

  // Another file takes its place, and the version that was typed stays.
  await form(page).getByLabel('Version').fill('8-beta');
  await browse(page, await packed(service, 'small.tar.gz', { 'update.sh': '#!/bin/sh\n' }));
  await expect(uploadButton(page)).toBeEnabled();
  await expect(form(page).getByLabel('Version')).toHaveValue('8-beta');
});

test('what is in the file is checked, and each fault is told with what to do', async ({ signedIn: page, service }) => {
  await openArtifacts(page, service);

  await drop(page, await saved(service, 'notes.tar.gz', 'just some text\n'));
  await expect(finding(page, 'Error')).toContainText('notes.tar.gz is not a tar.gz');
  await expect(uploadButton(page)).toBeDisabled();
  await expect(uploadButton(page)).toHaveAttribute('title', /has errors/);

  await drop(page, await packed(service, 'readme.tar.gz', { 'README.md': 'hello', 'bin/tool': 'x' }));
  await expect(finding(page, 'Error')).toHaveText(/There is no update\.sh in the archive.*Devices run update\.sh/);
  await expect(uploadButton(page)).toBeDisabled();

  // Line ends of Windows are a warning: an interpreter may want them.
  await drop(page, await packed(service, 'win_1.0.tar.gz', { 'update.sh': '#!/bin/sh\r\necho hi\r\n' }));
  await expect(finding(page, 'Warning')).toHaveText(/update\.sh has Windows line ends \(CRLF\).*sed -i/);
  await expect(finding(page, 'Error')).toHaveCount(0);
  await expect(uploadButton(page)).toBeEnabled();

  const two = await packed(service, 'two.tar.gz', { 'update.sh': '#!/bin/sh\n' });
  await drop(page, two, two);
  await expect(page.getByRole('alert')).toHaveText('Drop one file at a time.');
  await expect(form(page).getByText('win_1.0.tar.gz')).toBeVisible();

  await page.getByRole('button', { name: 'Discard' }).click();
  await expect(form(page)).toBeHidden();
  expect(await namesOf(service)).toEqual([]);
});

test('search stands in the URL; an artifact shows its Command with a hidden token, and is deleted', async ({
  signedIn: page,
  service,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await service.uploadScript('camera.sh', '#!/bin/sh\necho cam\n', '/opt/cam');
  await service.uploadScript('sensor.sh', '#!/bin/sh\necho sensor\n', '/opt/sensor');
  await openArtifacts(page, service);
  const rows = page.getByRole('table', { name: 'Artifacts' }).getByRole('row');
  await expect(rows).toHaveCount(3);
  await page.getByRole('searchbox', { name: 'Search by name' }).fill('SENS');
  await expect(rows).toHaveCount(2);
  await expect(page).toHaveURL(/\?name=SENS$/);
  await page.reload();
  await expect(rows).toHaveCount(2);

  // Details over the search; Back closes them and leaves the search alone.
  await page.getByRole('link', { name: 'sensor.sh', exact: true }).click();
  const details = page.getByRole('dialog', { name: 'sensor.sh 1.0.0' });
  await expect(details).toContainText('SHA-256');
  const sensor = ((await listed(service)) ?? []).find(({ Name }) => Name === 'sensor.sh');
  const command = sensor?.Command ?? '';
  const token = /url='[^']*?([\w-]{24,})'/.exec(command)?.[1] ?? '';
  expect(token).not.toBe('');
  const shown = details.getByLabel('Command', { exact: true });
  await expect(shown).toContainText('•••');
  await expect(shown).toContainText('/opt/sensor');
  await expect(shown).not.toContainText(token);
  await details.getByRole('button', { name: 'Copy command' }).click();
  await expect(details.getByRole('button', { name: 'Copied' })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(command);
  await page.goBack();
  await expect(details).toBeHidden();
  await expect(page).toHaveURL(/\?name=SENS$/);

  await page.getByRole('button', { name: 'Delete sensor.sh 1.0.0' }).click();
  const question = page.getByRole('dialog', { name: 'Delete artifact' });
  await expect(question).toContainText('sensor.sh 1.0.0 leaves the registry for good');
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect(await namesOf(service)).toHaveLength(2);
  await page.getByRole('button', { name: 'Delete sensor.sh 1.0.0' }).click();
  await question.getByRole('button', { name: 'Delete artifact' }).click();
  await expect(question).toBeHidden();
  await expect(page.getByText('No artifact is called “SENS”')).toBeVisible();
  expect(await namesOf(service)).toEqual(['camera.sh']);
  await page.getByRole('button', { name: 'Clear the search' }).click();
  await expect(rows).toHaveCount(2);
  await expect(page.getByRole('link', { name: 'camera.sh', exact: true })).toBeVisible();
});
