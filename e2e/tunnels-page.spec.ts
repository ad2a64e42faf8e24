// The Tunnels page: links, warnings and filters, on a list that replaces the service's own, since the page must work with
// whichever fields a service reports. tunnels.spec.ts covers opening and closing.
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';

const DAY = 86_400_000;

interface Listed {
  Name: string;
  [field: string]: unknown;
}

/** Answers instead of the service. */
const withTunnels = (page: Page, json: Listed[]) => page.route('**/v1/tunnels', (route) => route.fulfill({ json }));

/** A public and old one, one of an offline device, one with a password, and one whose address is hostile. */
const tunnelsOf = (DeviceId: string): Listed[] => [
  {
    Name: 'web1',
    PublicUrl: 'https://web1.tunnels.example',
    Protocol: 'HTTP',
    LocalDest: 'http://127.0.0.1:3000',
    Created: new Date(Date.now() - 40 * DAY).toISOString(),
    Uptime: '3d 4h',
    DeviceId,
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
    DeviceId,
    DeviceName: 'pump 1',
    DeviceStatus: 'Offline',
  },
  {
    Name: 'local1',
    PublicUrl: 'http://local1.localhost:8081',
    Protocol: 'HTTP',
    LocalDest: 'http://127.0.0.1:80',
    Created: new Date(Date.now() - DAY / 2).toISOString(),
    Uptime: '12h 1m',
    DeviceId: 'camera-7',
    DeviceName: 'old camera',
    DeviceStatus: 'Online',
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

test('a tunnel is listed with its address, who may use it, its age and its device, and a QR code where a phone can reach it', async ({
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
  await expect(row(page, 'muster.example:40022')).toContainText('Device Offline');
  await expect(row(page, 'muster.example:40022')).toContainText('Open TCP port');
  await expect(row(page, 'local1')).toContainText('Password required');
  const odd = row(page, 'javascript:alert');
  await expect(odd).toContainText('not long ago');
  await expect(odd.getByRole('link')).toHaveCount(0);
  await expectAccessible(page);

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

test('a reload keeps the filters by device, protocol and exposure, and the age from which a tunnel is marked as old', async ({
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
  await expect(page.getByText('No matching tunnels')).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await exposure.selectOption('Any warning');
  await expect(count(page)).toHaveText('2 of 4 tunnels');

  await page.goto(`${service.url}/tunnels`);
  await expect(row(page, 'web1')).toContainText('Older than 7 days');
  await page.getByRole('button', { name: 'More for tunnels' }).click();
  await expect(page.getByRole('menuitem', { name: 'After 7 days' })).toHaveAttribute('aria-current', 'true');
  await page.getByRole('menuitem', { name: 'After 90 days' }).click();
  await expect(row(page, 'web1')).not.toContainText('Older than');
  await page.reload();
  await expect(count(page)).toHaveText('4 tunnels');
  await expect(row(page, 'web1')).not.toContainText('Older than');
});

test('on a phone a device links to its tunnels on the Tunnels page, and nothing is cut off', async ({
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
