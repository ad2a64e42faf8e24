// The dialogs about devices, one at a time, as the URL names it. Loaded when the first one opens.
import { useState, type ComponentType } from 'react';
import { Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { isMissing } from '#/api/api-error.ts';
import { deviceMutations, deviceQueries } from '#/api/devices.ts';
import type { Device } from '#/contract/devices.ts';
import { whyNoRotation } from '#/fleet/agent-limits.ts';
import { withFullStop } from '#/lib/format.ts';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import { ShortId } from '#/ui/controls/copy-button.tsx';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';
import { NoDataYet } from '#/ui/page/view.tsx';
import { AddDeviceDialog } from './add-device-dialog.tsx';
import { DeviceKeyDialog } from './device-key-dialog.tsx';
import { EditDeviceDialog } from './edit-device-dialog.tsx';
import { LocationDialog } from './location-dialog.tsx';
import type { DeviceDialog } from './use-device-dialog.ts';

interface DeviceDialogsProps {
  dialog: DeviceDialog;
  /** The device of the page; otherwise the URL names one. */
  device?: Device;
  onDeleted?: () => void;
}

export function DeviceDialogs({ dialog, device, onDeleted = dialog.close }: DeviceDialogsProps) {
  const { name, subject, close } = dialog;
  if (name === 'add' || name === 'add-this-machine')
    return <AddDeviceDialog key={name} thisMachine={name === 'add-this-machine'} onClose={close} />;
  if (!isAbout(name)) return null;
  const About = ABOUT[name];
  if (device) return <About device={device} onClose={close} onDeleted={onDeleted} />;
  return subject ? <AboutDeviceById id={subject} About={About} onClose={close} /> : null;
}

interface AboutProps {
  device: Device;
  onClose: () => void;
  onDeleted: () => void;
}

const ABOUT = {
  edit: EditDeviceDialog,
  locate: LocationDialog,
  delete: DeleteDeviceDialog,
  'new-key': NewKeyDialog,
  'update-agent': UpdateAgentDialog,
};
const isAbout = (name: string | null): name is keyof typeof ABOUT => name !== null && Object.hasOwn(ABOUT, name);

/** The device may be on another page of the table, or the dialog was opened by its address. */
function AboutDeviceById({
  id,
  About,
  onClose,
}: {
  id: string;
  About: ComponentType<AboutProps>;
  onClose: () => void;
}) {
  const device = useQuery(deviceQueries.one(id));
  if (device.data) return <About device={device.data} onClose={onClose} onDeleted={onClose} />;
  return (
    <BaseDialog onClose={onClose} title="Device">
      <NoDataYet query={device} name="the device" rows={4} />
    </BaseDialog>
  );
}

function DeleteDeviceDialog({ device, onClose, onDeleted }: AboutProps) {
  const { DeviceId, DeviceGroup, DeviceName, DeviceStatus } = device;
  return (
    <ConfirmDialog
      onClose={onClose}
      title={`Delete ${DeviceName}?`}
      confirmLabel="Delete device"
      write={deviceMutations.remove(DeviceId)}
      onDone={() => {
        notifications.show({ message: `${DeviceName} deleted` });
        onDeleted();
      }}
    >
      <p>
        Device ID <ShortId value={DeviceId} what="device id" />
        {DeviceGroup && ` in the group ${DeviceGroup}`}
      </p>
      <p>
        Its key, waiting jobs and tunnels are deleted too.
        {DeviceStatus === 'Online' && ' It is online now and will be disconnected.'} This cannot be undone.
      </p>
    </ConfirmDialog>
  );
}

type KeyWay = 'send' | 'show';

/** The device takes a new key over its connection, or a person puts it there and the old one ends at once. */
function NewKeyDialog({ device, onClose }: AboutProps) {
  const { DeviceId, DeviceName, DeviceStatus } = device;
  const whyNotSent = whyNoRotation(device);
  const [chosen, setChosen] = useState<KeyWay>();
  const way = whyNotSent === undefined ? (chosen ?? 'send') : 'show';
  const [secret, setSecret] = useState<string>();
  if (secret !== undefined)
    return <DeviceKeyDialog id={DeviceId} name={DeviceName} secret={secret} kind="new key" onDone={onClose} />;
  const isOnline = DeviceStatus === 'Online';
  const question = { onClose, title: `New key for ${DeviceName}?` };
  const choice = device.KeyRotation !== undefined && (
    <Stack gap="xs" mb="sm" align="flex-start">
      <SegmentedControl<KeyWay>
        aria-label="How the device gets its new key"
        value={way}
        onChange={setChosen}
        data={[
          { value: 'send', label: 'Send it to the device', disabled: whyNotSent !== undefined },
          { value: 'show', label: 'Show it here' },
        ]}
      />
      {whyNotSent !== undefined && <p className="dim">It cannot be sent to the device. {withFullStop(whyNotSent)}</p>}
    </Stack>
  );
  if (way === 'send')
    return (
      <ConfirmDialog
        {...question}
        key="send"
        confirmLabel="Rotate key"
        isHarmless
        write={deviceMutations.rotateKey(DeviceId)}
        onDone={() => {
          notifications.show({
            message: isOnline
              ? `${DeviceName} takes a new key`
              : `${DeviceName} gets a new key when it is online again`,
          });
          onClose();
        }}
      >
        {choice}
        <p>
          {isOnline
            ? 'The device stores the new key and stays Online; its jobs and tunnels go on.'
            : 'The device is sent the new key when it is online again.'}{' '}
          The old key stops working when the device uses the new one.
        </p>
      </ConfirmDialog>
    );
  return (
    <ConfirmDialog
      {...question}
      key="show"
      confirmLabel="Create new key"
      write={deviceMutations.rekey(DeviceId)}
      explain={(error) => (isMissing(error) ? new Error('This service cannot give a device a new key.') : error)}
      onDone={({ DeviceKey }) => setSecret(DeviceKey)}
    >
      {choice}
      <p>
        The old key stops working immediately.
        {isOnline && ' The device is Online now: it stays disconnected until it gets the new key.'} Its waiting jobs are
        kept.
      </p>
    </ConfirmDialog>
  );
}

function UpdateAgentDialog({ device, onClose }: AboutProps) {
  const { DeviceId, DeviceName, AgentVersion } = device;
  const published = useQuery(deviceQueries.publishedAgent());
  if (device.AgentUpdate === 'Newer' && published.data?.Sequence !== undefined) {
    const { Version, Sequence } = published.data;
    return (
      <ConfirmDialog
        onClose={onClose}
        title={`Downgrade the agent of ${DeviceName}?`}
        confirmLabel={`Downgrade to ${Version}`}
        write={deviceMutations.downgradeAgent(DeviceId, Sequence)}
        onDone={() => {
          notifications.show({ message: `${DeviceName} is downgrading to agent ${Version}` });
          onClose();
        }}
      >
        <p>
          {DeviceName} has run a newer agent than {Version} (Sequence {Sequence}), the one of this service. Faults that
          were fixed since come back with the older one. It restarts when no job runs.
        </p>
      </ConfirmDialog>
    );
  }
  const to = published.data ? ` by ${published.data.Version}, the agent of this service` : ' by that of this service';
  return (
    <ConfirmDialog
      onClose={onClose}
      title={`Update the agent of ${DeviceName}?`}
      confirmLabel="Update agent"
      write={deviceMutations.updateAgent(DeviceId)}
      onDone={() => {
        notifications.show({ message: `${DeviceName} is updating its agent` });
        onClose();
      }}
    >
      <p>
        Agent {AgentVersion} is replaced{to}. It restarts when no job runs; waiting jobs then run with the new one. If
        the new agent cannot connect, the device restores the previous one and reports why.
      </p>
    </ConfirmDialog>
  );
}
