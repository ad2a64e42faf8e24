// Below the review: the confirmation, why the deploy can't be sent yet, and the button that sends it.
import { Button, TextInput } from '@mantine/core';
import { unplacedError } from '#/api/form-rules.ts';
import { requestOf } from '#/api/request-of.ts';
import type { Device } from '#/contract/devices.ts';
import { jobEndpoints } from '#/contract/jobs.ts';
import { rolloutEndpoints, type RolloutDraft } from '#/contract/rollouts.ts';
import { devicesText, formatCount } from '#/lib/format.ts';
import { ShowAsCurl } from '#/ui/curl/show-as-curl.tsx';
import { FormError } from '#/ui/page/view.tsx';
import type { DeployForm, DeployPlan, Submission } from './deploy-form.ts';
import { AnswerLost, MembersChanged, namesText, type MembershipChange } from './submission.ts';
import classes from './deploy.module.css';
import { ApiError } from '#/api/api-error.ts';
import { groupsText, useOwnGroups } from '#/api/people.ts';
import { Gate } from '#/ui/controls/gate.tsx';

/** Fields that show the service's errors about them. */
export const REVIEWED_FIELDS = { Name: 'Name' };

interface DecisionProps {
  plan: DeployPlan;
  form: DeployForm;
  /** Undefined while the deploy cannot be sent. */
  submission: Submission | undefined;
  busy: boolean;
  error: Error | null;
  /** The name of the group or tag, which may be typed instead of the count. */
  groupName: string | undefined;
  onConfirmation: (text: string) => void;
  /** Accepts the current devices as reviewed. */
  onAccept: (devices: Device[]) => void;
  /** Set for a deploy in waves. */
  rollout: RolloutDraft | undefined;
  /** Why it is not permitted. */
  why: string | undefined;
  /** The devices of the target that this person sees. */
  devices: readonly Device[] | undefined;
  /** Makes these devices the target. */
  onOnlyMine: (ids: string[]) => void;
}

export function Decision(props: DecisionProps) {
  const { plan, form, submission, busy, error, groupName, onConfirmation, onAccept, rollout, why } = props;
  const { count, needsWord, reason } = plan;
  if (error instanceof MembersChanged) return <MembersChangedNote change={error.change} onAccept={onAccept} />;
  if (isOutsideGroups(error)) return <OutsideGroupsNote {...props} />;
  return (
    <>
      {needsWord && (
        <TextInput
          label={
            <>
              Type {groupName !== undefined && <strong>{groupName}</strong>}
              {groupName !== undefined && ' or '}
              <strong>{formatCount(count)}</strong> to confirm a{' '}
              {form.rollout ? 'rollout' : form.preflight ? 'preflight' : 'deploy'} to {devicesText(count)}
            </>
          }
          value={form.confirmation}
          onChange={(event) => onConfirmation(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      {submission && !form.preflight && (
        <ShowAsCurl
          request={
            rollout
              ? requestOf(rolloutEndpoints.create, { body: rollout })
              : requestOf(jobEndpoints.submit, { body: submission.body })
          }
        />
      )}
      {!(error instanceof AnswerLost) && <FormError error={unplacedError(error, REVIEWED_FIELDS)} />}
      <div className={classes.buttons}>
        <Gate why={why}>
          <Button
            variant="filled"
            type="submit"
            loading={busy}
            disabled={reason !== undefined}
            aria-describedby="deploy-reason"
          >
            {form.rollout
              ? `Roll out to ${devicesText(count)}`
              : form.preflight
                ? `Check ${count > 1 ? devicesText(count) : 'the device'} first`
                : count > 1
                  ? `Deploy to ${devicesText(count)}`
                  : 'Deploy'}
          </Button>
        </Gate>
        <span id="deploy-reason" className="dim">
          {reason}
        </span>
      </div>
    </>
  );
}

/** The service refused a target that has devices outside the groups of a limited role. */
const isOutsideGroups = (error: Error | null): boolean =>
  error instanceof ApiError && error.status === 403 && /outside your groups/.test(`${error.message} ${error.detail}`);

/** Offers the devices of the target that the person sees, to be reviewed as a selection. */
function OutsideGroupsNote({ devices = [], groupName, onOnlyMine }: DecisionProps) {
  const groups = useOwnGroups();
  return (
    <div role="alert" className={classes.warning}>
      <p>
        <strong>{groupName === undefined ? 'It' : <bdi>{groupName}</bdi>} reaches devices outside your groups.</strong>{' '}
        Nothing was sent.
      </p>
      {groups && <p>Your role covers {groupsText(groups)}.</p>}
      {devices.length > 0 && (
        <div className={classes.buttons}>
          <Button onClick={() => onOnlyMine(devices.map(({ DeviceId }) => DeviceId))}>
            Deploy to only mine ({devicesText(devices.length)})
          </Button>
        </div>
      )}
    </div>
  );
}

/** The members changed between review and click: lists them by name, to be accepted before anything is sent. */
function MembersChangedNote({ change, onAccept }: { change: MembershipChange; onAccept: DecisionProps['onAccept'] }) {
  const { now, joined, left } = change;
  return (
    <div role="alert" className={classes.warning}>
      <p>
        <strong>The devices have changed since the review.</strong> Nothing was sent.
      </p>
      {joined.length > 0 && (
        <p>
          {devicesText(joined.length)} joined: {namesText(joined)}
        </p>
      )}
      {left.length > 0 && (
        <p>
          {devicesText(left.length)} left: {namesText(left)}
        </p>
      )}
      <div className={classes.buttons}>
        <Button onClick={() => onAccept(now)}>Go on with {devicesText(now.length)}</Button>
      </div>
    </div>
  );
}
