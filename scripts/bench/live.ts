// A change on one of very many devices, until it is on the screen of another person; and what a page costs that was not
// seen for an hour: the built dashboard in Chromium, with the real service.
import { setTimeout } from 'node:timers/promises';
import { chromium, type Browser, type Page } from '@playwright/test';
import { findBrowser, launchOptions } from '../browser.ts';
import { buildIfStale } from '../dist.ts';
import { withService, type MeasuredService } from './measured-service.ts';
import { kilobytes, median, milliseconds, type Figure, type Row, type Section } from './section.ts';
import { openPage, shows } from './service-page.ts';
import { LONG, longestTask } from './watched-page.ts';

const RUNS = 5;
/** Milliseconds after which a change is not gathered with the one before. */
const GATHERED = 1_500;
/** What changed while nobody looked. */
const MISSED = 2_000;
const AT_ONCE = 8;
const SECOND = { what: 'the goal', figure: milliseconds(1_000) };

interface Named {
  id: string;
  name: string;
}

export const live: Section = async ({ devices }) => {
  const subject = `${devices.toLocaleString('en-US')} devices, the built dashboard in Chromium`;
  if (!findBrowser()) {
    process.stderr.write('There is no browser on this machine, so the pages are not measured.\n');
    return { subject, rows: [] };
  }
  await buildIfStale();
  return withService(async (service) => {
    await service.send('devices', { count: devices, group: 'bench', keys: false });
    first = (await firstDevices(service, 1))[0];
    // In the middle of the map.
    await call(service, 'POST', `/v1/devices/location/${first?.id}`, { Lat: 10, Lng: 10 });
    const browser = await chromium.launch(launchOptions());
    try {
      const rows = [
        ...(await changed(browser, service, 'table', '/devices?sort=name', renameFirst)),
        ...(await changed(browser, service, 'map', '/map', renameFirst)),
        ...(await changed(browser, service, 'overview', '/', addOne)),
        ...(await seenAgain(browser, service)),
      ];
      return { subject, rows };
    } finally {
      await browser.close();
    }
  });
};

async function call(service: MeasuredService, method: string, path: string, body?: unknown): Promise<unknown> {
  const headers = { ...service.headers, 'content-type': 'application/json' };
  const answer = await fetch(service.url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

async function firstDevices(service: MeasuredService, count: number): Promise<Named[]> {
  const found: Named[] = [];
  for (let page = 1; found.length < count; page++) {
    const read = (await call(service, 'GET', `/v1/devices/${page}/1000`)) as {
      Devices: { DeviceId: string; DeviceName: string }[];
    };
    found.push(...read.Devices.map(({ DeviceId: id, DeviceName: name }) => ({ id, name })));
  }
  return found.slice(0, count);
}

/** Makes a change, and returns what then is on the screen. */
type Change = (service: MeasuredService, nth: number) => Promise<string>;

let first: Named | undefined;
async function renameFirst(service: MeasuredService, nth: number): Promise<string> {
  const DeviceName = `${first?.name}-${nth}`;
  await call(service, 'PATCH', `/v1/devices/${first?.id}`, { DeviceName });
  return DeviceName;
}

let added = 0;
async function addOne(service: MeasuredService): Promise<string> {
  await call(service, 'POST', '/v1/devices', { DeviceName: `zz-${++added}`, DeviceGroup: 'bench' });
  const { NumDevicesAdded } = (await call(service, 'GET', '/v1/account')) as { NumDevicesAdded: number };
  return NumDevicesAdded.toLocaleString('en-US');
}

async function changed(
  browser: Browser,
  service: MeasuredService,
  name: string,
  path: string,
  change: Change,
): Promise<Row[]> {
  const page = await openPage(browser, service, path);
  // The first ones wait for the fleet to be read.
  for (let nth = 0; nth < 2; nth++) await shows(page, await change(service, nth + 100));
  const delays: number[] = [];
  const longest = await longestTask(browser, page, async () => {
    for (let nth = 0; nth < RUNS; nth++) {
      await setTimeout(GATHERED);
      const text = await change(service, nth + 200);
      const begun = performance.now();
      await shows(page, text);
      delays.push(performance.now() - begun);
    }
  });
  await page.close();
  return [
    {
      what: `${name}: a change of one device, until it is drawn`,
      figure: milliseconds(median(delays)),
      against: SECOND,
    },
    { what: `${name}: the same, longest task`, figure: longest, against: LONG },
  ];
}

const see = (page: Page, state: 'hidden' | 'visible') =>
  page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));`);

async function seenAgain(browser: Browser, service: MeasuredService): Promise<Row[]> {
  const page = await openPage(browser, service, '/devices?sort=name');
  await shows(page, await renameFirst(service, 300));
  await see(page, 'hidden');
  const missed = (await firstDevices(service, MISSED)).values();
  const rename = async () => {
    for (const { id, name } of missed) await call(service, 'PATCH', `/v1/devices/${id}`, { DeviceName: `${name}~` });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, rename));
  const last = await renameFirst(service, 400);
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  let bytes = 0;
  let requests = 0;
  session.on('Network.requestWillBeSent', () => requests++);
  session.on('Network.dataReceived', ({ encodedDataLength }) => (bytes += encodedDataLength));
  let delay = 0;
  const longest = await longestTask(browser, page, async () => {
    const begun = performance.now();
    await see(page, 'visible');
    await shows(page, last);
    delay = performance.now() - begun;
  });
  await page.close();
  const what = `seen again, ${MISSED.toLocaleString('en-US')} devices changed`;
  const all: Figure = kilobytes((await (await fetch(`${service.url}/v1/devices/1/1000`, service)).text()).length);
  return [
    { what: `${what}: until they are drawn`, figure: milliseconds(delay), against: SECOND },
    { what: `${what}: longest task`, figure: longest, against: LONG },
    { what: `${what}: received`, figure: kilobytes(bytes), against: { what: 'a page of 1,000 rows', figure: all } },
    {
      what: `${what}: requests`,
      figure: { value: requests, unit: 'requests' },
      against: { what: 'pages of the fleet', figure: { value: 100, unit: 'requests' } },
    },
  ];
}
