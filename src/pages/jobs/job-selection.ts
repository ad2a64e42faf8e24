// Which jobs are selected: one selection for this tab, which lasts while filters change and is forgotten at sign-out.
import { onSession } from '#/api/session.ts';
import { SelectedIds } from '#/ui/table/selected-ids.ts';

export const jobSelection = new SelectedIds();

onSession((event) => {
  if (event === 'out') jobSelection.clear();
});
