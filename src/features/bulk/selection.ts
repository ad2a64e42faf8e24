// The selected devices: one selection per tab, shared by the table and the map. It persists across pages and filters, and
// is cleared at sign-out.
import { onSession } from '#/api/session.ts';
import { SelectedIds, useSelectedIds, type Selection } from '#/ui/table/selected-ids.ts';

/** For event handlers; components read it through {@link useSelection}. */
export const selection: SelectedIds = new SelectedIds();

onSession((event) => {
  if (event === 'out') selection.clear();
});

export const useSelection = (): Selection => useSelectedIds(selection);
