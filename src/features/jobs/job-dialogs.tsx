// The confirmations before a job is stopped or deleted.
import type { Job } from '#/contract/jobs.ts';
import { useOffered } from '#/api/capabilities.ts';
import { canStop, isMoving, jobState } from '#/contract/job-state.ts';
import { jobMutations } from '#/api/jobs.ts';
import { paths } from '#/paths.ts';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';
import { Link } from '#/ui/url/link.tsx';
import { lossOf, stopText, typedFor } from './job-words.ts';
import { movingIn } from './outcome.ts';
import type { VerdictCounts, Verdict } from './verdict.ts';

interface StopJobDialogProps {
  job: Pick<Job, 'JobId' | 'JobName'>;
  state: Verdict;
  /** Of a parent. */
  outcome?: VerdictCounts | undefined;
  onClose: () => void;
}

/** Explains what stopping does to a job, and that nothing of it is lost. */
export function StopJobDialog({ job: { JobId, JobName }, state, outcome, onClose }: StopJobDialogProps) {
  const moving = outcome ? movingIn(outcome) : 1;
  return (
    <ConfirmDialog
      onClose={onClose}
      title={`Stop ${JobName || 'job'}`}
      confirmLabel="Stop job"
      cancelLabel="Keep it running"
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

interface DeleteJobDialogProps {
  job: Job;
  /** Of a parent. */
  outcome: VerdictCounts | undefined;
  onClose: () => void;
  onDeleted: () => void;
}

/** Explains what deleting a job cancels, stops and loses. */
export function DeleteJobDialog({ job, outcome, onClose, onDeleted }: DeleteJobDialogProps) {
  const hasArchive = useOffered('archive') === true;
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
      {hasArchive && !isMoving(job) && !job.ParentJobId && job.ArchivedTime === undefined && (
        <p>
          <Link to={paths.archiveJob(job.JobId)}>Archive it instead, to keep its output</Link>
        </p>
      )}
      {canStop(job) && <p>To keep its record and output, stop it instead.</p>}
      <p className="dim">This cannot be undone.</p>
    </ConfirmDialog>
  );
}
