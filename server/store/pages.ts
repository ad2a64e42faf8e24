// Pages of the device list as they were last sent. Many dashboards ask for the same few pages again and again; until a
// device or a tag changes, the answer is the same text.
import { newId } from '../ids.ts';
import type { Database } from './database.ts';

export interface Pages {
  /** What the pages of an account may be called now; another name after every change to any device or tag. */
  version(accountId: number): string;
  /** The text kept under this version, or else made and kept. */
  get(version: string, page: string, make: () => string): string;
}

/** Texts kept at most: one for each row count and page that people look at, not the whole fleet. */
const MOST_PAGES = 64;

export function openPages(db: Database): Pages {
  const start = newId();
  const texts = new Map<string, string>();
  let writes = -1;
  return {
    version: (accountId) => `${start}-${accountId}-${db.writesTo('devices', 'device_tags', 'tags')}`,
    get: (version, page, make) => {
      const now = db.writesTo('devices', 'device_tags', 'tags');
      if (now !== writes) texts.clear();
      writes = now;
      const key = `${version} ${page}`;
      const kept = texts.get(key);
      if (kept !== undefined) return kept;
      const text = make();
      const [oldest] = texts.keys();
      if (texts.size >= MOST_PAGES && oldest !== undefined) texts.delete(oldest);
      texts.set(key, text);
      return text;
    },
  };
}
