// Sends a deploy, or its preflight, once, and goes where it leads: to its job, to the run for many, or to what becomes of an
// answer that was lost.
import { useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { jobEndpoints } from '#/contract/jobs.ts';
import { RequestKeys } from '#/api/request-keys.ts';
import { rolloutMutations } from '#/api/rollouts.ts';
import type { RolloutDraft } from '#/contract/rollouts.ts';
import { paths } from '#/paths.ts';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { resultPath, type Attempt, type ManyJobs } from './attempt.ts';
import type { PreflightPlan } from './preflight-script.ts';
import { AnswerLost, beginAttempt, sendAttempt, type Submission } from './submission.ts';

/** The same submission with the preflight instead of the deploy; `text`: what the deploy runs. */
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
    mutationFn: async ([submission, preflight, text]: Parameters<typeof deploy>) => {
      const attempt = await beginAttempt(preflight ? await checking(submission, preflight, text) : submission);
      return { attempt, jobId: 'ids' in attempt.target ? undefined : await sendAttempt(attempt) };
    },
    meta: { operation: jobEndpoints.submit },
  });
  // A click and an Enter within one frame both come before the button is drawn disabled.
  const sent = useRef(false);
  const deploy = (submission: Submission, preflight: PreflightPlan | undefined, text: string) => {
    if (sent.current) return;
    sent.current = true;
    submit.mutate([submission, preflight, text], {
      onSuccess: ({ attempt, jobId }) => {
        if (jobId === undefined) onMany({ attempt, ids: submission.devices.map(({ DeviceId }) => DeviceId) });
        else void navigate(resultPath(attempt, jobId));
      },
      onError: (failure) => {
        sent.current = false;
        if (failure instanceof AnswerLost) onLost(failure.attempt);
      },
    });
  };
  const [keys] = useState(() => new RequestKeys());
  const create = useWrite(rolloutMutations.create(keys));
  const rollOut = (draft: RolloutDraft) =>
    create.mutate(draft, { onSuccess: ({ RolloutId }) => void navigate(paths.rollout(RolloutId)) });
  return {
    deploy,
    rollOut,
    busy: submit.isPending || submit.isSuccess || create.isPending || create.isSuccess,
    error: submit.error ?? create.error,
    reset: () => {
      submit.reset();
      create.reset();
    },
  };
}
