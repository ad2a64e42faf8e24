// Whether what pages show comes from a source that does not answer at present: shown once for the whole page, so that
// each part of it only shows how old it is.
import { createStore } from '#/lib/store.ts';
import { useStore } from '#/ui/state/use-store.ts';

const away = createStore<Date | undefined>(undefined);

/** Since when; undefined: it answers. */
export const setAway = away.set;

export const useAway = (): Date | undefined => useStore(away);
