// What can be done with the selected archived jobs: a ZIP file of them, and deleting them for good.
import { Button } from '@mantine/core';
import { addToZip } from '#/jobs/archive/archive-zip.ts';
import { archiveStore } from '#/jobs/archive/archive-store.ts';
import type { StoredJob } from '#/jobs/archive/archive-store.ts';
import { ZipWriter } from '#/jobs/archive/zip-write.ts';
import { formatCount } from '#/ui/format.ts';
import { datedName, saveFile } from '#/ui/save-file.ts';
import { focusPage } from '#/ui/use-focus-back.ts';
import { useWrite } from '#/ui/use-write.ts';
import { FormError } from '#/ui/view.tsx';
import classes from './archive.module.css';

async function exportZip(account: string, jobs: readonly StoredJob[]): Promise<void> {
  const zip = new ZipWriter();
  for (const [place, job] of jobs.entries()) await addToZip(zip, await archiveStore.sealed(account, job), place + 1);
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
    <section aria-label="Selected archived jobs" className={classes['bar']}>
      <span role="status">
        <strong>{formatCount(jobs.length)} selected</strong>
      </span>
      <Button size="xs" variant="default" loading={save.isPending} onClick={() => save.mutate()}>
        Save as a ZIP file
      </Button>
      <Button size="xs" variant="default" color="red" onClick={onDelete}>
        Delete…
      </Button>
      <Button
        size="xs"
        variant="subtle"
        aria-label="Clear selection"
        onClick={() => {
          onClear();
          focusPage();
        }}
      >
        Clear
      </Button>
      <FormError error={save.error} />
    </section>
  );
}
