// Measures the main thread of a page in processor time, so that other work of the machine matters little.
import type { Browser, CDPSession, Page } from '@playwright/test';
import { milliseconds, type Figure } from './section.ts';

/** The shortest task that browsers report as long. */
export const LONG = { what: 'a long task', figure: milliseconds(50) };

/** In each page: the frame times since the last call, and a way to wait for the next frame. */
const WATCH = `
  window.frames95 = []; let last;
  const frame = (at) => { if (last) window.frames95.push(at - last); last = at; requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
  window.painted = () => new Promise((done) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = done;
    port2.postMessage(0);
  }));`;

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** Processor time of the thread, in microseconds. */
  tdur?: number;
  args: { name?: string };
}

export async function opened(browser: Browser, url: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.addInitScript(WATCH);
  await page.goto(url);
  return page;
}

/** The session for `busy`. */
export async function sessionOf(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return session;
}

/** Milliseconds that the main thread worked while `act` ran and was painted. */
export async function busy(page: Page, session: CDPSession, act: () => Promise<unknown>): Promise<number> {
  const worked = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000;
  };
  const before = await worked();
  await act();
  await page.evaluate('painted()');
  return (await worked()) - before;
}

/** The longest task of the page's main thread during `act`: its own time, not that of other processes. */
export async function longestTask(browser: Browser, page: Page, act: () => Promise<unknown>): Promise<Figure> {
  await browser.startTracing(page, { categories: ['toplevel'] });
  await act();
  await page.evaluate('painted()');
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const main = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents.filter(({ name, pid, tid }) => name.endsWith('RunTask') && main.has(`${pid} ${tid}`));
  if (tasks.length === 0) throw new Error('The browser reported no task.');
  return milliseconds(tasks.reduce((longest, { tdur = 0 }) => Math.max(longest, tdur / 1000), 0));
}
