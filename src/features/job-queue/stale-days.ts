// After how many days a waiting job counts as stale, as whoever is signed in has set it in this browser.
import { useSyncExternalStore } from 'react';
import { useAccountKey } from '#/api/account-key.ts';
import { keepText, onKept, readKept } from '#/ui/form/kept-text.ts';

const USUAL = 7;
export const MOST_DAYS = 365;

/** Days as they were kept or typed; undefined for what is no whole number of them. */
function readDays(text: string | null): number | undefined {
  const days = /^\d{1,3}$/.test(text ?? '') ? Number(text) : 0;
  return days >= 1 && days <= MOST_DAYS ? days : undefined;
}

export function useStaleDays(): [days: number, keep: (days: number) => void] {
  const key = useAccountKey('muster-stale-days');
  const text = useSyncExternalStore(onKept, () => readKept(key));
  return [readDays(text) ?? USUAL, (days) => keepText(key, days === USUAL ? null : String(days))];
}
