// Which devices are selected: one selection for this tab, shared by the table and the map. It lasts over pages and
// filters, and is forgotten at sign-out.
import { onSession } from '#/api/session.ts';
import { SelectedIds, useSelectedIds, type Selection } from '#/ui/table/selected-ids.ts';

/** For what happens outside of drawing; components read it through {@link useSelection}. */
export const selection: SelectedIds = new SelectedIds();

onSession((event) => {
  if (event === 'out') selection.clear();
});

export const useSelection = (): Selection => useSelectedIds(selection);
