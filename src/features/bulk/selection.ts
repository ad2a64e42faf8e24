// Which devices are selected: one selection for this tab, shared by the table and the map. It is kept over pages and
// filters, and forgotten at sign-out.
import { useSyncExternalStore } from 'react';
import { onSession } from '#/api/session.ts';
import { SelectedIds } from '#/ui/table/selected-ids.ts';

/** For what happens outside of drawing; components read it through {@link useSelection}. */
export const selection: SelectedIds = new SelectedIds();

onSession((event) => {
  if (event === 'out') selection.clear();
});

export interface Selection {
  ids: ReadonlySet<string>;
  toggle: (id: string) => void;
  /** Selects exactly these. */
  set: (ids: Iterable<string>) => void;
  add: (ids: Iterable<string>) => void;
  remove: (ids: Iterable<string>) => void;
  clear: () => void;
}

/** The selection, drawn again when it changes. The functions stay the same. */
export function useSelection(): Selection {
  const ids = useSyncExternalStore(selection.subscribe, selection.get);
  const { toggle, set, add, remove, clear } = selection;
  return { ids, toggle, set, add, remove, clear };
}
