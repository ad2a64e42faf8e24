// Whether what pages show comes from a source that does not answer at present: said once for the whole page, so that each
// part of it only tells how old it is.
import { useSyncExternalStore } from 'react';

let away: Date | undefined;
const listeners = new Set<() => void>();

/** Since when; undefined: it answers. */
export function setAway(since: Date | undefined): void {
  away = since;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useAway = (): Date | undefined => useSyncExternalStore(subscribe, () => away);
