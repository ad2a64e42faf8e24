// The actions on a rollout. Each is confirmed in a dialog that says what will happen and asks for an optional reason.
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { Button, Group } from '@mantine/core';
import { rolloutEndpoints, type Rollout } from '#/contract/rollouts.ts';
import { useMe, whyNot } from '#/api/people.ts';
import { rolloutMutations, type RolloutAction } from '#/api/rollouts.ts';
import { devicesText } from '#/lib/format.ts';
import { paths } from '#/paths.ts';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';
import type { Dialog } from '#/ui/dialog/use-dialog.ts';
import { TextField } from '#/ui/form/text-field.tsx';
import { actionsOf } from './rollout-words.ts';
import { Gate } from '#/ui/controls/gate.tsx';

interface Words {
  label: string;
  title: string;
  text: string;
}
const WORDS: Record<Exclude<RolloutAction, 'skip'>, Words & { doing: string }> = {
  retry: {
    doing: 'Retrying a rollout',
    label: 'Retry failed',
    title: 'Retry the failed devices',
    text: 'The failed devices retry their jobs, and the wave’s time limit starts over.',
  },
  resume: {
    doing: 'Resuming a rollout',
    label: 'Resume',
    title: 'Resume the rollout',
    text: 'The rollout continues. Failures so far do not pause it again, and the wave’s time limit starts over.',
  },
  advance: {
    doing: 'Advancing a rollout',
    label: 'Advance',
    title: 'Start the next wave',
    text: 'The next wave starts without waiting for the gate of this one. Maintenance windows still apply.',
  },
  pause: {
    doing: 'Pausing a rollout',
    label: 'Pause',
    title: 'Pause the rollout',
    text: 'No further wave starts. Waiting and running jobs continue.',
  },
  abort: {
    doing: 'Aborting a rollout',
    label: 'Abort',
    title: 'Abort the rollout',
    text: 'Waiting jobs are cancelled; running jobs may finish. An aborted rollout cannot be resumed.',
  },
  rollback: {
    doing: 'Rolling back',
    label: 'Roll back',
    title: 'Roll back',
    text: 'A new rollout installs the previous version on exactly the devices that took this one: one device first, then the others.',
  },
  remove: {
    doing: 'Deleting a rollout',
    label: 'Delete',
    title: 'Delete the rollout',
    text: 'Its waves and history are deleted. Its jobs stay.',
  },
};

const retryWords = (count: number): Words => ({
  label: `Retry on ${devicesText(count)}`,
  title: 'Retry the devices of this group',
  text: `${count === 1 ? 'It retries its job' : 'They retry their jobs'}. The wave’s time limit starts over, and other failures so far do not pause the rollout again.`,
});

export function RolloutActions({ rollout, dialog }: { rollout: Rollout; dialog: Dialog<RolloutAction> }) {
  const [first, ...others] = actionsOf(rollout);
  const opened = actionsOf(rollout).find((action) => action === dialog.name);
  const me = useMe();
  return (
    <>
      <Group gap="sm">
        {[...others.toReversed(), ...(first ? [first] : [])].map((action) => (
          <Gate key={action} why={whyNot(me, rolloutEndpoints[action], { doing: WORDS[action].doing })}>
            <Button
              variant={action === 'advance' && rollout.State === 'Waiting' ? 'filled' : 'default'}
              onClick={() => dialog.open(action)}
            >
              {WORDS[action].label}…
            </Button>
          </Gate>
        ))}
      </Group>
      {opened && <ActionDialog key={opened} rollout={rollout} action={opened} onClose={dialog.close} />}
    </>
  );
}

interface ActionDialogProps {
  rollout: Rollout;
  action: RolloutAction;
  /** Only these devices. */
  deviceIds?: readonly string[] | undefined;
  /** By default those of the action. */
  words?: Words;
  onClose: () => void;
}

export function ActionDialog({
  rollout: { RolloutId: id, Version, Name },
  action,
  deviceIds,
  words,
  onClose,
}: ActionDialogProps) {
  const navigate = useNavigate();
  const [reason, setReason] = useState('');
  // The version that was on the screen when the dialog opened: a rollout that has changed since must be seen first.
  const [version] = useState(Version);
  const { title, label, text } =
    words ?? (action === 'skip' || deviceIds ? retryWords(deviceIds?.length ?? 0) : WORDS[action]);
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
          <bdi>{Name}</bdi>
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
