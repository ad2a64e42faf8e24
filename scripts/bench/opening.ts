// The first second of a visit: the built dashboard on the service, in Chromium with a fourth of the processor and a fast
// 4G line, nothing cached. Compared with a bare page with the same words.
import { chromium, type Browser, type BrowserContextOptions, type Page } from '@playwright/test';
import { findBrowser, launchOptions } from '../browser.ts';
import { buildIfStale } from '../dist.ts';
import { serveDist } from './dist-host.ts';
import { withService, type MeasuredService } from './measured-service.ts';
import { kilobytes, median, milliseconds, type Row, type Section } from './section.ts';

const RUNS = 7;
const DEVICES = 1_000;
const SLOWER = 4;
/** "Fast 4G" of Chromium's developer tools. */
const LINE = { offline: false, latency: 165, downloadThroughput: 1_012_500, uploadThroughput: 168_750 };
const BARE = '<!doctype html><title>Bare</title><p>Muster Overview Devices Map Artifacts Deploy Jobs</p>';

/** What is drawn, and when; a selector of what a page is opened for. */
const WATCH = (selector: string) => `
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.moved = (window.moved ?? 0) + value;
  }).observe({ type: 'layout-shift', buffered: true });
  const look = () => {
    if (!document.querySelector(${JSON.stringify(selector)})) return requestAnimationFrame(look);
    // Painted once the task after this frame runs.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      window.shownAt = performance.now();
      console.debug('shown');
    };
    port2.postMessage(0);
  };
  requestAnimationFrame(look);`;

interface Opening {
  words: number;
  shown: number;
  requests: number;
  bytes: number;
  moved: number;
}

export const opening: Section = async () => {
  const subject = `cold, processor ÷ ${SLOWER}, fast 4G, medians of ${RUNS}`;
  if (!findBrowser()) {
    process.stderr.write('There is no browser on this machine, so opening a page is not measured.\n');
    return { subject, rows: [] };
  }
  await buildIfStale();
  const browser = await chromium.launch(launchOptions());
  try {
    return { subject, rows: await withService((service) => rowsOf(browser, service)) };
  } finally {
    await browser.close();
  }
};

async function rowsOf(browser: Browser, service: MeasuredService): Promise<Row[]> {
  await service.send('devices', { count: DEVICES, group: 'opened', keys: false });
  const signedIn = await browser.newContext();
  const { headers, url } = service;
  const Token = headers['Authorization']?.replace('Bearer ', '');
  await signedIn.request.post(`${url}/auth/session`, { data: { Token }, headers: { Origin: url } });
  const storageState = await signedIn.storageState();
  const table = await openings(browser, `${url}/devices`, 'tbody tr:nth-child(6)', { storageState });
  const overview = await openings(browser, `${url}/`, 'main h1:not(.visually-hidden)', { storageState });
  const signIn = await openings(browser, `${url}/sign-in`, '#token', {});
  const host = await serveDist(() => ['text/html', BARE]);
  const bare = await openings(browser, host.url, 'p', {}).finally(host.close);
  const against = { what: 'a bare page', figure: milliseconds(median(bare.map(({ words }) => words))) };
  const inOne = (name: string, what: string, all: Opening[]): Row[] => {
    const of = (field: keyof Opening) => median(all.map((each) => each[field]));
    return [
      { what: `${name}: first words`, figure: milliseconds(of('words')), against },
      { what: `${name}: ${what} drawn`, figure: milliseconds(of('shown')), against },
      { what: `${name}: requests until then`, figure: { value: of('requests'), unit: '' } },
      { what: `${name}: transferred until then`, figure: kilobytes(of('bytes')) },
      { what: `${name}: layout shift`, figure: { value: of('moved'), unit: '' } },
    ];
  };
  return [
    ...inOne('device table', 'rows', table),
    ...inOne('overview', 'heading', overview),
    ...inOne('sign-in', 'field', signIn),
  ];
}

async function openings(browser: Browser, url: string, selector: string, options: BrowserContextOptions) {
  const all: Opening[] = [];
  // The first one also warms the service and is left out.
  for (let run = 0; run <= RUNS; run++) all.push(await openingOf(browser, url, selector, options));
  return all.slice(1);
}

async function openingOf(
  browser: Browser,
  url: string,
  selector: string,
  options: BrowserContextOptions,
): Promise<Opening> {
  const context = await browser.newContext({ ...options, viewport: { width: 1280, height: 800 } });
  try {
    const page = await context.newPage();
    if (url.endsWith('/bare'))
      await page.route(url, (route) => route.fulfill({ body: BARE, contentType: 'text/html' }));
    return await measured(page, url, selector);
  } finally {
    await context.close();
  }
}

async function measured(page: Page, url: string, selector: string): Promise<Opening> {
  const devtools = await page.context().newCDPSession(page);
  let [requests, bytes] = [0, 0];
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => {
    requests++;
    bytes += encodedDataLength;
  });
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', LINE);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  await page.addInitScript(WATCH(selector));
  const whole = page.waitForEvent('console', (message) => message.text() === 'shown');
  await page.goto(url, { waitUntil: 'commit' });
  await whole;
  const { words, shown, moved } = await page.evaluate<{ words: number; shown: number; moved: number }>(
    "({ words: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN, shown: shownAt, moved: window.moved ?? 0 })",
  );
  return { words, shown, requests, bytes, moved };
}
