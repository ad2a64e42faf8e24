// Tunnels that are opened from the dashboard: with real agents that allow it, on a web server that is really behind them.
import type { Page } from '@playwright/test';
import { DeviceWeb, statusOf } from './behind-tunnels.ts';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';

let web: DeviceWeb;
let port: string;
test.beforeEach(async () => {
  web = new DeviceWeb();
  ({ port } = new URL(await web.start()));
});
test.afterEach(() => web.stop());

/** A device whose agent was started with these arguments, once it is Online. */
async function online(service: Service, name: string, args: string[]): Promise<string> {
  const { DeviceId, DeviceKey } = await service.createDevice(name);
  await service.agent(DeviceKey, { data: await service.folder(name), args });
  const status = async () =>
    (await service.call<{ DeviceStatus: string }[]>('GET', `/v1/devices/1/5/filters?device_id=${DeviceId}`))[0]
      ?.DeviceStatus;
  await expect.poll(status).toBe('Online');
  return DeviceId;
}

const dialogOf = (page: Page, name = 'Open a tunnel') => page.getByRole('dialog', { name });

async function choose(page: Page, device: string): Promise<void> {
  const dialog = dialogOf(page);
  await dialog.getByRole('combobox', { name: 'Device' }).fill(device);
  await page.getByRole('option', { name: device }).click();
}

test('a tunnel is opened with a login that is shown once, and its address works @main', async ({
  signedIn: page,
  service,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await online(service, 'pump 1', ['--allow-tunnels', 'loopback']);
  await page.goto(`${service.url}/tunnels`);
  await page.getByRole('link', { name: 'Open a tunnel' }).click();
  await choose(page, 'pump 1');
  await dialogOf(page).getByLabel('Port', { exact: true }).fill(port);
  await expect(dialogOf(page).getByLabel('Closes after')).toHaveValue('60');
  await expectAccessible(page);
  await dialogOf(page).getByRole('button', { name: 'Open tunnel' }).click();

  const opened = dialogOf(page, 'The tunnel is open');
  await expect(opened.getByRole('timer')).toHaveText(/^Closes in (1:00:00|59:\d\d)\.$/);
  await expect(opened.getByRole('button', { name: 'Done' })).toBeDisabled();
  await expectAccessible(page);
  await opened.getByRole('button', { name: 'Copy password' }).click();
  const password = await page.evaluate(() => navigator.clipboard.readText());
  await expect(opened.getByLabel('With curl')).toContainText(`curl -u visitor:${password} http`);
  const address = await opened.getByRole('link', { name: /^http:/ }).innerText();
  const basic = (text: string) => ({ Authorization: `Basic ${Buffer.from(text).toString('base64')}` });
  expect(await statusOf(address)).toBe(401);
  expect(await statusOf(address, '/', basic(`visitor:${password}`))).toBe(200);
  await opened.getByRole('button', { name: 'Done' }).click();

  const row = page.getByRole('table', { name: 'Tunnels' }).getByRole('row').filter({ hasText: 'pump 1' });
  await expect(row).toContainText('Password required');
  await expect(row).toContainText('Ends in');
  await expect(page.locator('body')).not.toContainText(password);
});

test('where the device does not allow it, the dialog says what to do there; a public tunnel is confirmed', async ({
  signedIn: page,
  service,
}) => {
  const id = await online(service, 'pump 1', []);
  await page.goto(`${service.url}/devices/${id}`);
  await page.getByRole('link', { name: 'Open a tunnel' }).click();
  const dialog = dialogOf(page);
  const hint = dialog.getByRole('note');
  await expect(hint).toContainText('The device does not allow this tunnel. It allows none to be opened from here.');
  await expect(hint.getByLabel('On the device')).toContainText('muster-agent allow-tunnels loopback');
  await dialog.getByLabel('Host on the device').fill('192.168.1.20');
  await expect(hint.getByLabel('On the device')).toContainText('muster-agent allow-tunnels 192.168.1.20:80');
  const open = dialog.getByRole('button', { name: 'Open tunnel' });
  await expect(open).toBeDisabled();
  await expectAccessible(page);

  await online(service, 'pump 2', ['--allow-tunnels', 'loopback']);
  await page.goto(`${service.url}/tunnels?dialog=open`);
  await choose(page, 'pump 2');
  await dialog.getByLabel('Port', { exact: true }).fill(port);
  await dialog.getByLabel('Ask visitors for a login').uncheck();
  await expect(open).toBeDisabled();
  await expect(open).toHaveAccessibleDescription('Confirm that anyone may use it');
  await dialog.getByLabel('Anyone who has the address may use it').check();
  await open.click();
  await dialogOf(page, 'The tunnel is open').getByRole('button', { name: 'Done' }).click();
  await expect(page.getByRole('table', { name: 'Tunnels' })).toContainText('Public, no sign-in');
});

test('the page of a device opens a tunnel to its SSH server, and asks before a login is left that was not copied', async ({
  signedIn: page,
  service,
}) => {
  const id = await online(service, 'pump 1', ['--allow-tunnels', 'loopback']);
  await page.goto(`${service.url}/devices/${id}`);
  await page.getByRole('link', { name: 'Open a tunnel' }).click();
  const dialog = dialogOf(page);
  await expect(dialog).toContainText('To pump 1');
  await dialog.getByText('SSH', { exact: true }).click();
  await expect(dialog.getByLabel('Port', { exact: true })).toHaveValue('22');
  await dialog.getByRole('button', { name: 'Open tunnel' }).click();
  const opened = dialogOf(page, 'The tunnel is open');
  await expect(opened.getByLabel('With ssh')).toHaveText(/^ssh -p \d+ 127\.0\.0\.1$/);
  await opened.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByRole('table', { name: 'Tunnels of this device' })).toContainText('tcp://127.0.0.1:22');
  await page.getByRole('link', { name: 'Open a tunnel' }).click();
  await expect(dialog.getByRole('group', { name: 'Known services of the device' })).toContainText('tcp://127.0.0.1:22');

  await dialog.getByLabel('Port', { exact: true }).fill(port);
  await dialog.getByRole('button', { name: 'Open tunnel' }).click();
  await opened.press('Escape');
  await expect(opened).toBeVisible();
  await page.goBack();
  await expect(opened.getByRole('alert')).toContainText('Leaving now loses the login');
  await opened.getByRole('button', { name: 'Leave without the login' }).click();
  await expect(opened).toBeHidden();
});
