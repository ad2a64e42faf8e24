// A device's key, shown once, with the commands that contain it. The dialog also shows when the device comes Online.
import { Stack } from '@mantine/core';
import { SecretDialog } from '#/ui/dialog/secret-dialog.tsx';
import { DeviceArrival, useArrival } from '#/features/install/device-arrival.tsx';
import { KeyCommands } from '#/features/install/key-commands.tsx';
import { useInstall } from '#/features/install/use-install.ts';

interface DeviceKeyDialogProps {
  id: string;
  name: string;
  secret: string;
  /** `this machine`: the clone's own command first. `new key`: the device exists and had another key. */
  kind: 'device' | 'this machine' | 'new key';
  onDone: () => void;
}

export function DeviceKeyDialog({ id, name, secret, kind, onDone }: DeviceKeyDialogProps) {
  const isNew = kind !== 'new key';
  const { host } = useInstall();
  const arrival = useArrival(id, isNew);
  return (
    <SecretDialog
      title={isNew ? `Connect ${name}` : `New key of ${name}`}
      what="device key"
      secret={secret}
      fileName={`${name.replace(/[^\w.-]+/g, '-')}.key`}
      noNeed={isNew && arrival === 'Online' ? 'It is in use.' : undefined}
      onDone={onDone}
      commands={(onCopied) => (
        <Stack gap="sm">
          <KeyCommands secret={secret} thisMachine={kind === 'this machine'} onCopied={onCopied} />
          {isNew && <DeviceArrival state={arrival} id={id} name={name} />}
        </Stack>
      )}
    >
      <p>
        {host !== undefined
          ? isNew
            ? 'With this key the device signs in to the service.'
            : 'The old key no longer works. Give the device the new one.'
          : kind === 'this machine'
            ? 'One command connects this machine. It needs Node 20 or newer and runs until you stop it.'
            : isNew
              ? 'Run one of these on the device. The agent needs Node 20 or newer.'
              : 'The old key no longer works. Run one of these on the device to set the new one.'}
      </p>
    </SecretDialog>
  );
}
