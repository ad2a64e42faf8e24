// Asks before a device is deleted, and says what ends with it.
import { notifications } from '@mantine/notifications';
import { deviceMutations } from '#/api/devices.ts';
import { requestOf } from '#/api/request-of.ts';
import { deviceEndpoints } from '#/contract/devices.ts';
import type { Device } from '#/contract/devices.ts';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';
import { useWrite } from '#/ui/dialog/use-write.ts';

interface DeleteDeviceDialogProps {
  device: Device;
  onClose: () => void;
  onDeleted: () => void;
}

export function DeleteDeviceDialog({ device, onClose, onDeleted }: DeleteDeviceDialogProps) {
  const { DeviceId, DeviceName, DeviceStatus } = device;
  const remove = useWrite(deviceMutations.remove(DeviceId));
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={`Delete ${DeviceName}?`}
      confirmLabel="Delete device"
      request={requestOf(deviceEndpoints.remove, { params: { device_id: DeviceId } })}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() =>
        remove.mutate(undefined, {
          onSuccess: () => {
            notifications.show({ message: `${DeviceName} is deleted` });
            onDeleted();
          },
        })
      }
    >
      <p>
        Its key, the jobs that wait for it and its tunnels end with it.
        {DeviceStatus === 'Online' && ' It is Online now and is cut off at once.'} This cannot be undone.
      </p>
    </ConfirmDialog>
  );
}
