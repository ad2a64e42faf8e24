// Asks before a device is deleted, and says what ends with it.
import { notifications } from '@mantine/notifications';
import { deviceMutations } from '#/api/devices.ts';
import type { Device } from '#/contract/devices.ts';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';

interface DeleteDeviceDialogProps {
  device: Device;
  onClose: () => void;
  onDeleted: () => void;
}

export function DeleteDeviceDialog({ device, onClose, onDeleted }: DeleteDeviceDialogProps) {
  const { DeviceId, DeviceName, DeviceStatus } = device;
  return (
    <ConfirmDialog
      onClose={onClose}
      title={`Delete ${DeviceName}?`}
      confirmLabel="Delete device"
      write={deviceMutations.remove(DeviceId)}
      onDone={() => {
        notifications.show({ message: `${DeviceName} is deleted` });
        onDeleted();
      }}
    >
      <p>
        Its key, the jobs that wait for it and its tunnels end with it.
        {DeviceStatus === 'Online' && ' It is Online now and is cut off at once.'} This cannot be undone.
      </p>
    </ConfirmDialog>
  );
}
