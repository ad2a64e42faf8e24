// `npm run test:firefox`: one short way through the dashboard in the Firefox of this machine, against a real service and a
// real agent. The other end-to-end tests run in Chromium; this one shows that nothing in that way is Chromium's alone.
import { buildIfStale } from '../../scripts/dist.ts';
import { Service } from '../fixtures.ts';
import { Firefox, findFirefox } from './firefox.ts';

/** Whether a tile of the base map and the layer of the devices have something on them. */
const DRAWN = `['.leaflet-tile-pane canvas', '.leaflet-overlay-pane canvas'].every((layer) =>
  [...document.querySelectorAll(layer)].some((canvas) => canvas.width > 0 &&
    canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((value, at) => at % 4 === 3 && value > 0)))`;

const program = findFirefox();
if (program === undefined) {
  process.stdout.write(
    'There is no Firefox on this machine, so nothing was tried in it. To have it tried: sudo apt-get install firefox-esr, ' +
      'or FIREFOX_PATH=/path/to/firefox.\n',
  );
} else {
  await buildIfStale();
  const service = new Service({});
  let firefox: Firefox | undefined;
  try {
    await service.start();
    firefox = await Firefox.start(program);
    await smoke(firefox, service);
  } catch (error) {
    process.exitCode = 1;
    process.stdout.write(`✖ ${error instanceof Error ? error.message : String(error)}\n`);
  } finally {
    await firefox?.close();
    await service.close();
  }
}

async function smoke(page: Firefox, service: Service): Promise<void> {
  process.stdout.write(`Firefox ${page.version}\n`);
  const { DeviceId, DeviceKey } = await service.createDevice('pump-7', 'pumps');
  await service.locate(DeviceId, 47, 8);
  await service.agent(DeviceKey);
  const artifact = await service.uploadScript(
    'hello.sh',
    '#!/bin/sh\necho hello from pump-7\n',
    await service.folder('smoke'),
  );
  let steps = 0;
  const step = async (name: string, work: () => Promise<void>) => {
    await work();
    if (page.errors.length > 0) throw new Error(`${name}: ${page.errors.join('\n')}`);
    steps += 1;
    process.stdout.write(`✔ ${name}\n`);
  };

  await step('sign-in', async () => {
    await page.open(`${service.url}/sign-in`);
    await page.until('the field for the token', `document.activeElement?.id === 'token'`);
    await page.type(service.token);
    await page.click('button', 'Sign in');
    await page.sees('Overview');
  });
  await step('table', async () => {
    await page.click('link', 'Devices');
    await page.until(
      'the row of pump-7',
      `[...document.querySelectorAll('td, th')].some((cell) => cell.innerText.trim() === 'pump-7')`,
    );
    await page.sees('Online');
  });
  await step('map', async () => {
    await page.click('link', 'Map');
    await page.sees('1 on the map');
    await page.until('the drawn map', DRAWN);
  });
  await step('deploy', async () => {
    await page.open(`${service.url}/deploy?${new URLSearchParams({ device: DeviceId, artifact })}`);
    await page.until(
      'the button',
      `[...document.querySelectorAll('button[type=submit]')].some((button) => !button.disabled)`,
    );
    // What is known of the target comes in parts, and moves the button.
    await page.sees('It has not run on it yet.');
    await page.click('button', 'Deploy');
    await page.sees('Succeeded');
  });
  await step('log', () => page.sees('hello from pump-7'));
  process.stdout.write(`\n${steps} passed, 0 failed\n`);
}
