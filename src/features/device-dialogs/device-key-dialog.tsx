// A device's key, shown once, with the commands that contain it. The dialog also shows when the device comes Online.
import { Stack } from '@mantine/core';
import { SecretDialog } from '#/ui/dialog/secret-dialog.tsx';
import { AwaitDevice, DeviceArrived, useArrival, useHostName } from '#/features/install/device-arrival.tsx';
import { KeyCommands } from '#/features/install/key-commands.tsx';
import { useInstall } from '#/features/install/use-install.ts';

interface DeviceKeyDialogProps {
  id: string;
  name: string;
  secret: string;
  /** `this machine`: the clone's own command first. `new key`: the device exists and had another key. */
  kind: 'device' | 'this machine' | 'new key';
  /** The name was not chosen by a person: the device is named after its host. */
  nameAfterHost?: boolean;
  onDone: () => void;
}

export function DeviceKeyDialog({ id, name, secret, kind, nameAfterHost = false, onDone }: DeviceKeyDialogProps) {
  const isNew = kind !== 'new key';
  const { host } = useInstall();
  const arrived = useArrival(id, isNew);
  useHostName(arrived, nameAfterHost);
  return (
    <SecretDialog
      title={arrived ? `${arrived.DeviceName} is connected` : isNew ? `Connect ${name}` : `New key of ${name}`}
      what="device key"
      secret={secret}
      fileName={`${name.replace(/[^\w.-]+/g, '-')}.key`}
      success={arrived && ((leave) => <DeviceArrived device={arrived} onLeave={leave} />)}
      onDone={onDone}
      commands={(onCopied, revealed) => (
        <Stack gap="sm">
          <KeyCommands secret={secret} revealed={revealed} thisMachine={kind === 'this machine'} onCopied={onCopied} />
          {isNew && !arrived && <AwaitDevice />}
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
              ? 'Run this on the device.'
              : 'The old key no longer works. Run this on the device to set the new one.'}
      </p>
    </SecretDialog>
  );
}
