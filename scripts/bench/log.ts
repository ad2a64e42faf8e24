// A long log for a user: the log view in Chromium, compared with the usual way to draw the same text, one <pre>.
import type { Browser, Page } from '@playwright/test';
import { inBrowser } from './in-browser.ts';
import { milliseconds, type Figure, type Row, type Section } from './section.ts';
import { json, startStaticHost, type Answer } from './static-host.ts';
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

const PEER = `<!doctype html><title>log</title>
  <div id="scroller" style="height: 500px; overflow: auto"><pre id="box"></pre></div>
  <script>
    const box = document.querySelector('#box');
    window.draw = (text) => (box.textContent += text);
    window.search = () => [...box.textContent.matchAll(/${NEEDLE}/gi)].length;
    window.follow = () => (document.querySelector('#scroller').scrollTop = 1e9);
  </script>`;

export const log: Section = async ({ logMegabytes }) => {
  const text = sampleLog(logMegabytes * 1_000_000);
  return {
    subject: `${logMegabytes} MB, ${lineCount(text)}`,
    rows: await inBrowser((browser) => rowsOf(browser, text)),
  };
};

/** Lines like those of an update: of many lengths, some coloured. */
function sampleLog(length: number): string {
  const lines: string[] = [];
  for (let size = 0, i = 0; size < length; i++) {
    const colour = i % 7 === 0 ? '\u001b[32m' : '';
    const line = `${colour}[${i}] unpacking layer ${(i * 7919) % 997} ${'#'.repeat(i % 60)}${colour && '\u001b[0m'}\n`;
    size += line.length;
    lines.push(line);
  }
  return lines.join('');
}

const lineCount = (text: string) => `${(text.split('\n').length - 1).toLocaleString('en-US')} lines`;

async function rowsOf(browser: Browser, text: string): Promise<Row[]> {
  const growth = text.slice(0, text.lastIndexOf('\n', GROWTH) + 1);
  let shown = text;
  const host = await startStaticHost(({ pathname, searchParams }) => {
    if (pathname === '/peer') return ['text/html', PEER];
    if (pathname === '/text') return ['text/plain', text];
    if (pathname === '/v1/job/log/output') return pieceOf(shown, Number(searchParams.get('stdout')));
    return pathname === '/v1/job' ? json([JOB]) : undefined;
  });
  try {
    const our = await measureOurs(browser, host.url, [text, text + growth], () => (shown = text + growth));
    const their = await measurePeer(browser, `${host.url}/peer`, growth);
    const pre = (figure = LONG.figure) => ({ what: 'one <pre>', figure });
    return [
      { what: 'fetched and drawn, main thread', figure: our.drawn, against: pre(their.drawn) },
      ...STEPS.flatMap((what, step): Row[] => {
        const figure = our.longest[step] ?? LONG.figure;
        return [
          { what: `${what}, longest task`, figure, against: pre(their.longest[step]) },
          { what: 'the same', figure, against: LONG },
        ];
      }),
    ];
  } finally {
    host.close();
  }
}

function pieceOf(text: string, Offset: number): Answer {
  const Text = text.slice(Offset, Offset + PIECE);
  const Next = Offset + Text.length;
  return json({
    Job: JOB,
    Stdout: { Text, Offset, Next, Size: text.length },
    Stderr: { Text: '', Offset: 0, Next: 0, Size: 0 },
    More: Next < text.length,
  });
}

async function scroll(page: Page): Promise<void> {
  for (let step = 0; step < 40; step++) await page.mouse.wheel(0, step < 20 ? -20_000 : 15_000);
}

async function measureOurs(browser: Browser, url: string, texts: string[], grow: () => void): Promise<Measured> {
  const [all = '', grown = ''] = texts.map(lineCount);
  const page = await opened(browser, `${url}/jobs`);
  const session = await sessionOf(page);
  const link = page.getByRole('link', { name: JOB.JobName });
  const open = async () => {
    await link.click();
    await page.getByText(all, { exact: true }).waitFor({ timeout: 120_000 });
  };
  const drawn = await busy(page, session, open);
  await page.goto(`${url}/jobs`);
  const opening = await longestTask(browser, page, open);
  await page.getByRole('region', { name: 'Output of device, text' }).hover();
  const scrolling = await longestTask(browser, page, () => scroll(page));
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
  const load = () =>
    page.evaluate("fetch('/text').then((answer) => answer.text()).then((text) => { window.text = text; })");
  await load();
  const drawn = await busy(page, session, () => page.evaluate('draw(text); follow()'));
  await page.reload();
  await load();
  const opening = await longestTask(browser, page, () => page.evaluate('draw(text); follow()'));
  await page.mouse.move(200, 200);
  const scrolling = await longestTask(browser, page, () => scroll(page));
  const searching = await longestTask(browser, page, () => page.evaluate('search()'));
  const following = await longestTask(browser, page, () => page.evaluate(`draw(${JSON.stringify(growth)}); follow()`));
  await page.close();
  return { drawn: milliseconds(drawn), longest: [opening, scrolling, searching, following] };
}
