// Uploading: both types, by drop and by Browse; what is refused and why; an upload that is cancelled, cut off or left;
// storage that is full; and the registry with its search, details and delete.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import type { Service } from './fixtures.ts';

const run = promisify(execFile);

interface Stored {
  ArtifactId: string;
  Name: string;
  Version: string;
  SizeBytes: number;
  Command: string;
}

/** Puts a file where a person could choose it; gives its path. */
async function saved(service: Service, name: string, content: string | Buffer): Promise<string> {
  const file = path.join(await service.folder('chosen'), name);
  await writeFile(file, content);
  return file;
}

/** Packs files as a person would, with the tar of this machine. */
async function packed(service: Service, name: string, files: Record<string, string | Buffer>): Promise<string> {
  const folder = await service.folder('pack');
  for (const [file, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), content, { mode: 0o755 });
  }
  const archive = await saved(service, name, '');
  await run('tar', ['-czf', archive, '-C', folder, '.']);
  return archive;
}

/** An archive of so many bytes that do not get smaller when packed. */
const bulky = (service: Service, name: string, bytes: number) =>
  packed(service, name, { 'update.sh': '#!/bin/sh\necho installed\n', payload: randomBytes(bytes) });

async function openArtifacts(page: Page, service: Service, search = ''): Promise<void> {
  await page.goto(`${service.url}/artifacts${search}`);
  await expect(page.getByRole('button', { name: 'Browse files' })).toBeVisible();
}

async function browse(page: Page, file: string): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: /Browse files|Choose another file/ }).click();
  await (await chooser).setFiles(file);
}

/** Drags files over the page and lets go. */
async function drop(page: Page, ...files: string[]): Promise<void> {
  const dragged = files.map(async (file) => ({ name: path.basename(file), base64: await readFile(file, 'base64') }));
  const dataTransfer = await page.evaluateHandle(
    (given) => {
      const transfer = new DataTransfer();
      for (const { name, base64 } of given)
        transfer.items.add(new File([Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))], name));
      return transfer;
    },
    await Promise.all(dragged),
  );
  const body = page.locator('body');
  await body.dispatchEvent('dragenter', { dataTransfer });
  await expect(page.getByText('Drop to check the file')).toBeVisible();
  await body.dispatchEvent('dragover', { dataTransfer });
  await body.dispatchEvent('drop', { dataTransfer });
  await expect(page.getByText('Drop to check the file')).toBeHidden();
}

const form = (page: Page) => page.getByRole('region', { name: 'New artifact' });
const checks = (page: Page) => page.getByRole('group', { name: 'Checks' });
const finding = (page: Page, word: 'Error' | 'Warning' | 'Fine') =>
  checks(page)
    .getByRole('listitem')
    .filter({ has: page.getByRole('img', { name: word }) });
const uploadButton = (page: Page) => page.getByRole('button', { name: 'Upload', exact: true });
const stored = (page: Page) => page.getByRole('status').filter({ hasText: 'is stored and ready to deploy' });
const listed = (service: Service) => service.call<Stored[] | null>('GET', '/v1/artifact');
const namesOf = async (service: Service) => ((await listed(service)) ?? []).map(({ Name }) => Name);

/** How many bytes a person's line takes in a second, for all uploads from now on; undefined: as fast as it goes. */
async function lineSpeed(page: Page): Promise<(bytes: number | undefined) => Promise<void>> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  return async (bytes) => {
    const unlimited = { offline: false, latency: 0, downloadThroughput: -1 };
    await devtools.send('Network.emulateNetworkConditions', { ...unlimited, uploadThroughput: bytes ?? -1 });
  };
}

/** Waits until some of the file has been sent, but by far not all of it. */
async function expectInTheMiddle(progress: Locator): Promise<void> {
  await expect(progress).toBeVisible();
  await expect
    .poll(() => progress.evaluate((bar: HTMLProgressElement) => bar.value > 0 && bar.value < bar.max * 0.9))
    .toBe(true);
}

/** Neither an artifact nor a piece of a file is left of an upload that did not arrive. */
async function expectNothingStored(service: Service): Promise<void> {
  expect(await namesOf(service)).toEqual([]);
  const folder = path.join(service.dataFolder, 'artifacts');
  await expect
    .poll(async () => (await readdir(folder, { recursive: true })).filter((name) => name !== 'arriving'))
    .toEqual([]);
}

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

test('an upload that is cancelled leaves nothing behind, and the form keeps everything', async ({
  signedIn: page,
  service,
}) => {
  await openArtifacts(page, service);
  const speed = await lineSpeed(page);
  await browse(page, await bulky(service, 'big_3.0.tar.gz', 3_000_000));
  await form(page).getByLabel('Version').fill('3.0-careful');
  await expect(uploadButton(page)).toBeEnabled();
  await speed(150_000);
  await uploadButton(page).click();

  const progress = page.getByRole('progressbar', { name: 'Upload of big_3.0.tar.gz' });
  await expectInTheMiddle(progress);
  await expect(form(page).getByLabel('Version')).toHaveJSProperty('readOnly', true);
  await expect(form(page)).toContainText(/\d+ % · [\d.]+ [kM]B of 2\.9 MB/);
  await page.getByRole('button', { name: 'Cancel' }).click();

  await expect(page.getByRole('status').filter({ hasText: 'Cancelled.' })).toContainText('Nothing was stored');
  await expect(page.getByRole('alert')).toHaveCount(0);
  await expect(form(page).getByText('big_3.0.tar.gz', { exact: true })).toBeVisible();
  await expect(form(page).getByLabel('Version')).toHaveValue('3.0-careful');
  await expect(uploadButton(page)).toBeFocused();
  await expectNothingStored(service);

  await speed(undefined);
  await page.keyboard.press('Enter');
  await expect(stored(page)).toContainText('big_3.0.tar.gz 3.0-careful');
  expect(await namesOf(service)).toEqual(['big_3.0.tar.gz']);
});

test('leaving the page during an upload asks first', async ({ signedIn: page, service }) => {
  await page.goto(`${service.url}/devices`);
  await page.getByRole('link', { name: 'Artifacts' }).click();
  const speed = await lineSpeed(page);
  await browse(page, await bulky(service, 'big_4.0.tar.gz', 3_000_000));
  await expect(uploadButton(page)).toBeEnabled();
  await speed(150_000);
  await uploadButton(page).click();
  const progress = page.getByRole('progressbar');
  await expectInTheMiddle(progress);

  // Closing the window: the browser asks.
  const asked = page.waitForEvent('dialog');
  await page.close({ runBeforeUnload: true });
  const dialog = await asked;
  expect(dialog.type()).toBe('beforeunload');
  await dialog.dismiss();

  // Another page of the dashboard: we do.
  await page.getByRole('link', { name: 'Jobs' }).click();
  const question = page.getByRole('dialog', { name: 'Leave and cancel the upload?' });
  await expect(question).toContainText('big_4.0.tar.gz is still being uploaded');
  await question.getByRole('button', { name: 'Stay' }).click();
  await expect(question).toBeHidden();
  await expect(progress).toBeVisible();
  await page.goBack();
  await expect(question).toBeVisible();
  await question.getByRole('button', { name: 'Stay' }).click();
  await expect(question).toBeHidden();

  await page.getByRole('link', { name: 'Jobs' }).click();
  await question.getByRole('button', { name: 'Leave and cancel' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Jobs' })).toBeVisible();
  await expectNothingStored(service);
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

test.describe('when the network is cut', () => {
  // The browser itself reports each request that got no answer.
  test.use({ expectedConsole: [/net::ERR_/] });

  test('in the middle of an upload, it is said once, the form is intact, and Retry works', async ({
    signedIn: page,
    service,
  }) => {
    await openArtifacts(page, service);
    const speed = await lineSpeed(page);
    const file = await bulky(service, 'big_5.0.tar.gz', 3_000_000);
    await browse(page, file);
    await form(page).getByLabel('Version').fill('5.0-night');
    await expect(uploadButton(page)).toBeEnabled();
    await speed(150_000);
    await uploadButton(page).click();
    await expectInTheMiddle(page.getByRole('progressbar'));
    await service.stop('SIGKILL');

    await expect(form(page).getByRole('alert')).toHaveText(/The service cannot be reached.*Check that it is running/);
    await expect(form(page).getByRole('alert')).toHaveCount(1);
    await expect(form(page).getByLabel('Version')).toHaveValue('5.0-night');
    await expect(form(page).getByText('big_5.0.tar.gz', { exact: true })).toBeVisible();
    const retry = form(page).getByRole('button', { name: 'Retry' });
    await expect(retry).toBeFocused();

    await service.start();
    await expectNothingStored(service);
    await speed(undefined);
    await retry.click();
    await expect(stored(page)).toContainText('big_5.0.tar.gz 5.0-night');
    const bytes = await readFile(file);
    const [artifact] = (await listed(service)) ?? [];
    expect(artifact?.SizeBytes).toBe(bytes.length);
    const onDisk = await readFile(path.join(service.dataFolder, 'artifacts', artifact?.ArtifactId ?? ''));
    expect(onDisk.equals(bytes)).toBe(true);
  });
});

test.describe('with room for 1 MB', () => {
  test.use({ serviceEnv: { ARTIFACT_QUOTA_MB: '1' }, expectedConsole: [/status of 403/] });

  test('full storage says what to do, before the upload and during it', async ({ signedIn: page, service }) => {
    await openArtifacts(page, service);
    await browse(page, await bulky(service, 'huge_1.0.tar.gz', 1_200_000));
    await expect(finding(page, 'Error')).toHaveText(
      /The storage has room for 1 MB only.*Delete artifacts below that are not deployed any more/,
    );
    await expect(uploadButton(page)).toBeDisabled();

    // It fits when it is chosen, and no more when it is sent: somebody else was faster.
    await browse(page, await bulky(service, 'half_1.0.tar.gz', 600_000));
    await expect(uploadButton(page)).toBeEnabled();
    await service.uploadScript('other.sh', `#!/bin/sh\n# ${'x'.repeat(600_000)}\n`, '/opt');
    await uploadButton(page).click();
    const error = form(page).getByRole('alert');
    await expect(error).toContainText('The artifact storage is full (403)');
    await expect(error).toContainText(/delete/i);
    await expect(form(page).getByLabel('Version')).toHaveValue('1.0');
    await expect(page.getByRole('meter', { name: 'Storage' })).toHaveAttribute('aria-valuetext', /of 1 MB/);

    await page.getByRole('button', { name: 'Delete other.sh 1.0.0' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete artifact' }).click();
    await expect(page.getByRole('dialog')).toBeHidden();
    await form(page).getByRole('button', { name: 'Retry' }).click();
    await expect(stored(page)).toContainText('half_1.0.tar.gz');
    expect(await namesOf(service)).toEqual(['half_1.0.tar.gz']);
  });
});
