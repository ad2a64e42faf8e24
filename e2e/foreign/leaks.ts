// The secret that one of the foreign services leaks into its lists: it must not be found in a browser afterwards.
import type { Page } from '@playwright/test';
import { expect } from '../fixtures.ts';
import type { Foreign } from './foreign.ts';
import { LEAKED } from './go-like.ts';

/** All that the browser stores for a page: databases, storage and caches. */
const storedBy = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const databases = await indexedDB.databases();
    const rows = await Promise.all(
      databases.map(
        ({ name = '' }) =>
          new Promise<string>((resolve) => {
            const opening = indexedDB.open(name);
            opening.onsuccess = () => {
              const db = opening.result;
              const stores = [...db.objectStoreNames];
              if (stores.length === 0) return resolve('');
              const all = stores.map((store) => db.transaction(store).objectStore(store).getAll());
              const last = all.at(-1);
              if (last) last.onsuccess = () => resolve(JSON.stringify(all.map(({ result }) => result as unknown)));
            };
          }),
      ),
    );
    const cached = await Promise.all((await caches.keys()).map(async (key) => (await caches.open(key)).keys()));
    return JSON.stringify([rows, Object.entries(localStorage), Object.entries(sessionStorage), cached.length]);
  });

/** Neither the browser nor the page holds what the service leaked, and the service got nothing of the browser's. */
export async function expectNoLeak(page: Page, foreign: Foreign): Promise<void> {
  expect(await storedBy(page)).not.toContain(LEAKED);
  expect(await page.content()).not.toContain(LEAKED);
  for (const { headers } of foreign.heard) {
    expect(headers.cookie).toBeUndefined();
    expect(headers.origin).toBeUndefined();
  }
}
