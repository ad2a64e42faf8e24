// Large uploads that go on: after the network was gone, after a pause, and on the next page load when the same file is chosen
// again. A cancelled one leaves nothing on the service.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Page, Route } from '@playwright/test';
import { expect, test, type Service } from './fixtures.ts';
import { browse, bulky, form, listed, openArtifacts, stored, uploadButton } from './uploads.ts';

test.use({ serviceEnv: { ARTIFACT_MAX_MB: '64' } });

const NAME = 'big_1.0.tar.gz';
const BYTES = 6_000_000;
const UPLOADS = '**/v1/uploads/*';

const offsetOf = (route: Route) =>
  route.request().method() === 'PATCH' ? Number(route.request().headers()['upload-offset']) : undefined;
const progress = (page: Page) => page.getByRole('progressbar', { name: `Upload of ${NAME}` });
const pause = (page: Page) => page.getByRole('button', { name: `Pause the upload of ${NAME}` });
const resume = (page: Page) => page.getByRole('button', { name: `Resume the upload of ${NAME}` });

/** Chooses the file and starts its upload, of which nothing behind the first piece arrives. Gives its path. */
async function beginHeld(page: Page, service: Service, hold: (route: Route) => unknown): Promise<string> {
  await page.route(UPLOADS, (route) => ((offsetOf(route) ?? 0) > 0 ? hold(route) : route.continue()));
  const file = await bulky(service, NAME, BYTES);
  await browse(page, file);
  await uploadButton(page).click();
  await expect.poll(() => held(service)).toHaveLength(2);
  return file;
}
/** What the service holds of unfinished uploads: a folder with a file for each piece. */
const held = (service: Service) =>
  readdir(path.join(service.dataFolder, 'artifacts/uploads'), { recursive: true }).catch(() => []);
const used = async (service: Service) =>
  (await service.call<{ ArtifactBytesUsed: number }>('GET', '/v1/account'))?.ArtifactBytesUsed;

test.describe('while the network is gone', () => {
  test.use({ expectedConsole: [/ERR_INTERNET_DISCONNECTED/] });

  test('an upload waits, and goes on by itself where it stopped', async ({ signedIn: page, service }) => {
    await openArtifacts(page, service);
    let cuts = 0;
    await beginHeld(page, service, (route) => (++cuts <= 2 ? route.abort('internetdisconnected') : route.continue()));
    await expect(stored(page)).toContainText(NAME);
    expect(cuts).toBe(3);
    expect((await listed(service))?.map(({ Name }) => Name)).toEqual([NAME]);
    await expect.poll(() => held(service)).toEqual([]);
  });
});

test('a paused upload resumes where it stopped, also when the file is chosen again after a reload', async ({
  signedIn: page,
  service,
}) => {
  await openArtifacts(page, service);
  const file = await beginHeld(page, service, () => {});
  await pause(page).click();
  await expect(form(page)).toContainText('Paused. The service keeps what it has for a day.');
  await expect(resume(page)).toBeFocused();
  await page.keyboard.press('Enter');
  await pause(page).click();
  await expect(resume(page)).toBeVisible();

  page.once('dialog', (dialog) => void dialog.accept());
  await page.reload();
  await page.unroute(UPLOADS);
  const sent: (number | undefined)[] = [];
  await page.route(UPLOADS, (route) => {
    sent.push(offsetOf(route));
    return route.continue();
  });
  await browse(page, file);
  await uploadButton(page).click();
  await expect(stored(page)).toContainText(NAME);
  expect(sent).not.toContain(0);
  expect(sent.at(-1)).toBeGreaterThan(0);
  await expect.poll(() => held(service)).toEqual([]);
});

test('a cancelled upload leaves nothing on the service, and can begin anew', async ({ signedIn: page, service }) => {
  await openArtifacts(page, service);
  await beginHeld(page, service, () => {});
  await expect(progress(page)).toBeVisible();
  expect(await used(service)).toBeGreaterThan(BYTES);
  await page.getByRole('button', { name: `Cancel the upload of ${NAME}` }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Cancelled.' })).toContainText('Nothing was stored');
  await expect.poll(() => used(service)).toBe(0);
  await expect.poll(() => held(service)).toEqual([]);
  await page.unroute(UPLOADS);
  await uploadButton(page).click();
  await expect(stored(page)).toContainText(NAME);
});
