// The question before a job is deleted: what is cancelled, stopped and lost with it.
import type { Job } from '#/contract/jobs.ts';
import { canStop, jobState } from '#/api/job-state.ts';
import { jobMutations } from '#/api/jobs.ts';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';
import { lossOf, typedFor } from './job-words.ts';
import type { JobOutcome } from './outcome.ts';

interface DeleteJobDialogProps {
  job: Job;
  /** Of a parent. */
  outcome: JobOutcome | undefined;
  onClose: () => void;
  onDeleted: () => void;
}

export function DeleteJobDialog({ job, outcome, onClose, onDeleted }: DeleteJobDialogProps) {
  return (
    <ConfirmDialog
      onClose={onClose}
      title={`Delete ${job.JobName || 'job'}`}
      confirmLabel="Delete job"
      typed={typedFor(outcome)}
      write={jobMutations.remove(job.JobId)}
      onDone={onDeleted}
    >
      {lossOf(jobState(job), outcome).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {canStop(job) && <p>Stop it instead, and its record and output stay.</p>}
      <p className="dim">This cannot be undone.</p>
    </ConfirmDialog>
  );
}
