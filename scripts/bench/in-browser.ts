// A Chromium with the built dashboard for the sections that measure pages.
import { chromium, type Browser } from '@playwright/test';
import { findBrowser, launchOptions } from '../browser.ts';
import { buildIfStale } from '../dist.ts';
import type { Row } from './section.ts';

/** The rows that `work` measures in a browser; none, with a note, on a machine without one. */
export async function inBrowser(
  work: (browser: Browser) => Promise<Row[]>,
  extraArguments: string[] = [],
): Promise<Row[]> {
  if (!findBrowser()) {
    process.stderr.write('There is no browser on this machine, so no page is measured.\n');
    return [];
  }
  await buildIfStale();
  const options = launchOptions();
  const browser = await chromium.launch({ ...options, args: [...(options.args ?? []), ...extraArguments] });
  try {
    return await work(browser);
  } finally {
    await browser.close();
  }
}
