// `npm run test:firefox`: one short way through the dashboard in the Firefox of this machine, against a real service and a
// real agent. The other end-to-end tests run in Chromium; this one shows that nothing in that way is Chromium's alone.
// Puppeteer drives it, because Playwright's own Firefox is a build that no distribution has.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { launch, type Page } from 'puppeteer-core';
import { buildIfStale } from '../../scripts/dist.ts';
import { Service } from '../fixtures.ts';

/** How long what should be on the page may take to get there, and how often it is looked for. */
const PATIENCE_MS = 60_000;
const LOOK_MS = 100;

const COMMANDS = ['firefox-esr', 'firefox'];
const INSTALLED_AT = [
  '/Applications/Firefox.app/Contents/MacOS/firefox',
  ...['PROGRAMFILES', 'PROGRAMFILES(X86)'].flatMap((name) => {
    const folder = process.env[name];
    return folder === undefined ? [] : [join(folder, 'Mozilla Firefox/firefox.exe')];
  }),
];

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The Firefox of this machine: the one that FIREFOX_PATH names, else the system's. */
function findFirefox(): string | undefined {
  const chosen = process.env['FIREFOX_PATH'];
  if (chosen) {
    if (!isExecutable(chosen)) throw new Error(`FIREFOX_PATH=${chosen} is not a program that can be run`);
    return chosen;
  }
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return [...COMMANDS.flatMap((command) => folders.map((folder) => join(folder, command))), ...INSTALLED_AT].find(
    isExecutable,
  );
}

/** Whether a tile of the base map and the layer of the devices have something on them. */
const DRAWN = `['.leaflet-tile-pane canvas', '.leaflet-overlay-pane canvas'].every((layer) =>
  [...document.querySelectorAll(layer)].some((canvas) => canvas.width > 0 &&
    canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((value, at) => at % 4 === 3 && value > 0)))`;

const executablePath = findFirefox();
if (executablePath === undefined) {
  process.stdout.write(
    'There is no Firefox on this machine, so nothing was tried in it. To have it tried: sudo apt-get install firefox-esr, ' +
      'or FIREFOX_PATH=/path/to/firefox.\n',
  );
} else {
  await buildIfStale();
  const service = Service.own();
  const firefox = await launch({
    browser: 'firefox',
    executablePath,
    defaultViewport: { width: 1280, height: 900 },
  });
  try {
    await service.start();
    process.stdout.write(`${await firefox.version()}\n`);
    await smoke(await firefox.newPage(), service);
  } catch (error) {
    process.exitCode = 1;
    process.stdout.write(`✖ ${error instanceof Error ? error.message : String(error)}\n`);
  } finally {
    await firefox.close();
    await service.close();
  }
}

/** In the page: whether a click would meet this element, which did not move for two frames; brings it into view. */
async function isReady(element: Element): Promise<boolean> {
  element.scrollIntoView({ block: 'center' });
  const before = element.getBoundingClientRect();
  for (let frame = 0; frame < 2; frame += 1) await new Promise((next) => requestAnimationFrame(next));
  const { x, y, width, height } = element.getBoundingClientRect();
  const met = document.elementFromPoint(x + width / 2, y + height / 2);
  return x === before.x && y === before.y && element.contains(met) && !element.matches(':disabled');
}

async function smoke(page: Page, service: Service): Promise<void> {
  const { DeviceId, DeviceKey } = await service.createDevice('pump-7', 'pumps');
  await service.locate(DeviceId, 47, 8);
  await service.agent(DeviceKey);
  const artifact = await service.uploadScript(
    'hello.sh',
    '#!/bin/sh\necho hello from pump-7\n',
    await service.folder('smoke'),
  );
  const errors: string[] = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(String(error)));

  let steps = 0;
  const step = async (name: string, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      const text = await page.evaluate('document.body.innerText.slice(0, 2000)');
      throw new Error(`${name}: ${String(error)}; the page says: ${String(text)}`, { cause: error });
    }
    if (errors.length > 0) throw new Error(`${name}: ${errors.join('\n')}`);
    steps += 1;
    process.stdout.write(`✔ ${name}\n`);
  };
  // Puppeteer's own waiting, its locators included, makes functions from text in the page, which the content security
  // policy forbids.
  const until = async (expression: string) => {
    for (const end = Date.now() + PATIENCE_MS; (await page.evaluate(expression)) !== true; await pause(LOOK_MS))
      if (Date.now() > end) throw new Error(`It did not become true: ${expression}`);
  };
  const sees = (text: string) => until(`document.body.innerText.includes(${JSON.stringify(text)})`);
  /** Clicks, as a mouse does, on what has this role and name, once it is enabled, at rest and not covered. */
  const click = async (role: 'link' | 'button', name: string) => {
    for (const end = Date.now() + PATIENCE_MS; ; await pause(LOOK_MS)) {
      const element = await page.$(`::-p-aria(${name}[role="${role}"])`);
      if (await element?.evaluate(isReady)) return element?.click();
      if (Date.now() > end) throw new Error(`There is no ${role} "${name}" to click`);
    }
  };

  await step('sign-in', async () => {
    await page.goto(`${service.url}/sign-in`);
    await until(`document.activeElement?.labels?.[0]?.textContent === 'API token'`);
    await page.keyboard.type(service.token);
    await click('button', 'Sign in');
    await sees('Overview');
  });
  await step('table', async () => {
    await click('link', 'Devices');
    await until(`[...document.querySelectorAll('td, th')].some((cell) => cell.innerText.trim() === 'pump-7')`);
    await sees('Online');
  });
  await step('map', async () => {
    await click('link', 'Map');
    await sees('1 on the map');
    await until(DRAWN);
  });
  await step('deploy', async () => {
    await page.goto(`${service.url}/deploy?${new URLSearchParams({ device: DeviceId, artifact })}`);
    // What is known of the target comes in parts, and moves the button.
    await sees('It has not run on it yet.');
    await click('button', 'Deploy');
    await sees('Succeeded');
  });
  await step('log', () => sees('hello from pump-7'));
  process.stdout.write(`\n${steps} passed, 0 failed\n`);
}
