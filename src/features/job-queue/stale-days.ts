// After how many days a waiting job counts as stale, as set in this browser for the account.
import { stored } from '#/lib/stored.ts';

const USUAL = 7;
export const MOST_DAYS = 365;

export const staleDays = stored('muster-stale-days', USUAL, {
  read: (text) => {
    const days = /^\d{1,3}$/.test(text) ? Number(text) : 0;
    return days >= 1 && days <= MOST_DAYS ? days : USUAL;
  },
  print: String,
});
