// Which version runs where: in the device table, on the artifact and on the device.
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';
import { before } from './foreign/gateway.ts';
import { startStrict } from './foreign/strict.ts';

const row = (page: Page, name: string) => page.getByRole('table', { name: 'Devices' }).getByRole('row', { name });
const chips = (page: Page) => page.getByRole('list', { name: 'Filters in use' });

interface Deployed {
  service: Service;
  device: string;
  version: string;
}

/** Waits until it has succeeded. */
async function deploy({ service, device, version }: Deployed): Promise<void> {
  const ArtifactId = await service.uploadScript(
    'myapp.sh',
    '#!/bin/sh\necho installed\n',
    await service.folder('opt'),
    version,
  );
  await service.call('POST', '/v1/job', { Name: 'myapp', DeviceId: device, ArtifactId });
  const read = async () => {
    const { Items } = await service.call<{ Items: { Version: string }[] }>('GET', `/v1/versions?device_id=${device}`);
    return Items.map(({ Version }) => Version);
  };
  await expect.poll(read).toEqual([version]);
}

async function twoDevices(service: Service) {
  const [one, two] = [await service.createDevice('unit 1', 'hall'), await service.createDevice('unit 2', 'hall')];
  await service.agent(one.DeviceKey);
  return { one: one.DeviceId, two: two.DeviceId };
}

test('the version of an artifact is a column that can be chosen and sorted, and stays current', async ({
  signedIn: page,
  service,
}) => {
  const { one } = await twoDevices(service);
  await deploy({ service, device: one, version: '1.0.0' });
  await page.goto(`${service.url}/devices`);
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'Version of myapp' }).check();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(row(page, 'unit 1')).toContainText('1.0.0');
  await page.getByRole('button', { name: 'Version of myapp' }).click();
  await expect(page.getByRole('columnheader', { name: 'Version of myapp' })).toHaveAttribute('aria-sort', 'ascending');
  await expect(page.getByRole('row').nth(1)).toContainText('unit 1');
  await deploy({ service, device: one, version: '2.0.0' });
  await expect(row(page, 'unit 1')).toContainText('2.0.0');
  await page.reload();
  await expect(row(page, 'unit 1')).toContainText('2.0.0');
});

test('the latest version and the last job are columns from the start, stay current, and lead to the job', async ({
  signedIn: page,
  service,
}) => {
  const { one } = await twoDevices(service);
  await deploy({ service, device: one, version: '1.0.0' });
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/v1/jobs/latest')) asked.push(request.url());
  });
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto(`${service.url}/devices`);
  await expect(row(page, 'unit 1')).toBeVisible();
  await expect(page.getByRole('columnheader', { name: 'Last job' })).toHaveCount(0);
  expect(asked).toEqual([]);
  await page.setViewportSize({ width: 1360, height: 800 });
  await expect(row(page, 'unit 1').getByRole('cell', { name: '1.0.0 myapp', exact: true })).toBeVisible();
  await expectAccessible(page);
  // All rows of the screen are one request.
  expect(new Set(asked.map((url) => new URL(url).searchParams.get('devices')?.split(',').length))).toEqual(
    new Set([2]),
  );
  await deploy({ service, device: one, version: '2.0.0' });
  await expect(row(page, 'unit 1').getByRole('cell', { name: '2.0.0 myapp', exact: true })).toBeVisible();
  await row(page, 'unit 1').getByRole('link', { name: 'Succeeded myapp' }).click();
  await expect(page.getByRole('heading', { level: 1, name: /^myapp/ })).toBeVisible();
});

test('devices are filtered by a version, by any other, and by none, also in the URL', async ({
  signedIn: page,
  service,
}) => {
  const { one } = await twoDevices(service);
  await deploy({ service, device: one, version: '1.0.0' });
  await page.goto(`${service.url}/devices`);
  await page.getByRole('button', { name: 'Filter by Version' }).click();
  await page.getByRole('option', { name: 'myapp 1.0.0' }).click();
  await expect(page).toHaveURL(/artifact=myapp&version=1\.0\.0/);
  await expect(row(page, 'unit 1')).toBeVisible();
  await expect(row(page, 'unit 2')).toHaveCount(0);
  await page.goto(`${service.url}/devices?artifact=myapp&no=version`);
  await expect(row(page, 'unit 2')).toBeVisible();
  await expect(row(page, 'unit 1')).toHaveCount(0);
  await expect(chips(page)).toContainText('No myapp');
  await page.goto(`${service.url}/devices?artifact=myapp&other=1.0.0`);
  await expect(page.getByText('No device matches these filters.')).toBeVisible();
  await chips(page).getByRole('button', { name: 'Remove myapp, not 1.0.0' }).click();
  await expect(row(page, 'unit 2')).toBeVisible();
});

test('an artifact shows how many devices run each version, and links to them', async ({ signedIn: page, service }) => {
  const { one } = await twoDevices(service);
  await deploy({ service, device: one, version: '1.0.0' });
  await page.goto(`${service.url}/artifacts`);
  const listed = page.getByRole('table', { name: 'Artifacts' }).getByRole('link', { name: 'myapp 1.0.0 on 1 device' });
  await expect(listed).toHaveText('1');
  await page.getByRole('link', { name: 'myapp.sh', exact: true }).click();
  const bar = page.getByRole('table', { name: 'Versions' }).getByRole('link', { name: 'myapp 1.0.0 on 1 device' });
  await expect(bar).toHaveText('1 device');
  await bar.click();
  await expect(row(page, 'unit 1')).toBeVisible();
  await expect(row(page, 'unit 2')).toHaveCount(0);
});

test('a device lists its versions, with the time and the job of each', async ({ signedIn: page, service }) => {
  const { one } = await twoDevices(service);
  await page.goto(`${service.url}/devices/${one}`);
  const versions = page.getByRole('region', { name: 'Versions' });
  await expect(versions).toContainText('No successful deployments yet.');
  await deploy({ service, device: one, version: '1.0.0' });
  await expect(versions).toContainText(/myapp\s*1\.0\.0\s*since/);
  await expectAccessible(page);
  await versions.getByRole('link', { name: 'Job that brought myapp' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('myapp');
});

test('the map has the same filter', async ({ signedIn: page, service }) => {
  const { one, two } = await twoDevices(service);
  await deploy({ service, device: one, version: '1.0.0' });
  await service.locate(one, 10, 10);
  await service.locate(two, 11, 11);
  await page.goto(`${service.url}/map?artifact=myapp&version=1.0.0`);
  const rows = page.getByRole('region', { name: 'Devices in view' }).getByRole('listitem');
  await expect(rows).toHaveText(/unit 1/);
});

test.describe('in front of another service', () => {
  const foreignTest = before(startStrict);
  foreignTest('nothing is offered, and a link with such a filter says why', async ({ signedIn: page, service }) => {
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/v1/versions')) asked.push(pathname);
    });
    await page.goto(`${service.url}/devices`);
    await page.getByRole('button', { name: 'Columns' }).click();
    await expect(page.getByRole('checkbox', { name: 'Name' })).toBeVisible();
    await expect(page.getByRole('checkbox', { name: /^Version of/ })).toHaveCount(0);
    await page.goto(`${service.url}/devices?artifact=myapp&version=1.0.0`);
    await expect(page.getByText('Which version runs where is not known here')).toBeVisible();
    expect(asked).toEqual([]);
  });
});
