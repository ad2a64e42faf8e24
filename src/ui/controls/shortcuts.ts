// The keys that parts of the present page answer to, for the list of them that "?" opens.
import { useEffect } from 'react';
import { createStore } from '#/lib/store.ts';
import { useStore } from '#/ui/state/use-store.ts';

/** Keys that are pressed together, and what they do. */
export type Shortcut = readonly [keys: readonly string[], does: string];

interface Section {
  name: string;
  shortcuts: readonly Shortcut[];
}

const sections = createStore<readonly Section[]>([]);

/** Lists these as long as the component is there. `shortcuts`: the same array each time. */
export function useShortcuts(name: string, shortcuts: readonly Shortcut[], on = true): void {
  useEffect(() => {
    if (!on) return;
    const section = { name, shortcuts };
    sections.set([...sections.get(), section]);
    return () => sections.set(sections.get().filter((each) => each !== section));
  }, [name, shortcuts, on]);
}

/** By the name of the part; what two parts of a page have in common is listed once. */
export const useShortcutsHere = (): readonly Section[] =>
  [...Map.groupBy(useStore(sections), ({ name }) => name)].map(([name, same]) => ({
    name,
    shortcuts: same[0]?.shortcuts ?? [],
  }));
