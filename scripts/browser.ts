// The Chromium that the end-to-end tests drive: found where there is one, fetched where there is none.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { chromium, type LaunchOptions } from '@playwright/test';

/** Where a browser is, and whose: the user's choice, Playwright's own download, or the system's. */
export interface Browser {
  kind: 'CHROMIUM_PATH' | 'playwright' | 'system';
  path: string;
}

// It has no window and takes a third less CPU time than the whole browser; what it lacks is the notices of the system.
const HEADLESS_ONLY = 'chromium-headless-shell';
const WHOLE = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'microsoft-edge'];
const INSTALLED_AT = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ...['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].flatMap((name) => {
    const folder = process.env[name];
    return folder === undefined
      ? []
      : [join(folder, 'Google/Chrome/Application/chrome.exe'), join(folder, 'Microsoft/Edge/Application/msedge.exe')];
  }),
];
const DOWNLOAD_LIMIT_MS = 300_000;
// The last --disable-features counts, so what Playwright says there (chromiumSwitches.ts) has to be said again.
const PLAYWRIGHT_HAS_OFF = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'msForceBrowserSignIn',
  'msEdgeUpdateLaunchServicesPreferredVersion',
];

/**
 * The browser that is there, or undefined. A CHROMIUM_PATH that can't be run is an error, not a reason to use another.
 * @param light one that only shows pages will do, and is taken first
 */
export function findBrowser(env: NodeJS.ProcessEnv = process.env, { light = false } = {}): Browser | undefined {
  const chosen = env['CHROMIUM_PATH'];
  if (chosen) {
    if (!isExecutable(chosen)) throw new Error(`CHROMIUM_PATH=${chosen} is not a program that can be run`);
    return { kind: 'CHROMIUM_PATH', path: chosen };
  }
  const own = chromium.executablePath();
  if (existsSync(own)) return { kind: 'playwright', path: own };
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const commands = light ? [HEADLESS_ONLY, ...WHOLE] : WHOLE;
  const inPath = commands.flatMap((command) => folders.map((folder) => join(folder, command)));
  const system = [...inPath, ...INSTALLED_AT].find(isExecutable);
  return system === undefined ? undefined : { kind: 'system', path: system };
}

/** Finds a browser or gets one: Playwright's download first, then the system's package (Playwright has none for every system). */
export function ensureBrowser(): void {
  if (findBrowser() ?? downloaded() ?? packaged()) return;
  throw new Error(
    'The end-to-end tests need Chromium or Chrome, and none could be found or installed. Do one of these and run ' +
      'the tests again:\n  npx playwright install --with-deps chromium\n  sudo apt-get install chromium\n' +
      '  CHROMIUM_PATH=/path/to/chrome npm test',
  );
}

/** How Playwright has to start the browser that was found; with none it uses its own defaults and says what is missing. */
export function launchOptions({ light = false } = {}): LaunchOptions {
  const browser = findBrowser(process.env, { light });
  const args: string[] = [];
  // Chromium's sandbox refuses to work for root, which is who runs tests in containers.
  if (process.getuid?.() === 0) args.push('--no-sandbox');
  if (browser === undefined || browser.kind === 'playwright') return { args, ...(!light && { channel: 'chromium' }) };
  // A system browser would spend the tests' time on updates and sync that Playwright's own has switched off, and on
  // lists for its address bar, in a process of their own for each test.
  args.push('--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync');
  args.push(`--disable-features=${[...PLAYWRIGHT_HAS_OFF, 'WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'].join(',')}`);
  return { executablePath: browser.path, args };
}

function downloaded(): Browser | undefined {
  const cli = createRequire(import.meta.url).resolve('@playwright/test/cli');
  run(process.execPath, [cli, 'install', 'chromium'], { timeout: DOWNLOAD_LIMIT_MS });
  return findBrowser();
}

function packaged(): Browser | undefined {
  if (process.platform !== 'linux' || !existsSync('/usr/bin/apt-get')) return undefined;
  const [command, ...first] = process.getuid?.() === 0 ? ['apt-get'] : ['sudo', '-n', 'apt-get'];
  if (command === undefined) return undefined;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = (...packages: string[]) =>
    run(command, [...first, 'install', '-y', '--no-install-recommends', ...packages], { env });
  // Not every system that has apt has both.
  if (!install('chromium', HEADLESS_ONLY)) {
    run(command, [...first, 'update'], { env });
    if (!install('chromium', HEADLESS_ONLY)) install('chromium');
  }
  return findBrowser();
}

function run(command: string, args: string[], options: { timeout?: number; env?: NodeJS.ProcessEnv }): boolean {
  process.stderr.write(`> ${command} ${args.join(' ')}\n`);
  return spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'], ...options }).status === 0;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
