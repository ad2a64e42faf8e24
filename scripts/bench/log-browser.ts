// A long log for a user: the built dashboard in Chromium, compared with pages that draw the same text in the usual ways, as
// one <pre> or with an element for each line.
import { chromium, type Browser, type Page } from '@playwright/test';
import { findBrowser, launchOptions } from '../browser.ts';
import { buildIfStale } from '../dist.ts';
import { serveDist } from './dist-host.ts';
import { milliseconds, type Figure, type Row } from './section.ts';
import { LONG, busy, longestTask, opened, sessionOf } from './watched-page.ts';

const PIECE = 1024 * 1024;
const GROWTH = 48 * 1024;
/** The searched text: rare, so that every piece is searched. */
const NEEDLE = 'layer 996';

const STEPS = ['opened', 'scrolled', 'searched', 'grown by 48 kB, followed'] as const;

/** Processor time of the main thread until everything is drawn, and its longest task at each step. */
interface Measured {
  drawn: Figure;
  longest: Figure[];
}

const JOB = {
  JobId: 'log',
  JobName: 'long log',
  DeviceId: 'device',
  DeviceName: 'device',
  Command: '',
  StartTime: 'Nov 2, 2026, 14:03:09 UTC',
  EndTime: '',
  Result: '',
  Status: 'Running',
};

/** The answer to a request for pieces of the log. */
function piecesOf(text: string, asked: URLSearchParams): string {
  const Offset = Number(asked.get('stdout'));
  const Text = text.slice(Offset, Offset + PIECE);
  const Next = Offset + Text.length;
  return JSON.stringify({
    Job: JOB,
    Stdout: { Text, Offset, Next, Size: text.length },
    Stderr: { Text: '', Offset: 0, Next: 0, Size: 0 },
    More: Next < text.length,
  });
}

const pre = `
  const box = document.querySelector('#box');
  window.draw = (text) => (box.textContent += text);
  window.search = () => [...box.textContent.matchAll(/${NEEDLE}/gi)].length;`;
const elements = `
  const box = document.querySelector('#box');
  window.draw = (text) => {
    for (const line of text.split('\\n'))
      box.append(Object.assign(document.createElement('div'), { textContent: line }));
  };
  window.search = () => [...box.children].filter(({ textContent }) => /${NEEDLE}/i.test(textContent)).length;`;
const PEERS = { 'one <pre>': pre, 'an element a line': elements };

const peerPage = (code: string) => `<!doctype html><title>log</title>
  <div id="scroller" style="height: 500px; overflow: auto"><pre id="box"></pre></div>
  <script>${code}
    window.follow = () => (document.querySelector('#scroller').scrollTop = 1e9);
  </script>`;

const lines = (text: string) => `${(text.split('\n').length - 1).toLocaleString('en-US')} lines`;

async function scrolled(page: Page): Promise<void> {
  for (let step = 0; step < 40; step++) await page.mouse.wheel(0, step < 20 ? -20_000 : 15_000);
}

async function measureOurs(browser: Browser, url: string, texts: string[], grow: () => void): Promise<Measured> {
  const [whole = '', grown = ''] = texts.map(lines);
  const page = await opened(browser, `${url}/jobs`);
  const session = await sessionOf(page);
  const link = page.getByRole('link', { name: JOB.JobName });
  const open = async () => {
    await link.click();
    await page.getByText(whole, { exact: true }).waitFor({ timeout: 120_000 });
  };
  const drawn = await busy(page, session, open);
  await page.goto(`${url}/jobs`);
  const opening = await longestTask(browser, page, open);
  await page.getByRole('region', { name: 'Output of device, text' }).hover();
  const scrolling = await longestTask(browser, page, () => scrolled(page));
  const searching = await longestTask(browser, page, async () => {
    await page.getByRole('textbox', { name: 'Search the output' }).fill(NEEDLE);
    await page.getByText(/ found$/).waitFor();
  });
  await page.getByRole('button', { name: /^Follow/ }).click();
  const following = await longestTask(browser, page, async () => {
    grow();
    await page.getByText(grown, { exact: true }).waitFor();
  });
  await page.close();
  return { drawn: milliseconds(drawn), longest: [opening, scrolling, searching, following] };
}

async function measurePeer(browser: Browser, url: string, growth: string): Promise<Measured> {
  const page = await opened(browser, url);
  const session = await sessionOf(page);
  await page.evaluate("fetch('/text').then((answer) => answer.text()).then((text) => { window.text = text; })");
  const drawn = await busy(page, session, () => page.evaluate('draw(text); follow()'));
  await page.reload();
  await page.evaluate("fetch('/text').then((answer) => answer.text()).then((text) => { window.text = text; })");
  const opening = await longestTask(browser, page, () => page.evaluate('draw(text); follow()'));
  await page.mouse.move(200, 200);
  const scrolling = await longestTask(browser, page, () => scrolled(page));
  const searching = await longestTask(browser, page, () => page.evaluate('search()'));
  const following = await longestTask(browser, page, () => page.evaluate(`draw(${JSON.stringify(growth)}); follow()`));
  await page.close();
  return { drawn: milliseconds(drawn), longest: [opening, scrolling, searching, following] };
}

/** Rows for this text; none, with a note, on a machine without a browser. */
export async function browserRows(text: string): Promise<Row[]> {
  if (!findBrowser()) {
    process.stderr.write('There is no browser on this machine, so the log is measured without one.\n');
    return [];
  }
  await buildIfStale();
  const growth = text.slice(0, text.lastIndexOf('\n', GROWTH) + 1);
  let shown = text;
  const host = await serveDist((path) => {
    const { pathname, searchParams } = new URL(path, 'http://localhost');
    const peer = Object.entries(PEERS).find((_, place) => pathname === `/peer-${place}`);
    if (peer) return ['text/html', peerPage(peer[1])];
    if (pathname === '/text') return ['text/plain', text];
    if (pathname === '/auth/session')
      return ['application/json', JSON.stringify({ SignedIn: true, UserEmail: 'bench@muster.local' })];
    if (pathname === '/v1/job/log/output') return ['application/json', piecesOf(shown, searchParams)];
    if (pathname === '/v1/job') return ['application/json', JSON.stringify([JOB])];
    return pathname.startsWith('/v1/') ? ['application/json', '[]'] : undefined;
  });
  const browser = await chromium.launch(launchOptions());
  try {
    const our = await measureOurs(browser, host.url, [text, text + growth], () => (shown = text + growth));
    const rows: Row[] = [];
    for (const [place, name] of Object.keys(PEERS).entries()) {
      const their = await measurePeer(browser, `${host.url}/peer-${place}`, growth);
      rows.push({
        what: 'fetched and drawn, main thread',
        figure: our.drawn,
        against: { what: `${name}, drawn alone`, figure: their.drawn },
      });
      for (const [step, what] of STEPS.entries())
        rows.push({
          what: `${what}, longest task`,
          figure: our.longest[step] ?? LONG.figure,
          against: { what: name, figure: their.longest[step] ?? LONG.figure },
        });
    }
    for (const [step, what] of STEPS.entries())
      rows.push({ what: `${what}, longest task`, figure: our.longest[step] ?? LONG.figure, against: LONG });
    return rows;
  } finally {
    await browser.close();
    host.close();
  }
}
