// The shortcuts of the current page, for the list that "?" opens.
import { useEffect } from 'react';
import { createStore } from '#/lib/store.ts';
import { useStore } from '#/ui/state/use-store.ts';

/** Keys to press together, and what they do. */
export type Shortcut = readonly [keys: readonly string[], does: string];

interface Section {
  name: string;
  shortcuts: readonly Shortcut[];
}

const sections = createStore<readonly Section[]>([]);

/** Lists the shortcuts while the component is mounted. `shortcuts` must be the same array each time. */
export function useShortcuts(name: string, shortcuts: readonly Shortcut[], on = true): void {
  useEffect(() => {
    if (!on) return;
    const section = { name, shortcuts };
    sections.set([...sections.get(), section]);
    return () => sections.set(sections.get().filter((each) => each !== section));
  }, [name, shortcuts, on]);
}

/** The shortcuts by section; those that two parts of a page share are listed once. */
export const useShortcutsHere = (): readonly Section[] =>
  [...Map.groupBy(useStore(sections), ({ name }) => name)].map(([name, same]) => ({
    name,
    shortcuts: same[0]?.shortcuts ?? [],
  }));
