// Which jobs are selected: one selection for this tab, which lasts while filters change and is forgotten at sign-out.
import { onSession } from '#/api/session.ts';
import { SelectedIds } from '#/ui/table/selected-ids.ts';
import { useSelectedIds } from '#/ui/table/use-selected-ids.ts';
import type { Selection } from '#/ui/table/use-selected-ids.ts';

export const jobSelection: SelectedIds = new SelectedIds();

onSession((event) => {
  if (event === 'out') jobSelection.clear();
});

export const useSelectedJobs = (): Selection => useSelectedIds(jobSelection);
