// The table and the map for a user: the built dashboard in Chromium with a fleet. The table is compared with Mantine's
// own with the same rows, movements with the frame of a screen.
import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { build, type Rolldown } from 'vite';
import { inBrowser } from './in-browser.ts';
import { sampleDevice, scatter } from './sample-fleet.ts';
import { median, milliseconds, type Figure, type Row, type Section } from './section.ts';
import { json, startStaticHost, type Answer, type StaticHost } from './static-host.ts';
import { LONG, busy, longestTask, opened, sessionOf } from './watched-page.ts';

const ROOT = join(import.meta.dirname, '../..');
const TABLES = [1_000, 10_000];
const RUNS = 5;
const FRAME = { what: 'a frame', figure: milliseconds(1000 / 60) };
/** A drag across the map and back, in pixels from its middle. */
const PANS = [
  [250, 60],
  [-250, -60],
  [0, 0],
] as const;
const PEER = '/mantine-table';

/** A page with Mantine's own table, as most dashboards have: `draw(devices)`, then `type(text)` filters them by name. */
const PEER_CODE = `
import { createElement as h, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { flushSync } from 'react-dom';
import { MantineProvider, Table } from '@mantine/core';
const FIELDS = ['DeviceName', 'DeviceStatus', 'DeviceGroup', 'CustomerName', 'CustomerSite', 'LocalAddr', 'LastSeenTime'];
function Rows({ devices }) {
  const [text, setText] = useState('');
  window.type = (next) => flushSync(() => setText(next));
  const shown = text === '' ? devices : devices.filter(({ DeviceName }) => DeviceName.includes(text));
  return h(Table, null, h(Table.Tbody, null, shown.map((device) =>
    h(Table.Tr, { key: device.DeviceId }, FIELDS.map((field) => h(Table.Td, { key: field }, device[field]))))));
}
window.draw = (devices) => flushSync(() =>
  createRoot(document.getElementById('root')).render(h(MantineProvider, null, h(Rows, { devices }))));
`;

async function peerCode(): Promise<string> {
  const built = (await build({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [
      {
        name: 'peer',
        resolveId: (id: string) => (id === 'peer.js' ? join(ROOT, 'peer.js') : null),
        load: (id: string) => (id === join(ROOT, 'peer.js') ? PEER_CODE : null),
      },
    ],
    build: { write: false, rolldownOptions: { input: 'peer.js', output: { format: 'iife' } } },
  })) as Rolldown.RolldownOutput;
  return built.output[0].code;
}

/** The API of a fleet of this size, with all devices on the map. */
function apiOf(count: number): (pathname: string) => Answer | undefined {
  const devices = Array.from({ length: count }, (_, n) => sampleDevice(n));
  const locations = JSON.stringify(
    scatter(count).map(({ Lat, Lng }, n) => ({ DeviceId: devices[n]?.DeviceId, Lat, Lng })),
  );
  return (pathname) => {
    if (pathname === '/v1/devices/location') return json(locations);
    const [, page, rows] = (/^\/v1\/devices\/(\d+)\/(\d+)$/.exec(pathname) ?? []).map(Number);
    return page === undefined || rows === undefined
      ? undefined
      : json({ Devices: devices.slice((page - 1) * rows, page * rows), TotalNumDevices: count });
  };
}

interface PagesHost extends StaticHost {
  /** Changes the size of the fleet. */
  setSize: (count: number) => void;
}

async function startHost(): Promise<PagesHost> {
  const peer = await peerCode();
  let api = apiOf(0);
  const host = await startStaticHost(({ pathname }) => {
    if (pathname === PEER)
      return ['text/html', `<!doctype html><div id="root"></div><script src="${PEER}.js"></script>`];
    return pathname === `${PEER}.js` ? ['text/javascript', peer] : api(pathname);
  });
  return { ...host, setSize: (count) => (api = apiOf(count)) };
}

export const pages: Section = async ({ points }) => ({
  subject: 'the built dashboard in Chromium',
  rows: await inBrowser(async (browser) => {
    const host = await startHost();
    try {
      const rows: Row[] = [];
      for (const count of TABLES) rows.push(...(await tableRows(browser, host, count)));
      for (const count of [10_000, ...points]) rows.push(...(await mapRows(browser, host, count)));
      return rows;
    } finally {
      host.close();
    }
  }),
});

const named = (count: number, what: string) => `${count.toLocaleString('en-US')} ${what}`;

async function tableRows(browser: Browser, host: PagesHost, count: number): Promise<Row[]> {
  host.setSize(count);
  // The map loads the whole fleet, so that it is in memory when the table is opened.
  const page = await opened(browser, `${host.url}/map`);
  const session = await sessionOf(page);
  const onMap = page.getByRole('region', { name: 'Devices in view' });
  // Selecting by role would be a large part of the measured time.
  const go = (path: string) =>
    page.evaluate(`document.querySelector('nav[aria-label=Main] a[href="${path}"]').click()`);
  const drawn = () => page.waitForFunction("document.querySelectorAll('tbody tr').length > 5");
  await onMap.waitFor();
  const openings: number[] = [];
  const keys: number[] = [];
  const applications: number[] = [];
  // The first run warms up and is left out.
  for (let run = 0; run <= RUNS; run++) {
    openings.push(
      await busy(page, session, async () => {
        await go('/devices');
        await drawn();
      }),
    );
    const filter = page.getByLabel('Search devices by name or ID');
    await filter.focus();
    for (const text of ['7', '77']) {
      const applied = page.waitForURL((url) => url.searchParams.get('q') === text);
      // The text is applied after a pause, which keeps the two apart.
      keys.push(await busy(page, session, () => page.keyboard.press('7')));
      applications.push(await busy(page, session, () => applied));
    }
    await go('/map');
    await onMap.waitFor();
  }
  openings.shift();
  for (const warm of [keys, applications]) warm.splice(0, 2);
  await go('/devices');
  await drawn();
  await page.evaluate('painted()');
  await page.getByRole('table', { name: 'Devices' }).hover();
  await frame95(page);
  const longest = await longestTask(browser, page, async () => {
    for (let step = 0; step < 40; step++) await page.mouse.wheel(0, 700);
  });
  const frame = await frame95(page);
  const rows = await page.locator('tbody tr').count();
  await page.close();

  const peer = await peerTimes(browser, host, count);
  const name = named(count, 'rows');
  const against = (figure: number) => ({ what: "Mantine's Table", figure: milliseconds(figure) });
  return [
    {
      what: `${name}: the page opened, main thread`,
      figure: milliseconds(median(openings)),
      against: against(peer.drawn),
    },
    {
      what: `${name}: a letter of a filter shown, main thread`,
      figure: milliseconds(median(keys)),
      against: FRAME,
    },
    {
      what: `${name}: the filter applied, URL and rows, main thread`,
      figure: milliseconds(median(applications)),
      against: against(peer.typed),
    },
    { what: `${name}: scrolled, 95th percentile frame`, figure: frame, against: FRAME },
    { what: `${name}: scrolled, longest task`, figure: longest, against: LONG },
    {
      what: `${name}: rows in the page`,
      figure: { value: rows, unit: 'rows' },
      against: { what: 'all of them', figure: { value: count, unit: 'rows' } },
    },
  ];
}

async function peerTimes(browser: Browser, host: PagesHost, count: number): Promise<{ drawn: number; typed: number }> {
  const drawn: number[] = [];
  const typed: number[] = [];
  const devices = JSON.stringify(Array.from({ length: count }, (_, n) => sampleDevice(n)));
  for (let run = 0; run < 3; run++) {
    const page = await opened(browser, host.url + PEER);
    const session = await sessionOf(page);
    await page.evaluate(`window.devices = ${devices}; 0`);
    drawn.push(await busy(page, session, () => page.evaluate('draw(devices)')));
    typed.push(await busy(page, session, () => page.evaluate('type("7")')));
    await page.close();
  }
  return { drawn: median(drawn), typed: median(typed) };
}

/** The 95th percentile of the frames since the last call. */
async function frame95(page: Page): Promise<Figure> {
  const frames = await page.evaluate<number[]>('frames95.splice(0)');
  const sorted = frames.toSorted((one, two) => one - two);
  return milliseconds(sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN);
}

async function mapRows(browser: Browser, host: PagesHost, count: number): Promise<Row[]> {
  host.setSize(count);
  const page = await opened(browser, `${host.url}/account`);
  const opening = await longestTask(browser, page, async () => {
    await page.locator('nav[aria-label=Main] a[href="/map"]').click();
    const list = page.getByRole('region', { name: 'Devices in view' });
    await list.getByRole('listitem').first().waitFor({ timeout: 300_000 });
  });
  const map = await page.getByRole('region', { name: 'Map of device locations' }).boundingBox();
  if (!map) throw new Error('The map has no box.');
  const [x, y] = [map.x + map.width / 2, map.y + map.height / 2];
  await frame95(page);
  const moving = await longestTask(browser, page, async () => {
    await page.mouse.move(x, y);
    await page.mouse.down();
    for (const [right, down] of PANS) await page.mouse.move(x + right, y + down, { steps: 40 });
    await page.mouse.up();
    for (const way of ['in', 'in', 'out', 'out']) {
      const before = page.url();
      await page.getByRole('button', { name: `Zoom ${way}` }).click();
      await page.waitForURL((url) => url.href !== before);
    }
  });
  const frame = await frame95(page);
  await page.close();
  const name = `map of ${named(count, 'devices')}`;
  return [
    { what: `${name}: longest task until it is drawn`, figure: opening, against: LONG },
    { what: `${name}: panned and zoomed, 95th percentile frame`, figure: frame, against: FRAME },
    { what: `${name}: panned and zoomed, longest task`, figure: moving, against: LONG },
  ];
}
