// How old the data on a page is. While the service is away the frame says so once, for all of it; a part of a page says it
// only about older data: what was read long before, and nothing reported its changes.
import { createStore } from '#/lib/store.ts';
import { useNow } from '#/ui/controls/time.tsx';
import { useStore } from '#/ui/state/use-store.ts';

export interface Away {
  /** When the service last answered, in milliseconds since the epoch. */
  since: number;
  tryNow: () => void;
}

const away = createStore<Away | undefined>(undefined);

/** Undefined while the service answers. */
export const setAway = away.set;

export const useAway = (): Away | undefined => useStore(away);

/** Until when changes were reported as they happened, so that all data is as of then; `Infinity` while they are. */
const currentUntil = createStore(0);
export const setCurrent = (isCurrent: boolean): void =>
  currentUntil.set(isCurrent ? Infinity : currentUntil.get() === Infinity ? Date.now() : currentUntil.get());

/** Milliseconds after which data counts as old. */
const OLD = 90_000;

/**
 * When data was read, if that was long ago, or if reading it again has failed. `readAt`: milliseconds since the epoch; 0 or
 * undefined if it was never read.
 */
export function useOldSince(readAt: number | undefined, hasFailed = false): number | undefined {
  const lost = useAway();
  const until = useStore(currentUntil);
  const now = useNow().getTime();
  if (!readAt) return undefined;
  if (hasFailed && !lost) return readAt;
  return (lost?.since ?? now) - Math.max(readAt, until) > OLD ? readAt : undefined;
}
