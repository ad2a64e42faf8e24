// Pages of the device list as they were last sent. Many dashboards ask for the same few pages again and again; until a
// device or a tag changes, the answer is the same bytes.
import { newId } from './ids.ts';
import type { Database } from './database.ts';

export interface Pages {
  /** What the pages of an account may be called now; another name after every change to any device or tag. */
  version(accountId: number): string;
  /** What is kept under this version, or else made and kept. */
  get(version: string, page: string, make: () => string): Uint8Array<ArrayBuffer>;
}

/** Pages kept at most: one for each row count and page that people look at, not the whole fleet. */
const MOST_PAGES = 64;

export function openPages(db: Database): Pages {
  const start = newId();
  const pages = new Map<string, Uint8Array<ArrayBuffer>>();
  let writes = -1;
  return {
    version: (accountId) => `${start}-${accountId}-${db.writesTo('devices', 'device_tags', 'tags')}`,
    get: (version, page, make) => {
      const now = db.writesTo('devices', 'device_tags', 'tags');
      if (now !== writes) pages.clear();
      writes = now;
      const key = `${version} ${page}`;
      const kept = pages.get(key);
      if (kept !== undefined) return kept;
      const bytes = Buffer.from(make());
      const [oldest] = pages.keys();
      if (pages.size >= MOST_PAGES && oldest !== undefined) pages.delete(oldest);
      pages.set(key, bytes);
      return bytes;
    },
  };
}
