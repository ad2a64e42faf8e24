// Shares of a whole, in the notation of the reader's locale.
import { LOCALE, numberWriter } from './locale.ts';

const all = numberWriter(LOCALE, { style: 'percent' });
const share = numberWriter(LOCALE, { style: 'percent', minimumFractionDigits: 2 });

/** "0%", "58.2%", "33.3%" */
export const formatRoughShare = numberWriter(LOCALE, { style: 'percent', maximumFractionDigits: 1 });

/** "0%", "58.20%", "100%": rounded down, since only all of it is 100%. */
export const formatShare = (part: number): string =>
  part === 0 || part === 1 ? all(part) : share(Math.floor(part * 10_000) / 10_000);
