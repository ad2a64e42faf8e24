// The selected jobs: one selection per tab, which persists when filters change and is cleared at sign-out.
import { onSession } from '#/api/session.ts';
import { SelectedIds } from '#/ui/table/selected-ids.ts';

export const jobSelection = new SelectedIds();

onSession((event) => {
  if (event === 'out') jobSelection.clear();
});
