// Deploy: target, thing, name, review, all on one screen. The choices stand in the URL; nothing is sent twice.
import { useRef, useState } from 'react';
import type { SubmitEvent } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { useMutation } from '@tanstack/react-query';
import { Button, TextInput } from '@mantine/core';
import { jobDraft } from '#/contract/jobs.ts';
import { checkedBy, refusedFields, unplacedError } from '#/api/form-rules.ts';
import { jobMutations } from '#/api/jobs.ts';
import { paths } from '#/paths.ts';
import { formatCount } from '#/ui/format.ts';
import { Page } from '#/ui/page.tsx';
import { FormError } from '#/ui/view.tsx';
import { choose, confirms, draftOf, isOutcomeUnknown, readChoice, suggestName } from './deploy-choice.ts';
import type { TargetKind, ThingKind } from './deploy-choice.ts';
import { DeployReview, nobody } from './deploy-review.tsx';
import { TargetStep } from './deploy-target.tsx';
import { WhatStep } from './deploy-what.tsx';
import { devicesText } from '#/jobs/job-words.ts';
import { useReach, useThing } from './use-deploy-choice.ts';
import type { Reach } from './use-deploy-choice.ts';
import classes from './deploy.module.css';

const LABELS = { Name: 'Name' };
const check = checkedBy(jobDraft, LABELS);

/** Why it cannot be deployed yet; undefined when it can. */
function obstacle(
  reach: Reach,
  hasThing: boolean,
  nameFault: string | undefined,
  confirmed: boolean,
): string | undefined {
  if (reach.label === undefined) return 'Choose a target first.';
  if (!reach.devices) return reach.error ? 'The devices could not be read.' : 'The devices are being read.';
  if (reach.devices.length === 0) return nobody(reach);
  if (!hasThing) return 'Choose what to run first.';
  if (nameFault) return `${nameFault}.`;
  return confirmed ? undefined : 'Type the confirmation first.';
}

export function DeployPage() {
  const navigate = useNavigate();
  const [params, setParams] = useSearchParams();
  const choice = readChoice(params);
  const reach = useReach(choice.target);
  const thing = useThing(choice.thing);
  const [typedName, setTypedName] = useState(choice.name);
  const [confirmation, setConfirmation] = useState('');
  const submit = useMutation(jobMutations.submit());
  // A click and an Enter within one frame both come before the button is drawn disabled.
  const sent = useRef(false);

  const name = typedName ?? suggestName(thing?.text, reach.label);
  const draft = draftOf(choice, name);
  const faults = check(draft);
  const refused = refusedFields(submit.error, LABELS);
  const count = reach.devices?.length ?? 0;
  const confirmed = reach.confirm === undefined || confirms(confirmation, reach.confirm, count);
  const reason = obstacle(reach, thing !== undefined, faults['Name'], confirmed);
  const unknown = isOutcomeUnknown(submit.error);

  const onChoose = (kind: TargetKind | ThingKind, value: string) => {
    submit.reset();
    setConfirmation('');
    setParams(choose(params, kind, value), { replace: true });
  };
  const keepName = () => {
    const next = new URLSearchParams(params);
    if (typedName === undefined) next.delete('name');
    else next.set('name', typedName);
    setParams(next, { replace: true });
  };
  const deploy = () => {
    const checked = jobDraft.safeParse(draft);
    if (sent.current || reason !== undefined || !checked.success) return;
    sent.current = true;
    submit.mutate(checked.data, {
      onSuccess: ({ JobId }) => void navigate(paths.job(JobId)),
      onError: () => {
        sent.current = false;
      },
    });
  };
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    // After a lost answer only the button that says so sends again.
    if (!unknown) deploy();
  };

  return (
    <Page title="Deploy" lead="Run an artifact on a device, on a group of devices, or on all devices with a tag.">
      <form onSubmit={onSubmit} noValidate>
        <fieldset disabled={submit.isPending || submit.isSuccess} className={classes['deploy']}>
          <div className={classes['steps']}>
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
                onBlur={keepName}
                error={refused['Name'] ?? (typedName === undefined ? undefined : faults['Name'])}
                rightSectionWidth={150}
              />
              {typedName !== undefined && (
                <Button
                  size="compact-xs"
                  variant="default"
                  className={classes['suggest'] ?? ''}
                  onClick={() => {
                    setTypedName(undefined);
                    const next = new URLSearchParams(params);
                    next.delete('name');
                    setParams(next, { replace: true });
                  }}
                >
                  Use the suggested name
                </Button>
              )}
            </section>
          </div>
          <section aria-labelledby="deploy-review" className={classes['review']}>
            <h2 id="deploy-review">Review</h2>
            <DeployReview reach={reach} thing={thing} />
            {reach.confirm !== undefined && count > 0 && (
              <TextInput
                label={
                  <>
                    Type <strong>{reach.confirm}</strong> or <strong>{formatCount(count)}</strong> to confirm a deploy
                    to {devicesText(count)}
                  </>
                }
                value={confirmation}
                onChange={(event) => setConfirmation(event.currentTarget.value)}
                autoComplete="off"
                spellCheck={false}
              />
            )}
            {unknown ? (
              <div role="alert" className={classes['warning']}>
                <p>
                  <strong>It is unknown whether the job was submitted.</strong> {submit.error?.message}. Look in Jobs
                  before you deploy again: a second job would run the same thing twice.
                </p>
                <div className={classes['buttons']}>
                  <Button component={Link} to={paths.jobs()}>
                    Look in Jobs
                  </Button>
                  <Button variant="default" onClick={deploy} disabled={reason !== undefined} title={reason}>
                    Deploy again
                  </Button>
                </div>
              </div>
            ) : (
              <>
                <FormError error={unplacedError(submit.error, LABELS)} />
                <div className={classes['buttons']}>
                  <Button
                    type="submit"
                    loading={submit.isPending || submit.isSuccess}
                    disabled={reason !== undefined}
                    title={reason}
                    aria-describedby="deploy-reason"
                  >
                    {count > 1 ? `Deploy to ${devicesText(count)}` : 'Deploy'}
                  </Button>
                  <span id="deploy-reason" className="dim">
                    {reason}
                  </span>
                </div>
              </>
            )}
          </section>
        </fieldset>
      </form>
    </Page>
  );
}
