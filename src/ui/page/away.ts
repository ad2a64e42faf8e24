// Whether the data on a page is old: the service is unreachable, or the data was read a while ago and nothing reports its
// changes. Each part of a page then shows how old its data is.
import { createStore } from '#/lib/store.ts';
import { useNow } from '#/ui/controls/time.tsx';
import { useStore } from '#/ui/state/use-store.ts';

const away = createStore<Date | undefined>(undefined);

/** Since when the service has been unreachable; undefined while it answers. */
export const setAway = away.set;

export const useAway = (): Date | undefined => useStore(away);

/** Whether changes are reported as they happen, so that all data is current. */
const current = createStore(false);
export const setCurrent = current.set;

/** Milliseconds after which data counts as old. */
const OLD = 90_000;

/** When data was read, if that was long ago. `readAt`: milliseconds since the epoch. */
export function useOldSince(readAt: number | undefined): Date | undefined {
  const since = useAway();
  const isCurrent = useStore(current);
  const now = useNow();
  if (since) return readAt ? new Date(readAt) : since;
  return readAt && !isCurrent && now.getTime() - readAt > OLD ? new Date(readAt) : undefined;
}
