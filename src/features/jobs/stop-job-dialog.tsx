// The question before a job is stopped: what becomes of it, and that nothing of it is lost.
import type { Job } from '#/contract/jobs.ts';
import { jobMutations } from '#/api/jobs.ts';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';
import { stopText } from './job-words.ts';
import { movingIn } from './outcome.ts';
import type { JobOutcome } from './outcome.ts';
import type { Verdict } from './verdict.ts';

interface StopJobDialogProps {
  job: Pick<Job, 'JobId' | 'JobName'>;
  state: Verdict;
  /** Of a parent. */
  outcome?: JobOutcome | undefined;
  onClose: () => void;
}

export function StopJobDialog({ job: { JobId, JobName }, state, outcome, onClose }: StopJobDialogProps) {
  const moving = outcome ? movingIn(outcome) : 1;
  return (
    <ConfirmDialog
      onClose={onClose}
      title={`Stop ${JobName || 'job'}`}
      confirmLabel="Stop job"
      cancelLabel="Let it go on"
      typed={moving > 1 ? String(moving) : undefined}
      write={jobMutations.stop(JobId)}
      onDone={onClose}
    >
      {stopText(state, outcome).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </ConfirmDialog>
  );
}
