// Pages of the device list as they were last sent. Many dashboards ask for the same few pages again and again; until a
// device or a tag changes, the answer is the same bytes.
import { newId } from './ids.ts';
import type { Database } from './database.ts';

export interface Pages {
  /** The version of an account's pages; changes with every change to any device or tag. */
  version(accountId: number): string;
  /** The page stored for this version, made and stored if there is none. */
  get(version: string, page: string, make: () => string): Uint8Array<ArrayBuffer>;
}

/** Most pages stored: enough for every row count and page that people view, not the whole fleet. */
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
      const stored = pages.get(key);
      if (stored !== undefined) return stored;
      const bytes = Buffer.from(make());
      const [oldest] = pages.keys();
      if (pages.size >= MOST_PAGES && oldest !== undefined) pages.delete(oldest);
      pages.set(key, bytes);
      return bytes;
    },
  };
}
