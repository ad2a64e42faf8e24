// From a folder to a device: the builder packs it in the browser, the service takes it, a real agent runs it, and what
// fails there is rolled back and reported.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Page } from '@playwright/test';
import { expectBlocked } from './blocked.ts';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';
import { checks, finding, listed, openArtifacts, stored } from './uploads.ts';

const run = promisify(execFile);

async function folderWith(service: Service, name: string, files: Record<string, string>): Promise<string> {
  const folder = path.join(await service.folder('build'), name);
  for (const [file, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), text);
  }
  return folder;
}

const builder = (page: Page) => page.getByRole('dialog', { name: 'Build an artifact' });
const files = (page: Page) => builder(page).getByRole('tree', { name: 'Files of the archive' });
const file = (page: Page, name: string) => files(page).getByRole('treeitem', { name });

async function chooseFolder(page: Page, folder: string): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await builder(page).getByRole('button', { name: 'Choose a folder' }).click();
  await (await chooser).setFiles(folder);
  await expect(files(page)).toBeVisible();
}

/** Through the last two steps, and up. */
async function buildAndUpload(page: Page, target?: string): Promise<void> {
  await builder(page).getByRole('button', { name: 'Next: update.sh' }).click();
  if (target !== undefined) await builder(page).getByLabel('Install into').fill(target);
  await builder(page).getByRole('button', { name: 'Next: preview' }).click();
  await expect(checks(builder(page))).toContainText('SHA-256');
  await builder(page).getByRole('button', { name: 'Upload', exact: true }).click();
  await expect(builder(page)).toBeHidden();
}

interface Ended {
  Status: string;
  ExitCode: number | null;
  Stdout: string;
}
async function deploy(service: Service, device: string, Name: string): Promise<Ended> {
  const artifact = ((await listed(service)) ?? []).find((each) => each.Name === Name);
  const { JobId } = await service.call<{ JobId: string }>('POST', '/v1/job', {
    Name,
    DeviceId: device,
    ArtifactId: artifact?.ArtifactId,
  });
  const job = () => service.call<Ended>('GET', `/v1/job/${JobId}`);
  await expect.poll(async () => (await job()).Status).toMatch(/Succeeded|Failed/);
  return job();
}

/** Opens the builder with a folder in which three files are left out. */
async function openHub(page: Page, service: Service): Promise<void> {
  await openArtifacts(page, service, '?dialog=build');
  const first = await folderWith(service, 'sensor-hub_1.0.0', {
    'install.sh': '#!/bin/sh\necho "hub $(cat data/version) starts"\n',
    'data/version': '1.0.0',
    'data/näme with space': 'x',
    '.git/HEAD': 'ref',
    'node_modules/left/index.js': 'x',
    '.env': 'SECRET=1',
  });
  await chooseFolder(page, first);
}

test('a folder is shown as the archive that it becomes, without what does not belong into it', async ({
  signedIn: page,
  service,
}) => {
  await openHub(page, service);
  await expect(builder(page).getByLabel('Name')).toHaveValue('sensor-hub');
  await expect(builder(page).getByLabel('Version')).toHaveValue('1.0.0');
  await expect(builder(page).getByRole('status').first()).toHaveText(
    /3 files, .* in sensor-hub_1\.0\.0\.tar\.gz · 3 files left out/,
  );
  await expect(file(page, '.env')).toHaveAttribute('aria-checked', 'false');
  await expect(file(page, 'install.sh')).toContainText('rwxr-xr-x');
  await expectAccessible(page);
});

test('a folder is left out of the archive by keyboard, and taken in again', async ({ signedIn: page, service }) => {
  await openHub(page, service);
  await file(page, 'data').click();
  await page.keyboard.press('Space');
  await expect(file(page, 'data')).toHaveAttribute('aria-checked', 'false');
  await expect(builder(page).getByRole('status').first()).toHaveText(/One file/);
  await page.keyboard.press('Space');
  await expect(file(page, 'data')).toHaveAttribute('aria-checked', 'true');
});

test('update.sh is checked while it is written, and its template can be restored', async ({
  signedIn: page,
  service,
}) => {
  await openHub(page, service);
  await builder(page).getByRole('button', { name: 'Next: update.sh' }).click();
  await expect(builder(page).getByLabel('Then run')).toHaveValue('install.sh');
  const text = builder(page).getByRole('textbox', { name: 'update.sh' });
  await text.fill('echo no interpreter');
  await expect(finding(builder(page), 'Warning')).toHaveText(/no interpreter line/);
  await builder(page).getByRole('button', { name: 'Restore the template' }).click();
  await expect(text).toHaveValue(/^#!\/bin\/sh\n.*\nset -eu\n/);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page);
});

test('a folder becomes an archive that runs on a device @main', async ({ signedIn: page, service }) => {
  const { DeviceId, DeviceKey } = await service.createDevice('bench-1');
  await service.agent(DeviceKey);
  const target = path.join(await service.folder('device'), 'opt', 'hub');
  await openHub(page, service);
  await buildAndUpload(page, target);
  await expect(stored(page)).toContainText('sensor-hub_1.0.0.tar.gz 1.0.0');
  const installed = await deploy(service, DeviceId, 'sensor-hub_1.0.0.tar.gz');
  expect(installed.Status).toBe('Succeeded');
  expect(installed.Stdout).toMatch(/hub 1\.0\.0 starts\n.*MUSTER-RESULT: update succeeded\n$/s);
  expect((await run('find', ['.', '-type', 'f'], { cwd: target })).stdout.split('\n').sort().join(' ').trim()).toBe(
    './data/näme with space ./data/version ./install.sh',
  );
});

test('a version that does not start is rolled back on the device', async ({ signedIn: page, service }) => {
  const { DeviceId, DeviceKey } = await service.createDevice('bench-1');
  await service.agent(DeviceKey);
  const target = path.join(await service.folder('device'), 'opt', 'hub');
  await openHub(page, service);
  await buildAndUpload(page, target);
  await expect(stored(page)).toContainText('sensor-hub_1.0.0.tar.gz 1.0.0');
  await deploy(service, DeviceId, 'sensor-hub_1.0.0.tar.gz');

  await page.getByRole('link', { name: 'Build from a folder' }).click();
  const second = { 'install.sh': '#!/bin/sh\necho broken; exit 7\n', 'data/version': '1.1.0' };
  await chooseFolder(page, await folderWith(service, 'sensor-hub_1.1.0', second));
  await buildAndUpload(page, target);
  await expect(stored(page).filter({ hasText: 'sensor-hub_1.1.0.tar.gz' })).toBeVisible();
  const failed = await deploy(service, DeviceId, 'sensor-hub_1.1.0.tar.gz');
  expect(failed).toMatchObject({ Status: 'Failed', ExitCode: 7 });
  expect(failed.Stdout).toMatch(/broken\nhub 1\.0\.0 starts\nMUSTER-RESULT: rolled back\n$/);
  expect(await readFile(path.join(target, 'data/version'), 'utf8')).toBe('1.0.0');
});

test('what was chosen and written goes only after a question: by Esc and Back in the builder, and beside it', async ({
  signedIn: page,
  service,
}) => {
  await page.goto(`${service.url}/devices`);
  await page.getByRole('link', { name: 'Artifacts' }).click();
  await page.getByRole('link', { name: 'Build from a folder' }).click();
  // The dialog hears keys once it has taken the focus. Nothing is lost yet.
  await expect(builder(page).getByRole('button', { name: 'Close', exact: true })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(builder(page)).toBeHidden();
  await page.getByRole('link', { name: 'Build from a folder' }).click();
  await chooseFolder(page, await folderWith(service, 'hub_1.0.0', { 'install.sh': '#!/bin/sh\necho hub\n' }));
  await builder(page).getByRole('button', { name: 'Next: update.sh' }).click();
  const text = builder(page).getByRole('textbox', { name: 'update.sh' });
  await text.fill('#!/bin/sh\necho mine\n');
  const question = page.getByRole('dialog', { name: 'Leave without building the archive?' });
  for (const leave of [() => page.keyboard.press('Escape'), () => page.goBack()]) {
    await leave();
    await expect(question).toContainText('your edited update.sh');
    await question.getByRole('button', { name: 'Stay' }).click();
    await expect(question).toBeHidden();
    await expect(text).toHaveValue(/mine/);
  }
  // Built, it is uploaded without a question, and once it is stored nothing can be lost.
  await builder(page).getByRole('button', { name: 'Next: preview' }).click();
  await builder(page).getByRole('button', { name: 'Upload', exact: true }).click();
  await expect(builder(page)).toBeHidden();
  await expect(stored(page)).toContainText('hub_1.0.0.tar.gz 1.0.0');
  await page.getByRole('link', { name: 'Jobs', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Jobs' })).toBeVisible();
});

test('the next step waits until a folder that takes the place of another is read', async ({
  signedIn: page,
  service,
}) => {
  await openArtifacts(page, service, '?dialog=build');
  await chooseFolder(page, await folderWith(service, 'first', { data: 'x' }));
  const next = builder(page).getByRole('button', { name: 'Next: update.sh' });
  await expect(next).toBeEnabled();
  const release = await page.evaluateHandle(() => {
    const { promise, resolve } = Promise.withResolvers<void>();
    Blob.prototype.arrayBuffer = async function (this: Blob) {
      await promise;
      return new Response(this).arrayBuffer();
    };
    return resolve;
  });
  await chooseFolder(page, await folderWith(service, 'second', { program: 'y' }));
  await expectBlocked(next, 'The files are being read');
  await release.evaluate((resolve) => resolve());
  await expect(file(page, 'program')).toBeVisible();
  await expect(next).toBeEnabled();
});

test("a folder's own update.sh is used; line ends of Windows and what is too large are reported", async ({
  signedIn: page,
  service,
}) => {
  await openArtifacts(page, service, '?dialog=build');
  const own = await folderWith(service, 'own_2.0', { 'update.sh': '#!/bin/sh\r\necho hi\r\n', data: 'x' });
  await chooseFolder(page, own);
  await builder(page).getByRole('button', { name: 'Next: update.sh' }).click();
  await expect(builder(page)).toContainText('own update.sh is used as it is');
  await expect(finding(builder(page), 'Error')).toHaveText(/Windows line ends/);
  await builder(page).getByRole('button', { name: 'Next: preview' }).click();
  await expect(finding(builder(page), 'Error')).toHaveText(/Windows line ends/);
  await expectBlocked(
    builder(page).getByRole('button', { name: 'Upload', exact: true }),
    'The archive has errors: see the list of checks',
  );
  await builder(page).getByRole('button', { name: 'Back' }).click();
  await builder(page).getByRole('button', { name: 'Back' }).click();

  await writeFile(path.join(own, 'update.sh'), '#!/bin/sh\necho mine\n');
  await run('sh', ['-c', 'head -c 11000000 /dev/urandom >video.mp4'], { cwd: own });
  await chooseFolder(page, own);
  await builder(page).getByRole('button', { name: 'Next: update.sh' }).click();
  await builder(page).getByRole('button', { name: 'Next: preview' }).click();
  await expect(finding(builder(page), 'Error')).toHaveText(
    /must be smaller than 10 MB.*largest files are video\.mp4 \(10\.5 MB\)/,
  );
  await builder(page).getByRole('button', { name: 'Back' }).click();
  await builder(page).getByRole('button', { name: 'Back' }).click();
  await file(page, 'video.mp4').click();
  await page.keyboard.press('Space');
  await buildAndUpload(page);
  await expect(stored(page)).toContainText('own_2.0.tar.gz 2.0');

  // The same files once more: the same bytes, which are in the registry already.
  await page.getByRole('link', { name: 'Build from a folder' }).click();
  await chooseFolder(page, own);
  await file(page, 'video.mp4').click();
  await page.keyboard.press('Space');
  await builder(page).getByRole('button', { name: 'Next: update.sh' }).click();
  await builder(page).getByRole('button', { name: 'Next: preview' }).click();
  const again = builder(page);
  await expect(finding(again, 'Warning').filter({ hasText: 'The same content' })).toContainText('own_2.0.tar.gz 2.0');
  const shown = page.context().waitForEvent('page');
  await again.getByRole('link', { name: 'Show it' }).click();
  await expect((await shown).getByRole('group', { name: 'Details of own_2.0.tar.gz 2.0' })).toBeVisible();
});

test('a folder that is dropped on the page opens the builder with it', async ({ signedIn: page, service }) => {
  await openArtifacts(page, service);
  const folder = await folderWith(service, 'dropped_3.1', { 'run.sh': '#!/bin/sh\n', 'deep/er/x': 'x' });
  await mkdir(path.join(folder, 'empty'));
  const devtools = await page.context().newCDPSession(page);
  const data = { items: [], files: [folder], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await devtools.send('Input.dispatchDragEvent', { type, x: 600, y: 300, data });
  await expect(file(page, 'run.sh')).toHaveAttribute('aria-checked', 'true');
  await expect(builder(page).getByLabel('Name')).toHaveValue('dropped');
  await expect(builder(page).getByRole('status').first()).toHaveText(/2 files.*an empty folder is left out/);
});

test('an archive for which there is no room waits among the uploads, where room can be made', async ({
  signedIn: page,
  service,
}) => {
  await page.route('**/v1/account', async (route) => {
    const account = (await (await route.fetch()).json()) as object;
    await route.fulfill({ json: { ...account, ArtifactBytesUsed: 1000, ArtifactBytesLimit: 1010 } });
  });
  await openHub(page, service);
  await builder(page).getByRole('button', { name: 'Next: update.sh' }).click();
  await builder(page).getByRole('button', { name: 'Next: preview' }).click();
  await expect(finding(builder(page), 'Error')).toContainText('The storage has room for 10 bytes only');
  await builder(page).getByRole('button', { name: 'Add to uploads' }).click();
  await expect(page.getByRole('group', { name: 'Storage space' })).toContainText('more space is needed');
  expect(await listed(service)).toEqual([]);
});

test.describe('where the service takes larger artifacts', () => {
  test.use({ serviceEnv: { ARTIFACT_MAX_MB: '64' } });

  test('a large folder is packed and uploaded', async ({ signedIn: page, service }) => {
    await openArtifacts(page, service, '?dialog=build');
    const folder = await folderWith(service, 'model_1.0.0', { 'install.sh': '#!/bin/sh\necho installed\n' });
    const weights = randomBytes(12_000_000);
    await writeFile(path.join(folder, 'weights.bin'), weights);
    await chooseFolder(page, folder);
    await buildAndUpload(page);
    await expect(stored(page)).toContainText('model_1.0.0.tar.gz 1.0.0');
    const [artifact] = (await listed(service)) ?? [];
    expect(artifact?.SizeBytes).toBeGreaterThan(weights.length);
  });
});
