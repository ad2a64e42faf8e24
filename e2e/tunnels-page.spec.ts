// The page of tunnels: used, marked and filtered. What devices have open is put in the place of the service's own list:
// the page has to work with whichever fields a service has. How tunnels are closed: tunnels.spec.ts.
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';

const DAY = 86_400_000;

interface Listed {
  Name: string;
  [field: string]: unknown;
}

/** Answers in the place of the service. */
const withTunnels = (page: Page, json: Listed[]) => page.route('**/v1/tunnels', (route) => route.fulfill({ json }));

/** A public one, an old one, one of a deleted device, and one whose address is hostile. */
const tunnelsOf = (DeviceId: string): Listed[] => [
  {
    Name: 'web1',
    PublicUrl: 'https://web1.tunnels.example',
    Protocol: 'HTTP',
    LocalDest: 'http://127.0.0.1:3000',
    Created: new Date(Date.now() - 40 * DAY).toISOString(),
    Uptime: '3d 4h',
    DeviceId: DeviceId,
    DeviceName: 'pump 1',
    DeviceStatus: 'Online',
    Connections: 3,
    BytesIn: 1024,
    BytesOut: 2048,
    Auth: 'None',
  },
  {
    Name: 'ssh1',
    PublicUrl: 'N/A',
    PublicAddr: 'muster.example:40022',
    Protocol: 'TCP',
    LocalDest: 'tcp://127.0.0.1:22',
    Created: new Date(Date.now() - 2 * DAY).toISOString(),
    Uptime: 'N/A',
    DeviceId: DeviceId,
    DeviceName: 'pump 1',
  },
  {
    Name: 'local1',
    PublicUrl: 'http://local1.localhost:8081',
    Protocol: 'HTTP',
    LocalDest: 'http://127.0.0.1:80',
    Created: new Date(Date.now() - DAY / 2).toISOString(),
    Uptime: '12h 1m',
    DeviceId: 'a-device-that-was-deleted',
    DeviceName: 'old camera',
    Auth: 'Basic',
  },
  {
    Name: 'odd1',
    PublicUrl: 'javascript:alert(document.domain)//<b>',
    Protocol: 'HTTP',
    LocalDest: 'nowhere',
    Created: 'not long ago',
    Uptime: '',
  },
];

async function openTunnels(page: Page, service: Service): Promise<void> {
  const { DeviceId } = await service.createDevice('pump 1');
  await withTunnels(page, tunnelsOf(DeviceId));
  await page.goto(`${service.url}/tunnels`);
  await expect(count(page)).toHaveText('4 tunnels');
}

const row = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Tunnels' }).getByRole('row').filter({ hasText: name });
const count = (page: Page) => page.getByRole('search', { name: 'Filter tunnels' }).getByRole('status');

test('a tunnel is listed with its address, who may use it, its age and its device @main', async ({
  signedIn: page,
  service,
}) => {
  await openTunnels(page, service);
  const web = row(page, 'web1');
  await expect(web.getByRole('link', { name: 'https://web1.tunnels.example' })).toHaveAttribute('rel', /noopener/);
  await expect(web).toContainText('Public, no sign-in');
  await expect(web).toContainText('Older than 7 days');
  await expect(web).toContainText('up 3d 4h');
  await expect(web.getByRole('cell', { name: '3 open 3 kB' })).toBeVisible();
  // Not listed with the tunnel: known from the fleet.
  await expect(row(page, 'muster.example:40022')).toContainText('Device Offline');
  await expect(row(page, 'muster.example:40022')).toContainText('Open TCP port');
  await expect(row(page, 'local1')).toContainText('Device gone');
  await expect(row(page, 'local1')).toContainText('Asks for a password');
  const odd = row(page, 'javascript:alert');
  await expect(odd).toContainText('not long ago');
  await expect(odd.getByRole('link')).toHaveCount(0);
  await expectAccessible(page);
});

test('the address and the ssh command of a tunnel are copied', async ({ signedIn: page, service, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openTunnels(page, service);
  const ssh = row(page, 'muster.example:40022');
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await ssh.getByRole('button', { name: 'Copy ssh command' }).click();
  await expect.poll(clipboard).toBe('ssh -p 40022 muster.example');
  await ssh.getByRole('button', { name: 'Copy public address' }).click();
  await expect.poll(clipboard).toBe('muster.example:40022');
});

test('a tunnel has a QR code when a phone can reach its address', async ({ signedIn: page, service }) => {
  await openTunnels(page, service);
  const here = page.getByRole('button', { name: 'QR code of local1 for a phone' });
  await expect(here).toBeDisabled();
  await expect(here).toHaveAttribute('title', /a phone cannot reach it/);
  await page.getByRole('button', { name: 'QR code of web1 for a phone' }).click();
  const code = page.getByRole('dialog', { name: 'Open on a phone' });
  await expect(code).toContainText('https://web1.tunnels.example');
  await expectAccessible(page);
  await page.goBack();
  await expect(code).toBeHidden();
});

test('tunnels are filtered by device, protocol and exposure, and a reload shows the same', async ({
  signedIn: page,
  service,
}) => {
  await openTunnels(page, service);
  await page.getByRole('combobox', { name: 'Device' }).click();
  await page.getByRole('option', { name: 'pump 1' }).click();
  await expect(count(page)).toHaveText('2 of 4 tunnels');
  await page.getByLabel('Protocol').selectOption('TCP');
  await expect(count(page)).toHaveText('1 of 4 tunnels');
  await page.reload();
  await expect(count(page)).toHaveText('1 of 4 tunnels');
  const exposure = page.getByLabel('Exposure', { exact: true });
  await exposure.selectOption('Public, no sign-in');
  await expect(page.getByText('No tunnel matches')).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await exposure.selectOption('Any warning');
  await expect(count(page)).toHaveText('3 of 4 tunnels');
  await exposure.selectOption('Older than 7 days');
  await page.getByLabel('Old').selectOption('Old after 90 days');
  await expect(page.getByText('No tunnel matches')).toBeVisible();
});

test('a tunnel that leaves the filter stays under the pointer until it leaves', async ({ signedIn: page, service }) => {
  const { DeviceId, DeviceKey } = await service.createDevice('pump 1');
  const other = await service.createDevice('pump 2');
  const [, ssh = { Name: '' }] = tunnelsOf(DeviceId);
  await withTunnels(page, [ssh, { ...ssh, Name: 'ssh2', DeviceId: other.DeviceId, DeviceName: 'pump 2' }]);
  await page.goto(`${service.url}/tunnels?exposure=offline`);
  await row(page, 'pump 1').getByRole('link').first().hover();
  await service.agent(DeviceKey);
  await expect(count(page)).toHaveText('1 of 2 tunnels');
  await expect(row(page, 'pump 1')).not.toContainText('Device Offline');
  await page.getByRole('heading', { level: 1 }).hover();
  await expect(row(page, 'pump 1')).toBeHidden();
  await expect(row(page, 'pump 2')).toBeVisible();
});

test('on a phone the tunnels of a device lead to the page of tunnels, and nothing is cut off', async ({
  signedIn: page,
  service,
}) => {
  const { DeviceId } = await service.createDevice('pump 1');
  const [web] = tunnelsOf(DeviceId);
  await withTunnels(page, [{ Name: 'web1', ...web, Created: '', Uptime: '', LocalDest: ':80' }]);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${service.url}/devices/${DeviceId}`);
  await expect(page.getByRole('link', { name: 'https://web1.tunnels.example' })).toBeVisible();
  await page.getByRole('link', { name: 'Manage tunnels' }).click();
  await expect(count(page)).toHaveText('1 tunnel');
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  await expectAccessible(page);
});
