// Sends a deploy, its preflight or a rollout, once per click, and opens the page of the result.
import { useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { jobEndpoints } from '#/contract/jobs.ts';
import { RequestKeys } from '#/api/request-keys.ts';
import { rolloutMutations } from '#/api/rollouts.ts';
import type { RolloutDraft } from '#/contract/rollouts.ts';
import { paths } from '#/paths.ts';
import { useWrite } from '#/ui/dialog/use-write.ts';
import type { Submission } from './deploy-form.ts';
import type { PreflightPlan } from './preflight-script.ts';
import { AnswerLost, checkMembers, resultPath, sendDeploy, type Deploy, type SentDeploy } from './submission.ts';

/** The preflight of a deploy; `text`: the name of the deploy's payload. */
async function preflightOf({ body }: Deploy, plan: PreflightPlan, text: string): Promise<Deploy> {
  const { preflightName, preflightWorkflow } = await import('./preflight-workflow.ts');
  const { ArtifactId, WorkflowId, ...target } = body;
  return {
    body: { ...target, Name: preflightName(text, new Date()), WorkflowId: await preflightWorkflow(plan) },
    preflightFor: { ArtifactId, WorkflowId },
  };
}

export function useDeploy(onLost: (sent: SentDeploy) => void) {
  const navigate = useNavigate();
  const submit = useWrite({
    mutationFn: async ([{ jobTarget, devices, ...draft }, preflight, text]: Parameters<typeof deploy>) => {
      await checkMembers(jobTarget, devices);
      const sent = preflight ? await preflightOf(draft, preflight, text) : draft;
      return resultPath(sent, await sendDeploy(sent));
    },
    meta: { operation: jobEndpoints.submit },
  });
  // A click and Enter within one frame both arrive before the button is rendered as disabled.
  const sent = useRef(false);
  const deploy = (submission: Submission, preflight: PreflightPlan | undefined, text: string) => {
    if (sent.current) return;
    sent.current = true;
    submit.mutate([submission, preflight, text], {
      onSuccess: (path) => void navigate(path),
      onError: (failure) => {
        sent.current = false;
        if (failure instanceof AnswerLost) onLost(failure.sent);
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
