// The table and the map for a user: the built dashboard in Chromium with a fleet. The table is compared with Mantine's
// own with the same rows, movements with the frame of a screen.
import { chromium, type Browser, type Page } from '@playwright/test';
import { findBrowser, launchOptions } from '../browser.ts';
import { buildIfStale } from '../dist.ts';
import { startHost, type PagesHost } from './pages-host.ts';
import { sampleDevice } from './sample-fleet.ts';
import { median, milliseconds, type Figure, type Row, type Section } from './section.ts';
import { LONG, busy, longestTask, opened, sessionOf } from './watched-page.ts';

const TABLES = [1_000, 10_000];
const RUNS = 5;
const FRAME = { what: 'a frame', figure: milliseconds(1000 / 60) };
/** A drag across the map and back, in pixels from its middle. */
const PANS = [
  [250, 60],
  [-250, -60],
  [0, 0],
] as const;
export const pages: Section = async ({ points }) => {
  const subject = 'the built dashboard in Chromium';
  if (!findBrowser()) {
    process.stderr.write('There is no browser on this machine, so the pages are not measured.\n');
    return { subject, rows: [] };
  }
  await buildIfStale();
  const host = await startHost();
  const browser = await chromium.launch(launchOptions());
  try {
    const rows: Row[] = [];
    for (const count of TABLES) rows.push(...(await tableRows(browser, host, count)));
    for (const count of [10_000, ...points]) rows.push(...(await mapRows(browser, host, count)));
    return { subject, rows };
  } finally {
    await browser.close();
    host.close();
  }
};

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
    const page = await opened(browser, host.peer);
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
