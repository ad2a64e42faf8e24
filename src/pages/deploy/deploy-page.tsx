// The deploy page: target, payload and safety on the left, the review beside them. The choices are in the URL.
// Nothing is sent twice, and nothing to devices that were not reviewed.
import { useState, type KeyboardEvent } from 'react';
import { Button } from '@mantine/core';
import { useOffered } from '#/api/capabilities.ts';
import { TextField } from '#/ui/form/text-field.tsx';
import { refusedFields } from '#/api/form-rules.ts';
import { lazyPart } from '#/ui/late/lazy-dialog.tsx';
import { Page } from '#/ui/page/page.tsx';
import { Skeleton } from '#/ui/page/view.tsx';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { deployUrl } from './deploy-choice.ts';
import { Decision, REVIEWED_FIELDS } from './deploy-decision.tsx';
import { deployPlan, submissionOf, type DeployForm, type DeployPlan } from './deploy-form.ts';
import { DeployReview } from './deploy-review.tsx';
import { TargetStep } from './deploy-target.tsx';
import { WhatStep } from './deploy-what.tsx';
import { NEW_ROLLOUT, rolloutOf } from './rollout-settings.ts';
import { SafetyStep } from './safety-step.tsx';
import { unconfirmedDeploy, type SentDeploy } from './submission.ts';
import { UnconfirmedDeploy } from './unconfirmed-deploy.tsx';
import { useDeploy } from './use-deploy.ts';
import { usePayload } from './use-payload.ts';
import { useDeployTargets } from './use-deploy-targets.ts';
import classes from './deploy.module.css';
import { jobEndpoints } from '#/contract/jobs.ts';
import { rolloutEndpoints } from '#/contract/rollouts.ts';
import { workflowEndpoints } from '#/contract/workflows.ts';
import { transferDevices } from '#/features/bulk/device-transfer.ts';
import { useMay } from '#/api/people.ts';

const PreflightPage = lazyPart(() => import('./preflight-page.tsx'), 'PreflightPage');

export function DeployPage() {
  const [{ check }] = useUrlState(deployUrl);
  const [unconfirmed, setUnconfirmed] = useState(unconfirmedDeploy.get);
  const lead = useLead();
  if (unconfirmed)
    return (
      <Page title="Deploy" lead={lead}>
        <UnconfirmedDeploy sent={unconfirmed} onDismiss={() => setUnconfirmed(undefined)} />
      </Page>
    );
  if (check === undefined) return <DeploySteps lead={lead} onLost={setUnconfirmed} />;
  return (
    <PreflightPage
      open={{ id: check }}
      fallback={
        <Page title="Preflight">
          <Skeleton name="the preflight" rows={4} />
        </Page>
      }
    />
  );
}

const useLead = () =>
  useOffered('jobs') === true
    ? 'Run an artifact on a device, a group, all devices with a tag, or a selection.'
    : 'Run an artifact on a device, a group, or all devices with a tag.';

/** Why the deploy, and a preflight of it, are not permitted. A preflight is a workflow, which is made for it. */
function useMayDeploy(isWorkflow: boolean, { rollout }: DeployForm) {
  const body = isWorkflow ? { WorkflowId: 'any' } : {};
  const doing = isWorkflow ? 'Deploying a workflow' : 'Deploying';
  return {
    noDeploy: useMay(rollout ? rolloutEndpoints.create : jobEndpoints.submit, doing, body),
    noPreflight: useMay([workflowEndpoints.create, jobEndpoints.submit], 'Checking devices first', {
      WorkflowId: 'any',
    }),
  };
}

function DeploySteps({ lead, onLost }: { lead: string; onLost: (sent: SentDeploy) => void }) {
  const [choice, url] = useUrlState(deployUrl);
  const targets = useDeployTargets(choice.target);
  const found = usePayload(choice.payload);
  const payload = found ?? undefined;
  const [form, setForm] = useState<DeployForm>({
    typedName: choice.name,
    confirmation: '',
    preflight: undefined,
    rollout: choice.waves === undefined ? undefined : NEW_ROLLOUT,
  });
  const { deploy, rollOut, busy, error, reset } = useDeploy(onLost);
  const hasRollouts = useOffered('rollouts') === true;
  const hasPreflight = useOffered('jobs') === true;
  const change = (patch: Partial<DeployForm>) => setForm((now) => ({ ...now, ...patch }));
  const { noDeploy, noPreflight } = useMayDeploy(choice.payload.kind === 'workflow', form);
  const plan = deployPlan(form, targets, payload, noDeploy);
  const submission = plan.reason === undefined ? submissionOf(choice, plan.name, targets) : undefined;
  const rollout =
    form.rollout && targets.devices && payload && rolloutOf(choice, plan.name, form.rollout, targets.devices);
  const draft = targets.devices?.length ? rollout || undefined : undefined;
  const choose = (patch: Parameters<typeof url.set>[0]) => {
    reset();
    change({ confirmation: '' });
    url.set(patch);
  };
  return (
    <Page title="Deploy" lead={lead}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- It withholds a key, it is no control. */}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (submission && rollout) rollOut(rollout);
          else if (submission && payload) deploy(submission, form.preflight, payload.text);
        }}
        onKeyDown={ignoreEnter}
        noValidate
      >
        <fieldset disabled={busy} className={classes.deploy}>
          <div className={classes.steps}>
            <section aria-labelledby="deploy-target">
              <h2 id="deploy-target">Target</h2>
              <TargetStep target={choice.target} onChoose={(kind, value) => choose({ target: { kind, value } })} />
            </section>
            <section aria-labelledby="deploy-what">
              <WhatStep payload={choice.payload} onChoose={(kind, value) => choose({ payload: { kind, value } })} />
              <NameStep
                plan={plan}
                typed={form.typedName}
                refused={refusedFields(error, REVIEWED_FIELDS)['Name']}
                onType={(typedName) => change({ typedName })}
                onSettle={(name) => url.set({ name })}
              />
            </section>
            {(hasRollouts || hasPreflight) && (
              <SafetyStep
                {...{ form, hasRollouts, hasPreflight, noPreflight, draft }}
                isOpenTarget={choice.target.kind === 'group' || choice.target.kind === 'tag'}
                devices={targets.devices ?? []}
                onChange={change}
              />
            )}
          </div>
          <div className={classes.side}>
            <section aria-labelledby="deploy-review" className={classes.review}>
              <h2 id="deploy-review">Review</h2>
              <div className={classes.reviewed}>
                <DeployReview
                  {...{ targets, draft }}
                  target={choice.target}
                  payload={found}
                  isInWaves={form.rollout !== undefined}
                />
              </div>
              <div className={classes.decide} data-decision>
                <Decision
                  {...{ plan, form, submission, busy, error, rollout }}
                  why={noDeploy}
                  onOnlyMine={(devices) => choose({ target: { kind: 'selection', value: transferDevices(devices) } })}
                  devices={targets.devices}
                  groupName={targets.name}
                  onConfirmation={(confirmation) => change({ confirmation })}
                  onAccept={(now) => {
                    targets.accept(now);
                    change({ confirmation: '' });
                    reset();
                  }}
                />
              </div>
            </section>
          </div>
        </fieldset>
      </form>
    </Page>
  );
}

/** Enter sends a deploy from its confirmation only. In other fields it settles them, so that no half-typed target gets one. */
function ignoreEnter(event: KeyboardEvent) {
  const { key, target } = event;
  if (key === 'Enter' && target instanceof HTMLInputElement && !target.closest('[data-decision]'))
    event.preventDefault();
}

interface NameStepProps {
  plan: DeployPlan;
  /** Undefined for the suggested name. */
  typed: string | undefined;
  /** The service's error about the name. */
  refused: string | undefined;
  onType: (name: string | undefined) => void;
  /** Stores the name in the URL. */
  onSettle: (name: string | undefined) => void;
}

function NameStep({ plan: { name, nameFits }, typed, refused, onType, onSettle }: NameStepProps) {
  return (
    <>
      <TextField
        label="Name"
        description="Shown in the job list"
        value={name}
        onChange={(event) => onType(event.currentTarget.value)}
        onBlur={() => onSettle(typed)}
        error={refused ?? (typed === undefined || nameFits ? undefined : 'Name must have 1 to 255 characters')}
      />
      {typed !== undefined && (
        <Button
          size="compact-xs"
          className={classes.suggest}
          onClick={() => {
            onType(undefined);
            onSettle(undefined);
          }}
        >
          Use the suggested name
        </Button>
      )}
    </>
  );
}
