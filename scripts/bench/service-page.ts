// A page of the built dashboard in front of the measured service.
import type { Browser, Page } from '@playwright/test';
import type { MeasuredService } from './measured-service.ts';

/** A page of the measured service, signed in, with its stream of events. */
export async function openPage(browser: Browser, { url, headers }: MeasuredService, path: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.addInitScript(
    `window.painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))`,
  );
  const Token = headers['Authorization']?.replace('Bearer ', '');
  await page.context().request.post(`${url}/auth/session`, { data: { Token }, headers: { origin: url } });
  const streaming = page.waitForResponse((response) => response.url().includes('/v1/events'));
  await page.goto(url + path);
  await streaming;
  return page;
}

/** What is used of the page's own world. */
interface World {
  document: { querySelector: (selector: string) => { innerText: string } | null };
}

/** Until the text is on the page, looked for at each frame. A function: the page's policy forbids code from text. */
export const shows = (page: Page, text: string) =>
  page.waitForFunction(
    (wanted) => (globalThis as unknown as World).document.querySelector('main')?.innerText.includes(wanted),
    text,
    { polling: 'raf', timeout: 120_000 },
  );
