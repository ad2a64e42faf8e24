// Asks before the agent of one device is replaced, and says how.
import { useMutation, useQuery } from '@tanstack/react-query';
import { notifications } from '@mantine/notifications';
import { deviceMutations, deviceQueries } from '#/api/devices.ts';
import { requestOf } from '#/api/request-of.ts';
import { deviceEndpoints } from '#/contract/devices.ts';
import type { Device } from '#/contract/devices.ts';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';

export function UpdateAgentDialog({ device, onClose }: { device: Device; onClose: () => void }) {
  const { DeviceId, DeviceName, AgentVersion } = device;
  const published = useQuery(deviceQueries.publishedAgent());
  const update = useMutation(deviceMutations.updateAgent(DeviceId));
  const to = published.data ? ` by ${published.data.Version}, the agent of this service` : ' by that of this service';
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={`Update the agent of ${DeviceName}?`}
      confirmLabel="Update agent"
      request={requestOf(deviceEndpoints.updateAgent, { params: { device_id: DeviceId } })}
      busy={update.isPending}
      error={update.error}
      onConfirm={() =>
        update.mutate(undefined, {
          onSuccess: () => {
            notifications.show({ message: `${DeviceName} updates its agent` });
            onClose();
          },
        })
      }
    >
      <p>
        Agent {AgentVersion} is replaced{to}. It restarts when no job runs, and jobs that wait go on with the new one.
        If that does not reach the service, the device goes back by itself and says why.
      </p>
    </ConfirmDialog>
  );
}
