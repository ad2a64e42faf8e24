// The Tunnels page: links, warnings and filters, on a list that replaces the service's own, since the page must work with
// whichever fields a service reports. What needs a browser: e2e/tunnels-page.spec.ts and e2e/tunnels.spec.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { screen, waitFor, within } from '@testing-library/dom';
import {
  dialogOf,
  expectAccessible,
  expectAddress,
  expectGone,
  expectText,
  testPage,
  type TestPage,
} from '#/test-page.ts';

const DAY = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * DAY).toISOString();

/** A public and old one, one of an offline device, one with a password, and one whose address is hostile. */
const tunnelsOf = (DeviceId: string) => [
  {
    Name: 'web1',
    PublicUrl: 'https://web1.tunnels.example',
    Protocol: 'HTTP',
    LocalDest: 'http://127.0.0.1:3000',
    Created: ago(40),
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
    Created: ago(2),
    // Shown rather than `Created`, which has minutes only.
    CreatedTime: ago(5.5),
    Source: 'person:1',
    SourceName: 'Ada',
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
    Created: ago(0.5),
    Source: 'device',
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

const expectCount = async (text: string) => {
  await screen.findByLabelText('Filter tunnels');
  await expectText(() => within(screen.getByLabelText('Filter tunnels')).getByRole('status'), text);
};
const row = (text: string) => {
  const found = within(screen.getByRole('table', { name: 'Tunnels' }))
    .getAllByRole('row')
    .find(({ textContent }) => textContent.includes(text));
  assert.ok(found, `no row with ${text}`);
  return found;
};

async function openTunnels({ open, service, route }: TestPage): Promise<void> {
  const { DeviceId } = await service.createDevice('pump 1');
  route(/^\/v1\/tunnels$/, async () => Response.json(tunnelsOf(DeviceId)));
  await open('/tunnels');
  await expectCount('4 tunnels');
}

test('a tunnel is listed with its address, who may use it, its age and its device, and a QR code where a phone can reach it', async (t) => {
  const page = await testPage(t);
  await openTunnels(page);
  const web = row('web1');
  const link = within(web).getByRole('link', { name: 'https://web1.tunnels.example' });
  assert.match(link.getAttribute('rel') ?? '', /noopener/);
  for (const words of ['Public, no sign-in', 'Older than 7 days', 'up 3d 4h'])
    assert.ok(web.textContent.includes(words), words);
  within(web).getByRole('cell', { name: '3 open 3 kB' });
  for (const words of ['Device Offline', 'Open TCP port', '5d ago', 'by Ada'])
    assert.ok(row('muster.example:40022').textContent.includes(words), words);
  for (const words of ['Password required', 'by the device'])
    assert.ok(row('local1').textContent.includes(words), words);
  const odd = row('javascript:alert');
  assert.match(odd.textContent, /not long ago/);
  assert.equal(within(odd).queryAllByRole('link').length, 0);
  await expectAccessible();

  const here = screen.getByRole('button', { name: 'QR code of local1 for a phone' });
  assert.equal(here.getAttribute('aria-disabled'), 'true');
  assert.match(here.title, /a phone cannot reach it/);
  // A tap shows no tooltip.
  await page.user.click(here);
  assert.match((await screen.findByRole('tooltip')).textContent, /a phone cannot reach it/);
  await page.user.click(screen.getByRole('button', { name: 'QR code of web1 for a phone' }));
  const code = await dialogOf('Open on a phone');
  await expectText(() => code, /https:\/\/web1\.tunnels\.example/);
  await expectAccessible();
  history.back();
  await expectGone(() => screen.queryByRole('dialog'));
});

test('a reload keeps the filters by device, protocol and exposure, and the age from which a tunnel is marked as old', async (t) => {
  const page = await testPage(t);
  const { user } = page;
  await openTunnels(page);
  await user.click(screen.getByRole('combobox', { name: 'Device' }));
  await user.click(await screen.findByRole('option', { name: 'pump 1' }));
  await expectCount('2 of 4 tunnels');
  await user.selectOptions(screen.getByLabelText('Protocol'), 'TCP');
  await expectCount('1 of 4 tunnels');
  await page.open(location.pathname + location.search);
  await expectCount('1 of 4 tunnels');
  const exposure = () => screen.getByLabelText('Exposure', { exact: true });
  await user.selectOptions(exposure(), 'Public, no sign-in');
  await screen.findByText('No matching tunnels');
  await user.click(screen.getByRole('button', { name: 'Clear filters' }));
  await expectAddress('/tunnels');
  await user.selectOptions(exposure(), 'Any warning');
  await expectCount('2 of 4 tunnels');

  await page.open('/tunnels');
  await expectCount('4 tunnels');
  assert.match(row('web1').textContent, /Older than 7 days/);
  await user.click(screen.getByRole('button', { name: 'More for tunnels' }));
  const now = await screen.findByRole('menuitem', { name: 'After 7 days' });
  assert.equal(now.getAttribute('aria-current'), 'true');
  await user.click(screen.getByRole('menuitem', { name: 'After 90 days' }));
  await waitFor(() => assert.doesNotMatch(row('web1').textContent, /Older than/));
  await page.open('/tunnels');
  await expectCount('4 tunnels');
  assert.doesNotMatch(row('web1').textContent, /Older than/);
});
