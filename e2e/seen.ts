// Whether a tab is in view, as far as its page can know: headless browsers never hide one.
import type { Page } from '@playwright/test';

export const see = (page: Page, state: 'hidden' | 'visible'): Promise<void> =>
  page.evaluate((value) => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => value });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  }, state);
