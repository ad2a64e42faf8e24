// Whether what pages show is old: its source does not answer at present, which is shown once for the whole page, or it was
// read a while ago and nothing reports its changes. Each part of a page then shows how old it is.
import { createStore } from '#/lib/store.ts';
import { useNow } from '#/ui/controls/time.tsx';
import { useStore } from '#/ui/state/use-store.ts';

const away = createStore<Date | undefined>(undefined);

/** Since when; undefined: it answers. */
export const setAway = away.set;

export const useAway = (): Date | undefined => useStore(away);

/** Changes are reported as they happen, so that whatever is shown is current. */
const current = createStore(false);
export const setCurrent = current.set;

/** Milliseconds from which on it matters when something was read. */
const OLD = 90_000;

/** When something was read, if that is long ago: the one rule for all pages. `readAt` in milliseconds since the epoch. */
export function useOldSince(readAt: number | undefined): Date | undefined {
  const since = useAway();
  const isCurrent = useStore(current);
  const now = useNow();
  if (since) return readAt ? new Date(readAt) : since;
  return readAt && !isCurrent && now.getTime() - readAt > OLD ? new Date(readAt) : undefined;
}
