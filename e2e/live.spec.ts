// What changes on the service is on every screen a moment later, without a list being read again; and what happens where
// the stream of changes is cut, held back or lost.
import type { BrowserContext, Page } from '@playwright/test';
import { expect, signIn, test, type Service } from './fixtures.ts';
import { jobSandbox, submit } from './job-sandbox.ts';
import { startLiveProxy } from './live-proxy.ts';
import { see } from './seen.ts';

test.use({ ownService: true });

/** What a page asks the API for, from now on. */
function asked(of: Page | BrowserContext): string[] {
  const paths: string[] = [];
  (of as Page).on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith('/v1/') && request.method() === 'GET') paths.push(pathname + search);
  });
  return paths;
}
const streamsIn = (paths: string[]) => paths.filter((path) => path.startsWith('/v1/events'));
const listsIn = (paths: string[]) => paths.filter((path) => path.startsWith('/v1/devices'));

const cell = (page: Page, name: string) => page.getByRole('table', { name: 'Devices' }).getByRole('link', { name });
const rename = (service: Service, id: string, DeviceName: string) =>
  service.call('PATCH', `/v1/devices/${id}`, { DeviceName });

/** Opens the table and waits until a change shows without any reading of the list. */
async function openLive(page: Page, service: Service, id: string, paths: string[]): Promise<void> {
  await page.goto(`${service.url}/devices`);
  await expect(cell(page, 'pump 1')).toBeVisible();
  // The whole fleet is read once, after the page of it, and only then counted as devices.
  await expect(page.getByRole('status', { name: 'Devices shown' })).toHaveText(/^\d+ devices?$/);
  await expect.poll(() => streamsIn(paths).length).toBe(1);
  let n = 0;
  await expect(async () => {
    paths.length = 0;
    const name = `settled ${++n}`;
    await rename(service, id, name);
    await expect(cell(page, name)).toBeVisible({ timeout: 3_000 });
    expect(listsIn(paths)).toEqual([]);
  }).toPass();
  paths.length = 0;
}

test('two browsers see the work of each other, and read no list for it @main', async ({
  signedIn: page,
  service,
  browser,
}) => {
  const { DeviceId: id } = await service.createDevice('pump 1');
  const paths = asked(page);
  await openLive(page, service, id, paths);

  const other = await browser.newPage();
  await signIn(other, service);
  await other.goto(`${service.url}/devices?dialog=edit&device=${id}`);
  const dialog = other.getByRole('dialog');
  await dialog.getByLabel('Name').fill('valve 9');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(cell(page, 'valve 9')).toBeVisible();
  expect(listsIn(paths)).toEqual([]);
  await other.close();
});

test.describe('a service that is killed', () => {
  test.use({ expectedConsole: [/Failed to load resource|net::ERR/] });

  test('is missed at once, and its stream comes back by itself', async ({ signedIn: page, service }) => {
    const { DeviceId: id } = await service.createDevice('pump 1');
    const paths = asked(page);
    await openLive(page, service, id, paths);
    await service.stop('SIGKILL');
    await expect(page.getByText('The service cannot be reached.')).toBeVisible();
    await service.start();
    await expect(page.getByText('The service cannot be reached.')).toBeHidden();
    await expect.poll(() => streamsIn(paths).length).toBeGreaterThan(0);
    await rename(service, id, 'valve 9');
    await expect(cell(page, 'valve 9')).toBeVisible();
  });
});

test.describe('behind a proxy', () => {
  /** The table in a page behind a proxy of this kind. */
  const behind = async (
    service: Service,
    browserPage: () => Promise<Page>,
    allow: (url: string) => void,
    kind: 'held' | number,
  ) => {
    const proxy = await startLiveProxy(service.url, kind);
    allow(proxy.url);
    const { DeviceId: id } = await service.createDevice('pump 1');
    const page = await browserPage();
    // Cookies are the same for all ports.
    await signIn(page, service);
    await page.goto(`${proxy.url}/devices`);
    await expect(cell(page, 'pump 1')).toBeVisible();
    return { proxy, page, id };
  };

  test('that cuts streams: each goes on where the one before was cut', async ({ service, browser, tokenGuard }) => {
    const { proxy, page, id } = await behind(
      service,
      () => browser.newPage(),
      (url) => tokenGuard.allow(url),
      1_000,
    );
    await expect.poll(() => proxy.streams.filter((path) => path.includes('since=')).length).toBeGreaterThan(1);
    await rename(service, id, 'valve 9');
    await expect(cell(page, 'valve 9')).toBeVisible();
    await expect(page.getByText('cannot be reached')).toBeHidden();
    await page.close();
    await proxy.close();
  });

  test('that holds streams back: that is said, and pages are polled', async ({ service, browser, tokenGuard }) => {
    const { proxy, page, id } = await behind(
      service,
      () => browser.newPage(),
      (url) => tokenGuard.allow(url),
      'held',
    );
    await expect(page.getByText('A proxy buffers live updates')).toBeVisible();
    await rename(service, id, 'valve 9');
    await expect(cell(page, 'valve 9')).toBeVisible();
    await page.getByRole('button', { name: 'Hide' }).click();
    await expect(page.getByText('A proxy buffers live updates')).toBeHidden();
    await page.close();
    await proxy.close();
  });
});

test('two tabs share one stream; when its holder is hidden the other has one', async ({ signedIn: page, service }) => {
  const { DeviceId: id } = await service.createDevice('pump 1');
  const context = page.context();
  const all = asked(context);
  const own = asked(page);
  await openLive(page, service, id, own);
  const second = await context.newPage();
  const ofSecond = asked(second);
  await second.goto(`${service.url}/devices`);
  await expect(cell(second, 'settled')).toBeVisible();
  await expect.poll(() => ofSecond.some((path) => path.startsWith('/v1/changes'))).toBe(true);
  await rename(service, id, 'valve 8');
  await expect(cell(second, 'valve 8')).toBeVisible();
  await expect(cell(page, 'valve 8')).toBeVisible();
  expect(streamsIn(all)).toHaveLength(1);
  await see(page, 'hidden');
  await expect.poll(() => streamsIn(ofSecond).length).toBe(1);
  await rename(service, id, 'valve 9');
  await expect(cell(second, 'valve 9')).toBeVisible();
  await second.close();
});

test('a hidden tab reads nothing, and has caught up when it is seen again', async ({ signedIn: page, service }) => {
  const { DeviceId: id } = await service.createDevice('pump 1');
  const paths = asked(page);
  await openLive(page, service, id, paths);
  const other = await page.context().newPage();
  await other.goto(`${service.url}/devices`);
  await see(page, 'hidden');
  paths.length = 0;
  await rename(service, id, 'valve 9');
  await expect(cell(other, 'valve 9')).toBeVisible();
  expect(paths).toEqual([]);
  await see(page, 'visible');
  await expect(cell(page, 'valve 9')).toBeVisible();
  expect(listsIn(paths)).toEqual([]);
  await other.close();
});

test('rows do not move under the pointer, and get their places when it leaves', async ({ signedIn: page, service }) => {
  const { DeviceId: id } = await service.createDevice('pump 1');
  await service.createDevice('pump 2');
  const paths = asked(page);
  await openLive(page, service, id, paths);
  await page.getByRole('button', { name: 'Name', exact: true }).click();
  const names = page.getByRole('table', { name: 'Devices' }).locator('tbody tr a[href]');
  await rename(service, id, 'a pump');
  await expect(names).toHaveText(['a pump', 'pump 2']);
  await cell(page, 'pump 2').hover();
  await rename(service, id, 'z pump');
  await expect(names).toHaveText(['z pump', 'pump 2']);
  await page.getByRole('heading', { level: 1 }).hover();
  await expect(names).toHaveText(['pump 2', 'z pump']);
});

test('a row that leaves the filter stays under the pointer until it leaves, in jobs, queues and tunnels', async ({
  signedIn: page,
  service,
}) => {
  const sandbox = await jobSandbox(service);
  const ArtifactId = await service.uploadScript('wait.sh', `#!/bin/sh\n${sandbox.gate('go')}\n`, sandbox.folder);
  const away = async (name: string) => {
    const made = await service.createDevice(name);
    return { ...made, JobId: await submit(service, { DeviceId: made.DeviceId, ArtifactId, Name: `for ${name}` }) };
  };
  const [first, second] = [await away('pump 1'), await away('pump 2')];
  const row = (table: string, name: string) => page.getByRole('table', { name: table }).getByRole('row', { name });
  const hover = (table: string, name: string) => row(table, name).getByRole('link').first().hover();
  const leave = () => page.getByRole('heading', { level: 1 }).hover();

  await page.goto(`${service.url}/queues?status=Offline`);
  await hover('Queues', 'pump 1');
  await service.agent(first.DeviceKey);
  await expect(row('Queues', 'pump 1')).toContainText('Online');
  await leave();
  await expect(row('Queues', 'pump 1')).toBeHidden();
  await expect(row('Queues', 'pump 2')).toBeVisible();

  await page.goto(`${service.url}/jobs?state=moving`);
  await hover('Jobs', 'for pump 2');
  await service.call('POST', `/v1/job/${second.JobId}/stop`);
  await expect(row('Jobs', 'for pump 2')).toContainText('Cancelled');
  await leave();
  await expect(row('Jobs', 'for pump 2')).toBeHidden();
  await expect(row('Jobs', 'for pump 1')).toBeVisible();
  await sandbox.open('go');

  const tunnel = (number: number, DeviceStatus: string) => ({
    Name: `ssh${number}`,
    PublicUrl: 'N/A',
    PublicAddr: `muster.example:4002${number}`,
    Protocol: 'TCP',
    LocalDest: 'tcp://127.0.0.1:22',
    Created: '2026-01-01 00:00:00',
    Uptime: 'N/A',
    DeviceId: `pump-${number}`,
    DeviceName: `pump ${number}`,
    DeviceStatus,
  });
  const listed = (...json: object[]) => page.route('**/v1/tunnels', (route) => route.fulfill({ json }));
  const count = page.getByRole('search', { name: 'Filter tunnels' }).getByRole('status');
  await listed(tunnel(1, 'Offline'), tunnel(2, 'Offline'));
  await page.goto(`${service.url}/tunnels?exposure=offline`);
  await hover('Tunnels', 'pump 1');
  await listed(tunnel(1, 'Online'), tunnel(2, 'Offline'));
  await expect(count).toHaveText('1 of 2 tunnels');
  await expect(row('Tunnels', 'pump 1')).not.toContainText('Device Offline');
  await leave();
  await expect(row('Tunnels', 'pump 1')).toBeHidden();
  await expect(row('Tunnels', 'pump 2')).toBeVisible();
});
