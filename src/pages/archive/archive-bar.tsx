// What can be done with the selected archived jobs: a ZIP file of them, and deleting them for good.
import { Button } from '@mantine/core';
import { addToZip } from '#/features/job-archive/archive-zip.ts';
import { archiveStore } from '#/features/job-archive/archive-store.ts';
import type { StoredJob } from '#/features/job-archive/archive-store.ts';
import { ZipWriter } from '#/lib/zip-write.ts';
import { datedName, saveFile } from '#/lib/save-file.ts';
import { SelectionBar } from '#/ui/table/selection-bar.tsx';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { FormError } from '#/ui/page/view.tsx';

async function exportZip(account: string, jobs: readonly StoredJob[]): Promise<void> {
  const zip = new ZipWriter();
  for (const [index, job] of jobs.entries()) await addToZip(zip, await archiveStore.sealed(account, job), index + 1);
  saveFile(datedName('muster-archive', new Date(), 'zip'), zip.finish(), 'application/zip');
}

interface ArchiveBarProps {
  account: string;
  jobs: readonly StoredJob[];
  onDelete: () => void;
  onClear: () => void;
}

export function ArchiveBar({ account, jobs, onDelete, onClear }: ArchiveBarProps) {
  const save = useWrite({ mutationFn: () => exportZip(account, jobs) });
  return (
    <SelectionBar name="archived jobs" count={jobs.length} onClear={onClear} end={<FormError error={save.error} />}>
      <Button size="xs" variant="default" loading={save.isPending} onClick={() => save.mutate()}>
        Save as a ZIP file
      </Button>
      <Button size="xs" variant="default" color="red" onClick={onDelete}>
        Delete…
      </Button>
    </SelectionBar>
  );
}
