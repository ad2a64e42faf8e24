// A new key for a device that lost its own: asks first, because the old one ends at once, then shows it once.
import { useState } from 'react';
import { isMissing } from '#/api/api-error.ts';
import { deviceMutations } from '#/api/devices.ts';
import { requestOf } from '#/api/request-of.ts';
import { deviceEndpoints } from '#/contract/devices.ts';
import type { Device } from '#/contract/devices.ts';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { DeviceKeyDialog } from './device-key-dialog.tsx';

export function NewKeyDialog({ device, onClose }: { device: Device; onClose: () => void }) {
  const { DeviceId, DeviceName, DeviceStatus } = device;
  const rekey = useWrite(deviceMutations.rekey(DeviceId));
  const [done, setDone] = useState(false);
  if (done) return null;
  if (rekey.data)
    return (
      <DeviceKeyDialog
        id={DeviceId}
        name={DeviceName}
        secret={rekey.data.DeviceKey}
        kind="new key"
        onDone={() => {
          setDone(true);
          rekey.reset();
          onClose();
        }}
      />
    );
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={`New key for ${DeviceName}?`}
      confirmLabel="Make a new key"
      request={requestOf(deviceEndpoints.rekey, { params: { device_id: DeviceId } })}
      busy={rekey.isPending}
      error={isMissing(rekey.error) ? new Error('This service cannot give a device a new key.') : rekey.error}
      onConfirm={() => rekey.mutate()}
    >
      <p>
        The old key ends at once.
        {DeviceStatus === 'Online' && ' The device is Online now: it is cut off until it gets the new key.'} Jobs that
        wait for it stay.
      </p>
    </ConfirmDialog>
  );
}
