// Asks before the agent of one device is replaced, and says how.
import { useQuery } from '@tanstack/react-query';
import { notifications } from '@mantine/notifications';
import { deviceMutations, deviceQueries } from '#/api/devices.ts';
import type { Device } from '#/contract/devices.ts';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';

export function UpdateAgentDialog({ device, onClose }: { device: Device; onClose: () => void }) {
  const { DeviceId, DeviceName, AgentVersion } = device;
  const published = useQuery(deviceQueries.publishedAgent());
  const to = published.data ? ` by ${published.data.Version}, the agent of this service` : ' by that of this service';
  return (
    <ConfirmDialog
      onClose={onClose}
      title={`Update the agent of ${DeviceName}?`}
      confirmLabel="Update agent"
      write={deviceMutations.updateAgent(DeviceId)}
      onDone={() => {
        notifications.show({ message: `${DeviceName} updates its agent` });
        onClose();
      }}
    >
      <p>
        Agent {AgentVersion} is replaced{to}. It restarts when no job runs, and jobs that wait go on with the new one.
        If that does not reach the service, the device goes back by itself and says why.
      </p>
    </ConfirmDialog>
  );
}
