// Changes a device's name, group, customer and site; only what was changed is sent.
import { useState } from 'react';
import { TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { deviceMutations } from '#/api/devices.ts';
import { formRules } from '#/api/form-rules.ts';
import { requestOf } from '#/api/request-of.ts';
import { deviceChange, deviceEndpoints } from '#/contract/devices.ts';
import type { Device } from '#/contract/devices.ts';
import { FormDialog } from '#/ui/dialog/form-dialog.tsx';
import { FIELD_LABELS, changedFields, editableValues } from './changed-fields.ts';
import { GroupInput } from './group-input.tsx';

const RULES = formRules(deviceChange, FIELD_LABELS);
const UNREAD = 'Not readable here: leave it empty to keep what is stored.';
const TEXT = { maxLength: 255, autoComplete: 'off', spellCheck: false } as const;

export function EditDeviceDialog({ device, onClose }: { device: Device; onClose: () => void }) {
  // The list may be read again while the dialog is open; a change is what differs from its first values.
  const [before] = useState(device);
  const { DeviceId, DeviceName, CustomerName, CustomerSite } = before;
  return (
    <FormDialog
      onClose={onClose}
      title={`Edit ${DeviceName}`}
      rules={RULES}
      initial={editableValues(before)}
      bodyOf={(values) => changedFields(before, values)}
      notReady={(change) => (Object.keys(change).length === 0 ? 'Nothing is changed yet.' : undefined)}
      write={deviceMutations.update(DeviceId)}
      request={(body) => requestOf(deviceEndpoints.update, { params: { device_id: DeviceId }, body })}
      submitLabel="Save"
      onDone={(_, change) => {
        notifications.show({ message: `${change.DeviceName ?? DeviceName} is saved` });
        onClose();
      }}
    >
      {({ field }) => (
        <>
          <TextInput required data-autofocus {...TEXT} {...field('DeviceName')} />
          <GroupInput {...field('DeviceGroup')} />
          <TextInput
            description={CustomerName === undefined ? UNREAD : undefined}
            {...TEXT}
            {...field('CustomerName')}
          />
          <TextInput
            description={CustomerSite === undefined ? UNREAD : undefined}
            {...TEXT}
            {...field('CustomerSite')}
          />
        </>
      )}
    </FormDialog>
  );
}
