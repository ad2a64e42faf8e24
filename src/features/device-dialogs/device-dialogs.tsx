// The dialogs about devices, one at a time, as the URL names it. Loaded when the first one opens.
import { useQuery } from '@tanstack/react-query';
import { deviceQueries } from '#/api/devices.ts';
import type { Device } from '#/contract/devices.ts';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import { Failure, Skeleton } from '#/ui/page/view.tsx';
import { AddDeviceDialog } from './add-device-dialog.tsx';
import { DeleteDeviceDialog } from './delete-device-dialog.tsx';
import { EditDeviceDialog } from './edit-device-dialog.tsx';
import { LocationDialog } from './location-dialog.tsx';
import { NewKeyDialog } from './new-key-dialog.tsx';
import { UpdateAgentDialog } from './update-agent-dialog.tsx';
import type { DeviceDialog } from './use-device-dialog.ts';

interface DeviceDialogsProps {
  dialog: DeviceDialog;
  /** The device that the page is about; else the URL names one. */
  device?: Device;
  /** After the device is gone: leave the page that was about it. */
  onDeleted?: () => void;
}

export function DeviceDialogs({ dialog, device, onDeleted }: DeviceDialogsProps) {
  switch (dialog.name) {
    case 'add':
    case 'add-this-machine':
      return (
        <AddDeviceDialog key={dialog.name} thisMachine={dialog.name === 'add-this-machine'} onClose={dialog.close} />
      );
    case 'edit':
    case 'locate':
    case 'delete':
    case 'new-key':
    case 'update-agent':
      if (device)
        return <AboutDevice name={dialog.name} device={device} onClose={dialog.close} onDeleted={onDeleted} />;
      return dialog.subject ? <AboutDeviceById name={dialog.name} id={dialog.subject} onClose={dialog.close} /> : null;
    default:
      return null;
  }
}

interface AboutProps {
  name: 'edit' | 'locate' | 'delete' | 'new-key' | 'update-agent';
  onClose: () => void;
  onDeleted?: (() => void) | undefined;
}

/** The device may stand on another page of the table, or the dialog was opened by its address. */
function AboutDeviceById({ id, ...props }: AboutProps & { id: string }) {
  const { data, error, isFetching, refetch } = useQuery(deviceQueries.one(id));
  if (data) return <AboutDevice {...props} device={data} />;
  return (
    <BaseDialog onClose={props.onClose} title="Device">
      {error ? (
        <Failure what="the device" error={error} busy={isFetching} onRetry={refetch} />
      ) : (
        <Skeleton name="the device" rows={4} />
      )}
    </BaseDialog>
  );
}

function AboutDevice({ name, device, onClose, onDeleted }: AboutProps & { device: Device }) {
  switch (name) {
    case 'edit':
      return <EditDeviceDialog device={device} onClose={onClose} />;
    case 'locate':
      return <LocationDialog device={device} onClose={onClose} />;
    case 'delete':
      return <DeleteDeviceDialog device={device} onClose={onClose} onDeleted={onDeleted ?? onClose} />;
    case 'new-key':
      return <NewKeyDialog device={device} onClose={onClose} />;
    case 'update-agent':
      return <UpdateAgentDialog device={device} onClose={onClose} />;
  }
}
