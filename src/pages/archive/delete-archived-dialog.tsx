// Deletes archived jobs from this browser. The service has them no more: this is the last copy, unless a file has one.
import { archiveMutations } from '#/features/job-archive/archive-queries.ts';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';
import { formatCount } from '#/lib/format.ts';

interface DeleteArchivedDialogProps {
  account: string;
  ids: readonly string[];
  /** Of the job, where it is one. */
  name: string;
  onClose: () => void;
  onDeleted: () => void;
}

export function DeleteArchivedDialog({ account, ids, name, onClose, onDeleted }: DeleteArchivedDialogProps) {
  const many = ids.length > 1;
  return (
    <ConfirmDialog
      onClose={onClose}
      title={many ? `Delete ${formatCount(ids.length)} archived jobs` : `Delete ${name} from the archive`}
      confirmLabel="Delete"
      {...(many && { typed: String(ids.length) })}
      write={archiveMutations.remove(account, ids)}
      onDone={onDeleted}
    >
      <p>
        This browser’s copy goes, with all output. Where the service has deleted {many ? 'them' : 'it'} and no ZIP file
        was saved, it is the last one.
      </p>
      <p className="dim">This cannot be undone.</p>
    </ConfirmDialog>
  );
}
