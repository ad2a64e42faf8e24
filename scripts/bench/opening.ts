// The first second of a visit: the built dashboard on the service, in Chromium with a fourth of the processor and a fast
// 4G line, nothing cached. Compared with a bare page with the same words.
import type { Browser, BrowserContextOptions, Page } from '@playwright/test';
import { inBrowser } from './in-browser.ts';
import { signIn, withService, type MeasuredService } from './measured-service.ts';
import { kilobytes, median, milliseconds, type Row, type Section } from './section.ts';
import { startStaticHost } from './static-host.ts';

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

export const opening: Section = async () => ({
  subject: `cold, processor ÷ ${SLOWER}, fast 4G, medians of ${RUNS}`,
  rows: await inBrowser((browser) => withService((service) => rowsOf(browser, service))),
});

async function rowsOf(browser: Browser, service: MeasuredService): Promise<Row[]> {
  const { url } = service;
  await service.send('devices', { count: DEVICES, group: 'opened', keys: false });
  const signedIn = await browser.newContext();
  await signIn(signedIn, service);
  const storageState = await signedIn.storageState();
  const table = await openings(browser, `${url}/devices`, 'tbody tr:nth-child(6)', { storageState });
  const overview = await openings(browser, `${url}/`, 'main h2', { storageState });
  const signInPage = await openings(browser, `${url}/sign-in`, 'form input', {});
  const host = await startStaticHost(() => ['text/html', BARE]);
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
    ...inOne('overview', 'first section', overview),
    ...inOne('sign-in', 'field', signInPage),
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
  const shown = page.waitForEvent('console', (message) => message.text() === 'shown');
  await page.goto(url, { waitUntil: 'commit' });
  await shown;
  // The browser reports the first paint a moment after it.
  const times = await page.evaluate<{ words: number; shown: number; moved: number }>(`new Promise((done) => {
    const look = () => {
      const [paint] = performance.getEntriesByName('first-contentful-paint');
      if (paint) done({ words: paint.startTime, shown: shownAt, moved: window.moved ?? 0 });
      else setTimeout(look, 10);
    };
    look();
  })`);
  return { ...times, requests, bytes };
}
