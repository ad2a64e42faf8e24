// A new key for a device that lost its own: asks first, because the old one ends at once, then shows it once.
import { useState } from 'react';
import { isMissing } from '#/api/api-error.ts';
import { deviceMutations } from '#/api/devices.ts';
import type { Device } from '#/contract/devices.ts';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';
import { DeviceKeyDialog } from './device-key-dialog.tsx';

export function NewKeyDialog({ device, onClose }: { device: Device; onClose: () => void }) {
  const { DeviceId, DeviceName, DeviceStatus } = device;
  const [secret, setSecret] = useState<string>();
  if (secret !== undefined)
    return <DeviceKeyDialog id={DeviceId} name={DeviceName} secret={secret} kind="new key" onDone={onClose} />;
  return (
    <ConfirmDialog
      onClose={onClose}
      title={`New key for ${DeviceName}?`}
      confirmLabel="Make a new key"
      write={deviceMutations.rekey(DeviceId)}
      explain={(error) => (isMissing(error) ? new Error('This service cannot give a device a new key.') : error)}
      onDone={({ DeviceKey }) => setSecret(DeviceKey)}
    >
      <p>
        The old key ends at once.
        {DeviceStatus === 'Online' && ' The device is Online now: it is cut off until it gets the new key.'} Jobs that
        wait for it stay.
      </p>
    </ConfirmDialog>
  );
}
