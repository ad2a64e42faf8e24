// A selection with what changes it, drawn again when it changes. The functions stay the same.
import { useStore } from '#/ui/state/use-store.ts';
import type { SelectedIds } from './selected-ids.ts';

export interface Selection extends Pick<SelectedIds, 'toggle' | 'set' | 'add' | 'remove' | 'clear'> {
  ids: ReadonlySet<string>;
}

export function useSelectedIds(selected: SelectedIds): Selection {
  const ids = useStore(selected);
  const { toggle, set, add, remove, clear } = selected;
  return { ids, toggle, set, add, remove, clear };
}
