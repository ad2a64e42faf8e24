// Sends a deploy, or its preflight, once, and goes where it leads: to its job, to the run for many, or to what becomes of an
// answer that was lost.
import { useRef } from 'react';
import { useNavigate } from 'react-router';
import { JOBS_CHANGED } from '#/api/jobs.ts';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { placeOf } from './attempt.ts';
import type { Attempt } from './attempt.ts';
import type { PreflightPlan } from './preflight-plan.ts';
import { AnswerLost, beginAttempt, sendAttempt } from './submission.ts';
import type { Submission } from './submission.ts';

/** A deploy to a selection: a job for each of these devices. */
export interface ManyJobs {
  attempt: Attempt;
  ids: readonly string[];
}

/** The same submission with the preflight in the place of the deploy; `text`: what the deploy runs. */
async function checking(submission: Submission, plan: PreflightPlan, text: string): Promise<Submission> {
  const { preflightName, preflightWorkflow } = await import('./preflight-workflow.ts');
  const { Name: _, ...preflightFor } = submission.attempt.what;
  const what = { Name: preflightName(text, new Date()), WorkflowId: await preflightWorkflow(plan) };
  return { ...submission, attempt: { ...submission.attempt, what, preflightFor } };
}

interface DeployOptions {
  onLost: (attempt: Attempt) => void;
  onMany: (jobs: ManyJobs) => void;
}

export function useDeploy({ onLost, onMany }: DeployOptions) {
  const navigate = useNavigate();
  const submit = useWrite({
    mutationFn: async ({
      submission,
      check,
    }: {
      submission: Submission;
      check: (PreflightPlan & { text: string }) | undefined;
    }) => {
      const attempt = await beginAttempt(check ? await checking(submission, check, check.text) : submission);
      return { attempt, jobId: 'ids' in attempt.target ? undefined : await sendAttempt(attempt) };
    },
    meta: { invalidates: JOBS_CHANGED },
  });
  // A click and an Enter within one frame both come before the button is drawn disabled.
  const sent = useRef(false);
  const deploy = (submission: Submission, preflight: PreflightPlan | undefined, text: string) => {
    if (sent.current) return;
    sent.current = true;
    submit.mutate(
      { submission, check: preflight && { ...preflight, text } },
      {
        onSuccess: ({ attempt, jobId }) => {
          if (jobId === undefined) onMany({ attempt, ids: submission.devices.map(({ DeviceId }) => DeviceId) });
          else void navigate(placeOf(attempt, jobId));
        },
        onError: (failure) => {
          sent.current = false;
          if (failure instanceof AnswerLost) onLost(failure.attempt);
        },
      },
    );
  };
  return { deploy, busy: submit.isPending || submit.isSuccess, error: submit.error, reset: submit.reset };
}
