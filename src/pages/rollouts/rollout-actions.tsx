// The actions on a rollout. Each is confirmed in a dialog that says what will happen and asks for an optional reason.
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { rolloutEndpoints, type Rollout } from '#/contract/rollouts.ts';
import { useMe, whyNot } from '#/api/people.ts';
import { rolloutMutations, rolloutQueries, type RolloutAction } from '#/api/rollouts.ts';
import { devicesText } from '#/lib/format.ts';
import { paths } from '#/paths.ts';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';
import type { Dialog } from '#/ui/dialog/use-dialog.ts';
import { TextField } from '#/ui/form/text-field.tsx';
import { Gate } from '#/ui/controls/gate.tsx';
import { useSnapshot } from '#/ui/use-snapshot.ts';
import { decisionOf } from './rollout-decision.ts';
import { actionsOf } from './rollout-words.ts';

interface Words {
  label: string;
  title: string;
  text: string;
}
const WORDS: Record<ReturnType<typeof actionsOf>[number], Words> = {
  retry: {
    label: 'Retry failed',
    title: 'Retry the failed devices',
    text: 'The failed devices retry their jobs, and the wave’s time limit starts over.',
  },
  advance: {
    label: 'Advance',
    title: 'Start the next wave',
    text: 'The next wave starts without waiting for the gate of this one. Maintenance windows still apply.',
  },
  pause: {
    label: 'Pause',
    title: 'Pause the rollout',
    text: 'No further wave starts. Waiting and running jobs continue.',
  },
  abort: {
    label: 'Abort',
    title: 'Abort the rollout',
    text: 'Waiting jobs are cancelled; running jobs may finish. An aborted rollout cannot be resumed.',
  },
  rollback: {
    label: 'Roll back',
    title: 'Roll back',
    text: 'A new rollout installs the previous version on exactly the devices that took this one: one device first, then the others.',
  },
  remove: {
    label: 'Delete',
    title: 'Delete the rollout',
    text: 'Its waves and history are deleted. Its jobs stay.',
  },
};

/** For some of its devices, of one group of failures. */
export const groupWords = (action: RolloutAction, count: number): Words =>
  action === 'skip'
    ? {
        label: `Leave out ${devicesText(count)}`,
        title: 'Leave out the devices of this group',
        text: `The wave’s gate no longer counts ${count === 1 ? 'it' : 'them'}. If the gate paused the rollout and the wave can pass now, it continues.`,
      }
    : {
        label: `Retry on ${devicesText(count)}`,
        title: 'Retry the devices of this group',
        text: `${count === 1 ? 'It retries its job' : 'They retry their jobs'}. The wave’s time limit starts over, and other failures so far do not pause the rollout again.`,
      };

interface RolloutActionsProps {
  rollout: Rollout;
  dialog: Dialog<RolloutAction>;
}

export function RolloutActions({ rollout, dialog }: RolloutActionsProps) {
  const [first, ...others] = actionsOf(rollout);
  const me = useMe();
  return (
    <Group gap="sm">
      {[...others.toReversed(), ...(first ? [first] : [])].map((action) => (
        <Gate key={action} why={whyNot(me, rolloutEndpoints[action])}>
          <Button
            variant={action === 'advance' && rollout.State === 'Waiting' ? 'filled' : 'default'}
            onClick={() => dialog.open(action)}
          >
            {WORDS[action].label}…
          </Button>
        </Gate>
      ))}
    </Group>
  );
}

/**
 * The dialog of an action beside the title or of a choice on the decision card, as it was when it opened: what is confirmed is
 * what was read then, even if the rollout has changed since and offers other actions.
 */
export function RolloutDialog({ rollout, dialog }: RolloutActionsProps) {
  const choices = decisionOf(rollout)?.choices ?? [];
  const concerned = choices.some(({ states }) => states);
  const { data } = useQuery({ ...rolloutQueries.states(rollout.RolloutId), enabled: concerned });
  const opened = useSnapshot(dialog.name !== null && dialog.subject === null, () => {
    const action = actionsOf(rollout).find((each) => each === dialog.name);
    if (action) return { action, words: WORDS[action] };
    const choice = choices.find((each) => each.action === dialog.name);
    if (!choice || (choice.states && !data)) return undefined;
    const { label, consequence: text, states } = choice;
    const deviceIds =
      states &&
      data?.flatMap(({ Wave, State, DeviceIds }) => (Wave === rollout.Wave && states.includes(State) ? DeviceIds : []));
    return { action: choice.action, words: { label, title: label, text }, deviceIds };
  });
  return opened && <ActionDialog {...opened} rollout={rollout} onClose={dialog.close} />;
}

interface ActionDialogProps {
  rollout: Rollout;
  action: RolloutAction;
  /** Only these devices. */
  deviceIds?: readonly string[] | undefined;
  words: Words;
  /** The name of what it is about, by default of the rollout. */
  name?: string;
  onClose: () => void;
}

export function ActionDialog({
  rollout: { RolloutId: id, Version, Name },
  action,
  deviceIds,
  words: { title, label, text },
  name = Name,
  onClose,
}: ActionDialogProps) {
  const navigate = useNavigate();
  const [reason, setReason] = useState('');
  // The version that was on the screen when the dialog opened: a rollout that has changed since must be seen first.
  const [version] = useState(Version);
  const write =
    action === 'remove'
      ? rolloutMutations.remove(id)
      : action === 'skip'
        ? rolloutMutations.skip({ id, version, reason }, deviceIds ?? [])
        : rolloutMutations.control(action, { id, version, reason, deviceIds });
  return (
    <ConfirmDialog<unknown>
      onClose={onClose}
      title={title}
      confirmLabel={label}
      write={write as Parameters<typeof ConfirmDialog<unknown>>[0]['write']}
      onDone={(made) => {
        onClose();
        if (action === 'remove') void navigate(paths.rollouts(), { replace: true });
        else if (typeof made === 'object' && made !== null && 'RolloutId' in made)
          void navigate(paths.rollout(String(made.RolloutId)));
      }}
    >
      <p>
        <strong>
          <bdi>{name}</bdi>
        </strong>
      </p>
      <p>{text}</p>
      {action !== 'remove' && (
        <TextField
          label="Reason"
          description="Shown to everyone in this account."
          value={reason}
          maxLength={500}
          autoComplete="off"
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      )}
    </ConfirmDialog>
  );
}
