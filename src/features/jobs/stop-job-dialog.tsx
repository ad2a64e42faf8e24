// The question before a job is stopped: what becomes of it, and that nothing of it is lost.
import { jobEndpoints } from '#/contract/jobs.ts';
import type { Job } from '#/contract/jobs.ts';
import { jobMutations } from '#/api/jobs.ts';
import { requestOf } from '#/api/request-of.ts';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';
import { useWrite } from '#/ui/dialog/use-write.ts';
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
  const stop = useWrite(jobMutations.stop(JobId));
  const moving = outcome ? movingIn(outcome) : 1;
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={`Stop ${JobName || 'job'}`}
      confirmLabel="Stop job"
      cancelLabel="Let it go on"
      typed={moving > 1 ? String(moving) : undefined}
      request={requestOf(jobEndpoints.stop, { params: { job_id: JobId } })}
      busy={stop.isPending}
      error={stop.error}
      onConfirm={() => {
        if (!stop.isPending) stop.mutate(undefined, { onSuccess: onClose });
      }}
    >
      {stopText(state, outcome).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </ConfirmDialog>
  );
}
