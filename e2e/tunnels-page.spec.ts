// The Tunnels page on a list that replaces the service's own: what is copied, and a phone. Its texts, warnings and filters:
// src/pages/tunnels/tunnels.test.tsx; opening and closing: tunnels.spec.ts.
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';

const DAY = 86_400_000;

interface Listed {
  Name: string;
  [field: string]: unknown;
}

/** Answers instead of the service. */
const withTunnels = (page: Page, json: Listed[]) => page.route('**/v1/tunnels', (route) => route.fulfill({ json }));

/** A public one, and one that ssh goes through. */
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
];

async function openTunnels(page: Page, service: Service): Promise<void> {
  const { DeviceId } = await service.createDevice('pump 1');
  await withTunnels(page, tunnelsOf(DeviceId));
  await page.goto(`${service.url}/tunnels`);
  await expect(count(page)).toHaveText('2 tunnels');
}

const row = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Tunnels' }).getByRole('row').filter({ hasText: name });
const count = (page: Page) => page.getByRole('search', { name: 'Filter tunnels' }).getByRole('status');

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
