// Clears executed jobs out of the service: a copy first, in this browser or as a ZIP file, then the delete, with what
// became of each.
import { useState } from 'react';
import type { Job } from '#/contract/jobs.ts';
import { useAccount } from '#/features/job-archive/use-account.ts';
import { useArchiveRun } from '#/features/job-archive/use-archive-run.ts';
import { paths } from '#/paths.ts';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import { LeaveGuard } from '#/ui/dialog/leave-guard.tsx';
import { ArchivePlanForm, type ArchiveChoice } from './archive-plan-form.tsx';
import { ArchiveProgress } from './archive-progress.tsx';

export function ArchiveDialog({ onClose, ...current }: ArchiveChoice & { onClose: () => void }) {
  // What was asked about is what is archived, whatever else ends meanwhile.
  const [choice] = useState(current);
  const run = useArchiveRun(useAccount());
  const [begun, setBegun] = useState<{ removes: boolean; jobs: readonly Job[] }>();
  return (
    <>
      <BaseDialog onClose={onClose} busy={run.busy} title="Archive executed jobs" size="lg">
        {run.phase === 'planned' || !begun ? (
          <ArchivePlanForm
            {...choice}
            onCancel={onClose}
            onStart={(plan, jobs) => {
              setBegun({ removes: plan.remove, jobs });
              run.start(plan);
            }}
          />
        ) : (
          <ArchiveProgress run={run} {...begun} onClose={onClose} />
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
