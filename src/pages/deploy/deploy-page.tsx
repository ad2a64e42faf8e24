// Deploy: target, thing, name, preflight at the left, the review beside it. The choices stand in the URL; nothing is sent
// twice, and nothing to others than were reviewed.
import { useRef, useState } from 'react';
import type { SubmitEvent } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { Button, Checkbox, TextInput } from '@mantine/core';
import { requestOf } from '#/api/request-of.ts';
import type { Device } from '#/contract/devices.ts';
import { jobEndpoints } from '#/contract/jobs.ts';
import { nameText } from '#/contract/endpoint.ts';
import { refusedFields, unplacedError } from '#/api/form-rules.ts';
import { JOBS_CHANGED } from '#/api/jobs.ts';
import { devicesText, formatCount } from '#/lib/format.ts';
import { Page } from '#/ui/page/page.tsx';
import { ShowAsCurl } from '#/ui/curl/show-as-curl.tsx';
import { lazyPart } from '#/ui/late/lazy-dialog.tsx';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { FormError, Skeleton } from '#/ui/page/view.tsx';
import { placeOf } from './attempt.ts';
import type { Attempt } from './attempt.ts';
import { choose, confirms, readDeployChoice, suggestName, attemptTargetOf, whatOf } from './deploy-choice.ts';
import type { DeployChoice, TargetKind, PayloadKind } from './deploy-choice.ts';
import { DeployReview, nobody } from './deploy-review.tsx';
import { TargetStep } from './deploy-target.tsx';
import { WhatStep } from './deploy-what.tsx';
import { attemptLeft } from './kept-attempt.ts';
import { LeftAttempt } from './left-attempt.tsx';
import { MembersChangedNote } from './members-changed.tsx';
import { AnswerLost, MembersChanged, beginAttempt, sendAttempt } from './submission.ts';
import type { Submission } from './submission.ts';
import { NEW_PREFLIGHT, preflightFault } from './preflight-plan.ts';
import type { PreflightPlan } from './preflight-plan.ts';
import { useReach } from './use-reach.ts';
import type { Reach } from './use-reach.ts';
import { usePayload } from './use-payload.ts';
import type { Payload } from './use-payload.ts';
import classes from './deploy.module.css';

const BulkDeploy = lazyPart(() => import('./bulk-deploy.tsx'), 'BulkDeploy');
const PreflightPage = lazyPart(() => import('./preflight-page.tsx'), 'PreflightPage');
const PreflightStep = lazyPart(() => import('./preflight-step.tsx'), 'PreflightStep');

const LABELS = { Name: 'Name' };
const LEAD = 'Run an artifact on a device, a group, all devices with a tag, or a selection.';

/** The same order with the preflight in the place of the deploy. */
async function checking(order: Submission, plan: PreflightPlan, thing: Payload): Promise<Submission> {
  const { preflightName, preflightWorkflow } = await import('./preflight-workflow.ts');
  const { Name: _, ...preflightFor } = order.attempt.what;
  const what = { Name: preflightName(thing.text, new Date()), WorkflowId: await preflightWorkflow(plan) };
  return { ...order, attempt: { ...order.attempt, what, preflightFor } };
}

/** What would be sent: one job, or one for each device of a selection. */
function requestsOf(choice: DeployChoice, name: string, devices: readonly Device[]) {
  const target = attemptTargetOf(
    choice.target,
    devices.map(({ DeviceId }) => DeviceId),
  );
  const targets = 'ids' in target ? target.ids.map((DeviceId) => ({ DeviceId })) : [target];
  return targets.map((each) => requestOf(jobEndpoints.submit, { body: { ...whatOf(choice, name), ...each } }));
}

/** Why it cannot be deployed yet; undefined when it can. */
function obstacle(reach: Reach, hasPayload: boolean, hasName: boolean): string | undefined {
  if (reach.label === undefined) return 'Choose a target first.';
  if (!reach.devices) return reach.error ? 'The devices could not be read.' : 'The devices are being read.';
  if (reach.devices.length === 0) return nobody(reach);
  if (!hasPayload) return 'Choose what to run first.';
  return hasName ? undefined : 'Name must not be empty.';
}

export function DeployPage() {
  const [params] = useSearchParams();
  const isPreflight = params.has('check') || params.has('checks');
  const [left, setLeft] = useState(attemptLeft);
  /** An order to many, under way. */
  const [bulk, setBulk] = useState<{ attempt: Attempt; ids: readonly string[] }>();
  if (left)
    return (
      <Page title="Deploy" lead={LEAD}>
        <LeftAttempt
          attempt={left}
          onLeave={() => setLeft(undefined)}
          onContinue={(ids) => {
            setBulk({ attempt: left, ids });
            setLeft(undefined);
          }}
        />
      </Page>
    );
  return (
    <>
      <PreflightPage
        open={isPreflight && {}}
        fallback={
          <Page title="Preflight">
            <Skeleton name="the preflight" rows={4} />
          </Page>
        }
      />
      <BulkDeploy
        open={!isPreflight && bulk && { ...bulk, onClose: () => setBulk(undefined) }}
        fallback={
          <Page title="Deploy" lead={LEAD}>
            <Skeleton name="the deploy" rows={3} />
          </Page>
        }
      />
      {!isPreflight && !bulk && <DeployForm onLost={setLeft} onMany={setBulk} />}
    </>
  );
}

interface DeployFormProps {
  onLost: (attempt: Attempt) => void;
  onMany: (order: { attempt: Attempt; ids: readonly string[] }) => void;
}

function DeployForm({ onLost, onMany }: DeployFormProps) {
  const navigate = useNavigate();
  const [params, setParams] = useSearchParams();
  const choice = readDeployChoice(params);
  const reach = useReach(choice.target);
  const thing = usePayload(choice.thing);
  const [typedName, setTypedName] = useState(choice.name);
  const [confirmation, setConfirmation] = useState('');
  const [preflight, setPreflight] = useState<PreflightPlan>();
  const submit = useWrite({
    mutationFn: async (order: Submission) => {
      const attempt = await beginAttempt(preflight && thing ? await checking(order, preflight, thing) : order);
      return { attempt, jobId: 'ids' in attempt.target ? undefined : await sendAttempt(attempt) };
    },
    meta: { invalidates: JOBS_CHANGED },
  });
  // A click and an Enter within one frame both come before the button is drawn disabled.
  const sent = useRef(false);

  const name = typedName ?? suggestName(thing?.text, reach.label);
  const nameFits = nameText.safeParse(name).success;
  const refused = refusedFields(submit.error, LABELS);
  const { devices } = reach;
  const count = devices?.length ?? 0;
  const isMany = count > 0 && (reach.name !== undefined || count > 1);
  const confirmed = !isMany || confirms(confirmation, reach.name, count);
  const reason =
    obstacle(reach, thing !== undefined, nameFits) ??
    (preflight && preflightFault(preflight)) ??
    (confirmed ? undefined : 'Type the confirmation first.');
  const { error } = submit;

  const onChoose = (kind: TargetKind | PayloadKind, value: string) => {
    submit.reset();
    setConfirmation('');
    setParams(choose(params, kind, value), { replace: true });
  };
  const keepName = (kept: string | undefined) => {
    const next = new URLSearchParams(params);
    if (kept === undefined) next.delete('name');
    else next.set('name', kept);
    setParams(next, { replace: true });
  };
  const deploy = () => {
    const { jobTarget, label } = reach;
    if (sent.current || reason !== undefined || !jobTarget || !devices || label === undefined) return;
    sent.current = true;
    const ids = devices.map(({ DeviceId }) => DeviceId);
    submit.mutate(
      {
        jobTarget,
        devices,
        attempt: { what: whatOf(choice, name), target: attemptTargetOf(choice.target, ids), label },
      },
      {
        onSuccess: ({ attempt, jobId }) => {
          if (jobId === undefined) onMany({ attempt, ids });
          else void navigate(placeOf(attempt, jobId));
        },
        onError: (failure) => {
          sent.current = false;
          if (failure instanceof AnswerLost) onLost(failure.attempt);
        },
      },
    );
  };
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    deploy();
  };

  return (
    <Page title="Deploy" lead={LEAD}>
      <form onSubmit={onSubmit} noValidate>
        <fieldset disabled={submit.isPending || submit.isSuccess} className={classes.deploy}>
          <div className={classes.steps}>
            <section aria-labelledby="deploy-target">
              <h2 id="deploy-target">1. Target</h2>
              <TargetStep target={choice.target} onChoose={onChoose} />
            </section>
            <section aria-labelledby="deploy-what">
              <h2 id="deploy-what">2. What</h2>
              <WhatStep thing={choice.thing} onChoose={onChoose} />
            </section>
            <section aria-labelledby="deploy-name">
              <h2 id="deploy-name">3. Name</h2>
              <TextInput
                label="Name"
                description="Names the job in the list of jobs"
                value={name}
                onChange={(event) => setTypedName(event.currentTarget.value)}
                onBlur={() => keepName(typedName)}
                error={
                  refused['Name'] ??
                  (typedName === undefined || nameFits ? undefined : 'Name must have 1 to 255 characters')
                }
              />
              {typedName !== undefined && (
                <Button
                  size="compact-xs"
                  variant="default"
                  className={classes.suggest}
                  onClick={() => {
                    setTypedName(undefined);
                    keepName(undefined);
                  }}
                >
                  Use the suggested name
                </Button>
              )}
            </section>
            <section aria-labelledby="deploy-preflight">
              <h2 id="deploy-preflight">4. Preflight</h2>
              <Checkbox
                label="Check the devices first"
                description="A small job looks at each device and changes nothing. Only those that pass are offered for the deploy."
                checked={preflight !== undefined}
                onChange={(event) => setPreflight(event.currentTarget.checked ? NEW_PREFLIGHT : undefined)}
              />
              <PreflightStep
                open={preflight && { plan: preflight, onChange: setPreflight }}
                fallback={<Skeleton name="the checks" rows={3} />}
              />
            </section>
          </div>
          <section aria-labelledby="deploy-review" className={classes.review}>
            <h2 id="deploy-review">Review</h2>
            <div className={classes.reviewed}>
              <DeployReview reach={reach} target={choice.target} thing={thing} />
            </div>
            <div className={classes.decide}>
              {error instanceof MembersChanged ? (
                <MembersChangedNote
                  change={error.change}
                  onAccept={(now) => {
                    reach.accept(now);
                    setConfirmation('');
                    submit.reset();
                  }}
                />
              ) : (
                <>
                  {isMany && (
                    <TextInput
                      label={
                        <>
                          Type {reach.name !== undefined && <strong>{reach.name}</strong>}
                          {reach.name !== undefined && ' or '}
                          <strong>{formatCount(count)}</strong> to confirm a {preflight ? 'preflight' : 'deploy'} to{' '}
                          {devicesText(count)}
                        </>
                      }
                      value={confirmation}
                      onChange={(event) => setConfirmation(event.currentTarget.value)}
                      autoComplete="off"
                      spellCheck={false}
                    />
                  )}
                  {reason === undefined && !preflight && devices && (
                    <ShowAsCurl request={requestsOf(choice, name, devices)} />
                  )}
                  {!(error instanceof AnswerLost) && <FormError error={unplacedError(error, LABELS)} />}
                  <div className={classes.buttons}>
                    <Button
                      type="submit"
                      loading={submit.isPending || submit.isSuccess}
                      disabled={reason !== undefined}
                      title={reason}
                      aria-describedby="deploy-reason"
                    >
                      {preflight
                        ? `Check ${count > 1 ? devicesText(count) : 'the device'} first`
                        : count > 1
                          ? `Deploy to ${devicesText(count)}`
                          : 'Deploy'}
                    </Button>
                    <span id="deploy-reason" className="dim">
                      {reason}
                    </span>
                  </div>
                </>
              )}
            </div>
          </section>
        </fieldset>
      </form>
    </Page>
  );
}
