// Artifacts: both types, by drop and by Browse; what is refused and why; many at once.
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Page } from '@playwright/test';
import { expectBlocked, shownReason } from './blocked.ts';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';
import {
  browse,
  checks,
  drop,
  finding,
  form,
  HAS_ERRORS,
  listed,
  namesOf,
  openArtifacts,
  packed,
  saved,
  stored,
  uploadButton,
} from './uploads.ts';

const run = promisify(execFile);

test('a tar.gz that is dropped on the page is checked, uploaded and listed @main', async ({
  signedIn: page,
  service,
}) => {
  await openArtifacts(page, service);
  await expect(page.getByText('No artifacts yet')).toBeVisible();
  await drop(
    page,
    await packed(service, 'myapp_1.2.0.tar.gz', { 'update.sh': '#!/bin/sh\necho installed\n', 'app/bin': 'x' }),
  );

  await expect(form(page, 'myapp_1.2.0.tar.gz')).toBeVisible();
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
  await expect(page.getByRole('link', { name: /^Deploy it/ })).toBeFocused();
  await page.getByRole('link', { name: /^Deploy it/ }).click();
  await expect(page).toHaveURL(/\/deploy\?artifact=/);
});

test('a script is uploaded with where it goes and what runs it, and its Command does just that @main', async ({
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
    'The file is 10 MB, but an artifact must be smaller than 10 MBLeave out what devices do not need',
  );
  await expectBlocked(uploadButton(page), HAS_ERRORS);
  await form(page).getByLabel('Version').fill('7');
  await expect(shownReason(page)).toHaveCount(0);
  await page.keyboard.press('Enter');
  await expect(shownReason(page)).toHaveText(HAS_ERRORS);
  await expect(form(page)).toBeVisible();
  expect(sent).toEqual([]);

  // Another file takes its place, and the version that was typed stays.
  await form(page).getByLabel('Version').fill('8-beta');
  await browse(page, await packed(service, 'small.tar.gz', { 'update.sh': '#!/bin/sh\n' }), 'Choose another file');
  await expect(uploadButton(page)).toBeEnabled();
  await expect(form(page).getByLabel('Version')).toHaveValue('8-beta');
});

test('a file that devices cannot run is reported with what to do', async ({ signedIn: page, service }) => {
  await openArtifacts(page, service);
  await drop(page, await saved(service, 'notes.tar.gz', 'just some text\n'));
  const notes = form(page, 'notes.tar.gz');
  await expect(finding(notes, 'Error')).toContainText('notes.tar.gz is not a tar.gz');
  await expectBlocked(uploadButton(notes), HAS_ERRORS);

  await drop(page, await packed(service, 'readme.tar.gz', { 'README.md': 'hello', 'bin/tool': 'x' }));
  const readme = form(page, 'readme.tar.gz');
  await expect(finding(readme, 'Error')).toHaveText(/The archive holds no update\.sh.*Devices run update\.sh/);
  await expectBlocked(uploadButton(readme), HAS_ERRORS);

  await drop(page, await packed(service, 'win_1.0.tar.gz', { 'update.sh': '#!/bin/sh\r\necho hi\r\n' }));
  const windows = form(page, 'win_1.0.tar.gz');
  await expect(finding(windows, 'Error')).toHaveText(/update\.sh has Windows line ends \(CRLF\).*sed -i/);
  await expectBlocked(uploadButton(windows), HAS_ERRORS);
  await windows.getByText('update.sh', { exact: true }).last().click();
  await expect(windows.getByRole('region', { name: 'Beginning of update.sh' })).toHaveText(/#!\/bin\/sh‹CR›/);
});

test('a corrected file replaces the faulty one, with what was typed', async ({ signedIn: page, service }) => {
  await openArtifacts(page, service);
  const notes = form(page, 'notes.tar.gz');
  await drop(page, await saved(service, 'notes.tar.gz', 'just some text\n'));
  await expectBlocked(uploadButton(notes), HAS_ERRORS);
  await notes.getByLabel('Version').fill('typed');
  const two = await packed(service, 'notes.tar.gz', { 'update.sh': '#!/bin/sh\necho hi\n' });
  await drop(page, two, two);
  await expect(page.getByRole('form')).toHaveCount(1);
  await expect(uploadButton(notes)).toBeEnabled();
  await expect(notes.getByLabel('Version')).toHaveValue('typed');

  await page.getByRole('button', { name: 'Remove notes.tar.gz' }).click();
  await expect(page.getByRole('form')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Browse files' })).toBeFocused();
  expect(await namesOf(service)).toEqual([]);
});

test('hostile names in an archive are shown as text, in a tree for the keyboard', async ({
  signedIn: page,
  service,
}) => {
  await openArtifacts(page, service);
  const files = {
    'update.sh': '#!/bin/sh\necho hi\n',
    'bin/photo\u202Egpj.exe': 'x',
    'bin/two\nlines': 'x',
    'bin/<img src=x onerror=alert(1)>': 'x',
  };
  await drop(page, await packed(service, 'names_1.0.tar.gz', files));
  const names = form(page, 'names_1.0.tar.gz');
  await expect(finding(names, 'Warning')).toHaveText(/2 names contain invisible characters/);
  const contents = names.getByRole('tree', { name: 'Contents of the archive' });
  await expect(contents.getByRole('treeitem')).toHaveCount(5);
  await expect(contents.getByRole('treeitem', { name: 'photo‹U+202E›gpj.exe' })).toBeVisible();
  await expect(contents.getByRole('treeitem', { name: 'two‹U+000A›lines' })).toBeVisible();
  await expect(contents.getByRole('treeitem', { name: '<img src=x onerror=alert(1)>' })).toBeVisible();
  await contents.focus();
  await page.keyboard.press('ArrowLeft');
  await expect(contents.getByRole('treeitem')).toHaveCount(2);
  await expect(contents.getByRole('treeitem', { name: 'bin' })).toHaveAttribute('aria-expanded', 'false');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('End');
  await expect(contents.getByRole('treeitem', { name: 'update.sh' })).toHaveAttribute('aria-selected', 'true');
  await expect(uploadButton(names)).toBeEnabled();
});

test.describe('many files', () => {
  test.use({ expectedConsole: [/net::ERR_|status of (413|400)/] });

  const hostile = '<img src=x onerror=alert(1)>\u202egnp.sh';
  const shown = hostile.replace('\u202e', '‹U+202E›');

  /** Six files: one has an error, one is refused by the service, and one is cut off once. */
  async function dropSix(page: Page, service: Service): Promise<void> {
    // The service refuses the one, whatever the browser thinks of it, and the other's line is cut once.
    let cuts = 1;
    await page.route('**/v1/artifact', async (route) => {
      const body = route.request().postData() ?? '';
      if (body.includes('refused.sh'))
        return route.fulfill({
          status: 400,
          contentType: 'application/problem+json',
          body: JSON.stringify({ title: 'The form is damaged', status: 400, detail: 'Not this one' }),
        });
      if (body.includes('cut.sh') && cuts-- > 0) return route.abort('connectionreset');
      return route.continue();
    });
    await drop(
      page,
      await packed(service, 'app_1.4.0.tar.gz', { 'update.sh': '#!/bin/sh\necho app\n' }),
      await packed(service, 'empty.tar.gz', { 'README.md': 'nothing to run' }),
      await saved(service, 'refused.sh', '#!/bin/sh\necho 1\n'),
      await saved(service, 'cut.sh', '#!/bin/sh\necho 2\n'),
      await saved(service, 'tool.sh', '#!/bin/sh\necho new\n'),
      await saved(service, hostile, '#!/bin/sh\necho 3\n'),
    );
  }

  test('go up as a queue: one that is refused or cut off does not hold up the rest', async ({
    signedIn: page,
    service,
  }) => {
    await service.uploadScript('tool.sh', '#!/bin/sh\necho old\n', '/opt');
    await openArtifacts(page, service);
    await dropSix(page, service);
    await expect(page.getByRole('form')).toHaveCount(6);
    await expect(finding(form(page, 'empty.tar.gz'), 'Error')).toContainText('holds no update.sh');
    const all = page.getByRole('button', { name: /^Upload all ready/ });
    await expect(all).toHaveText('Upload all ready (1)');

    // The version after the last of this name; the file's own wins where it has one.
    await expect(form(page, 'tool.sh').getByLabel('Version')).toHaveValue('1.0.1');
    await expect(form(page, 'app_1.4.0.tar.gz').getByLabel('Version')).toHaveValue('1.4.0');
    for (const name of ['refused.sh', 'cut.sh', 'tool.sh', shown]) {
      await form(page, name).getByLabel('Destination folder').fill('/opt');
      if (name !== 'tool.sh') await form(page, name).getByLabel('Version').fill('7');
    }
    await expect(all).toHaveText('Upload all ready (5)');
    await expectAccessible(page);
    await all.click();

    await expect(stored(page)).toHaveCount(3);
    await expect(stored(page).filter({ hasText: shown })).toHaveCount(1);
    await expect(form(page, 'refused.sh').getByRole('alert')).toHaveText(/The form is damaged \(400\).*Not this one/);
    await expect(form(page, 'cut.sh').getByRole('alert')).toHaveText(/The service cannot be reached/);
    await expect(form(page, 'cut.sh').getByLabel('Version')).toHaveValue('7');
    await form(page, 'cut.sh').getByRole('button', { name: 'Retry cut.sh' }).click();
    await expect(stored(page).filter({ hasText: 'cut.sh' })).toBeVisible();
    expect(((await namesOf(service)) ?? []).toSorted()).toEqual(
      [hostile, 'app_1.4.0.tar.gz', 'cut.sh', 'tool.sh', 'tool.sh'].toSorted(),
    );
    await page.getByRole('button', { name: 'Clear uploaded' }).click();
    await expect(stored(page)).toHaveCount(0);
    await expect(page.getByRole('form')).toHaveCount(2);
  });
});
