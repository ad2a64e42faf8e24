// Uploads that do not get through at once: cancelled, left, cut off, refused for want of room. Nothing half is kept by the
// service, and nothing is lost from the form.
import { readFile, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { expectBlocked } from './blocked.ts';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';
import {
  browse,
  bulky,
  finding,
  form,
  listed,
  namesOf,
  openArtifacts,
  stored,
  HAS_ERRORS,
  uploadButton,
} from './uploads.ts';

test.use({ ownService: true });

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
  await page.getByRole('button', { name: 'Cancel the upload of big_3.0.tar.gz' }).click();

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
  await speed(40_000); // lasts longer than all that is asked here
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

test.describe('when the network is cut', () => {
  // The browser itself reports each request that got no answer.
  test.use({ expectedConsole: [/net::ERR_/] });

  test('in the middle of an upload, it is reported once, the form is intact, and Retry works', async ({
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
    const retry = form(page).getByRole('button', { name: /^Retry/ });
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

  test('full storage is reported with what to do, before the upload and during it', async ({
    signedIn: page,
    service,
  }) => {
    await service.uploadScript('other.sh', `#!/bin/sh\n# ${'x'.repeat(100_000)}\n`, '/opt');
    await openArtifacts(page, service);
    await browse(page, await bulky(service, 'huge_1.0.tar.gz', 1_200_000));
    await expect(finding(page, 'Error')).toHaveText(/The storage has room for 92\d kB only.*Delete artifacts/);
    await expectBlocked(uploadButton(page), HAS_ERRORS);
    const room = page.getByRole('group', { name: 'Storage space' });
    await expect(room).toContainText(/2\d\d kB more space is needed/);
    await page.getByRole('button', { name: 'Remove huge_1.0.tar.gz' }).click();
    await expect(room).toBeHidden();

    // It fits when it is chosen, and no more when it is sent: somebody else was faster.
    await browse(page, await bulky(service, 'half_1.0.tar.gz', 600_000));
    await expect(uploadButton(page)).toBeEnabled();
    let uploads = 0;
    await page.route('**/v1/artifact', async (route) => {
      if (route.request().method() !== 'POST' || ++uploads > 1) return route.fallback();
      await service.uploadScript('other.sh', `#!/bin/sh\n# ${'x'.repeat(600_000)}\n`, '/opt');
      return route.continue();
    });
    await uploadButton(page).click();
    const error = form(page).getByRole('alert');
    await expect(error).toContainText('The artifact storage is full (403)');
    await expect(error).toContainText(/delete/i);
    await expect(form(page).getByLabel('Version')).toHaveValue('1.0');
    await expect(page.getByRole('meter', { name: 'Storage' })).toHaveAttribute('aria-valuetext', /of 1 MB/);

    // What would free space, the old version first, from there to the question.
    await expect(room).toContainText(/kB more space is needed: the file takes 5\d\d kB/);
    await expect(room.getByRole('listitem')).toHaveText([/^other\.sh 1\.0\.09\d\.?\d* kB/, /^other\.sh 1\.0\.0586 kB/]);
    await room.getByRole('button', { name: 'Delete other.sh 1.0.0' }).last().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete artifact' }).click();
    await expect(page.getByRole('dialog')).toBeHidden();
    await expect(room).toBeHidden();
    await form(page)
      .getByRole('button', { name: /^Retry/ })
      .click();
    await expect(stored(page)).toContainText('half_1.0.tar.gz');
    expect(await namesOf(service)).toEqual(['other.sh', 'half_1.0.tar.gz']);
  });
});

test('a file that is gone from the service is marked, with what to do', async ({ signedIn: page, service }) => {
  const gone = await service.uploadScript('gone.sh', '#!/bin/sh\n', '/opt');
  await service.uploadScript('whole.sh', '#!/bin/sh\n', '/opt');
  await rm(path.join(service.dataFolder, 'artifacts', gone));
  await openArtifacts(page, service);
  const row = page.getByRole('row').filter({ hasText: 'gone.sh' });
  await expect(row).toContainText('File missing');
  await expect(page.getByText('File missing')).toHaveCount(1);
  await row.getByRole('link', { name: 'gone.sh', exact: true }).click();
  await expect(page.getByRole('note')).toContainText('Upload the file again');
  await expectAccessible(page);
});
