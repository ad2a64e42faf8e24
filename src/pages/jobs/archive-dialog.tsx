// Clears executed jobs out of the service: a copy first, in this browser or as a ZIP file, then the delete, with what
// became of each.
import { useState } from 'react';
import type { Job } from '#/contract/jobs.ts';
import { useAccount } from '#/features/job-archive/use-account.ts';
import { useArchiveRun } from '#/features/job-archive/use-archive-run.ts';
import { paths } from '#/paths.ts';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import { LeaveGuard } from '#/ui/dialog/leave-guard.tsx';
import { ArchivePlanForm } from './archive-plan-form.tsx';
import { ArchiveProgress } from './archive-progress.tsx';

interface ArchiveDialogProps {
  /** Executed jobs: the selected ones, or those in the list. */
  jobs: readonly Job[];
  /** Whether a person has picked them one by one. */
  picked: boolean;
  /** What else was picked and still waits or runs. */
  moving: number;
  filtered: boolean;
  onClose: () => void;
}

export function ArchiveDialog({ jobs: current, picked, moving, filtered, onClose }: ArchiveDialogProps) {
  // What was asked about is what is archived, whatever else ends meanwhile.
  const [jobs] = useState(current);
  const run = useArchiveRun(useAccount());
  const [removes, setRemoves] = useState(true);
  const [chosen, setChosen] = useState<readonly Job[]>([]);
  return (
    <>
      <BaseDialog onClose={onClose} busy={run.busy} title="Archive executed jobs" size="lg">
        {run.phase === 'planned' ? (
          <ArchivePlanForm
            jobs={jobs}
            picked={picked}
            moving={moving}
            filtered={filtered}
            onCancel={onClose}
            onStart={(plan, planned) => {
              setRemoves(plan.remove);
              setChosen(planned);
              run.start(plan);
            }}
          />
        ) : (
          <ArchiveProgress run={run} jobs={chosen} removes={removes} onClose={onClose} />
        )}
      </BaseDialog>
      <LeaveGuard
        active={run.busy || run.phase === 'archived'}
        title="Leave while jobs are being archived?"
        confirmLabel="Leave and stop"
        open={paths.signIn()}
      >
        What is archived stays archived, and what is deleted stays deleted. The rest is left as it is.
      </LeaveGuard>
    </>
  );
}
