// The page of an artifact: its versions and the devices that run each, who deployed what, and its rules.
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';

const versions = (page: Page) => page.getByRole('table', { name: 'Versions' });
const versionRow = (page: Page, version: string) =>
  versions(page)
    .getByRole('row')
    .filter({ has: page.getByRole('button', { name: version, exact: true }) });
const deployments = (page: Page) => page.getByRole('region', { name: 'Deployments' });

const upload = (service: Service, version: string) =>
  service.uploadScript('myapp.sh', `#!/bin/sh\necho ${version}\n`, '/tmp', version);

/** Versions 1.9.0 and 1.10.0 of myapp, uploaded in this order, of which a device runs the first. */
async function twoVersions(service: Service) {
  const { DeviceId, DeviceKey } = await service.createDevice('unit 1', 'hall');
  await service.agent(DeviceKey);
  const old = await upload(service, '1.9.0');
  const { JobId } = await service.call<{ JobId: string }>('POST', '/v1/job', {
    Name: 'Roll out myapp',
    DeviceId,
    ArtifactId: old,
  });
  const status = async () => (await service.call<{ Status: string }>('GET', `/v1/job/${JobId}`)).Status;
  await expect.poll(status).toBe('Succeeded');
  return { old, newer: await upload(service, '1.10.0') };
}

test('an artifact has a page with its versions in order, its deployments and its rules', async ({
  signedIn: page,
  service,
}) => {
  await twoVersions(service);
  const Rules = [{ Find: '1.9.0', Pattern: false, CaseSensitive: false, Stream: 'stdout', Verdict: 'Succeeded' }];
  await service.call('PUT', '/v1/rules/myapp', { Rules });
  await page.goto(`${service.url}/artifacts`);
  await page.getByRole('link', { name: 'myapp.sh', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'myapp' })).toBeVisible();
  await expect(page.getByText('2 versions · runs on 1 device')).toBeVisible();
  await expect(versions(page).getByRole('button', { expanded: false })).toHaveText(['1.10.0', '1.9.0']);
  await expect(versionRow(page, '1.10.0')).toContainText('no devices');
  await expect(deployments(page).getByRole('row', { name: /Roll out myapp/ })).toContainText(
    /1\.9\.0.*unit 1.*Succeeded/s,
  );
  await expect(page.getByRole('list', { name: 'Outcome rules' })).toContainText(/Succeeded.*1\.9\.0.*in stdout/s);
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page);
  await versionRow(page, '1.9.0').getByRole('link', { name: 'myapp 1.9.0 on 1 device' }).click();
  await expect(page).toHaveURL(/\/devices\?artifact=myapp&version=1\.9\.0$/);
});

test('a version opens to its facts by keyboard, and the URL says which', async ({ signedIn: page, service }) => {
  const { old } = await twoVersions(service);
  await page.goto(`${service.url}/artifacts/myapp`);
  const opener = versionRow(page, '1.9.0').getByRole('button', { name: '1.9.0', exact: true });
  await opener.press('Enter');
  const facts = page.getByRole('group', { name: 'Details of myapp.sh 1.9.0' });
  await expect(facts).toContainText(/SHA-256.*Folder.*\/tmp/s);
  await expect(page).toHaveURL(new RegExp(`version=${old}`));
  await page.reload();
  await expect(facts).toBeVisible();
  await opener.press('Enter');
  await expect(facts).toHaveCount(0);
});

test('a version that is deleted stays in sight while devices run it', async ({ signedIn: page, service }) => {
  await twoVersions(service);
  await page.goto(`${service.url}/artifacts/myapp`);
  await page.getByRole('button', { name: 'Delete myapp 1.9.0' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete artifact' }).click();
  await expect(versions(page).getByRole('row', { name: /1\.9\.0/ })).toContainText(/deleted.*1 device/s);
});

test('twelve versions on 10,000 devices fit a phone', async ({ signedIn: page, service }) => {
  for (const minor of [1, 2]) await upload(service, `1.${minor}`);
  // Counted here: so many devices would be the longest part of the test.
  const counts = Array.from({ length: 12 }, (_, minor) => ({
    ArtifactName: 'myapp',
    Version: `1.${minor}`,
    Devices: minor === 11 ? 6_200 : 10 + 62 * minor,
  }));
  await page.route('**/v1/versions/counts', (route) => route.fulfill({ json: counts }));
  await page.goto(`${service.url}/artifacts/myapp`);
  await expect(versions(page).getByRole('link', { name: /^myapp 1\.\d+ on/ })).toHaveCount(12);
  const widths = await versions(page)
    .getByRole('link', { name: /^myapp 1\./ })
    .evaluateAll((links) => links.map((link) => link.querySelector('[data-tone]')?.getBoundingClientRect().width ?? 0));
  expect(widths[0]).toBeGreaterThan(10 * Math.max(...widths.slice(2)) * 0.7);
  expect(Math.min(...widths)).toBeGreaterThanOrEqual(2);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(versions(page)).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await expectAccessible(page);
});
