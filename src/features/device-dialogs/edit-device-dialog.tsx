// Changes a device's name, group, customer and site; only what was changed is sent.
import { useState } from 'react';
import { TextField } from '#/ui/form/text-field.tsx';
import { deviceMutations } from '#/api/devices.ts';
import { formRules } from '#/api/form-rules.ts';
import { requestOf } from '#/api/request-of.ts';
import { deviceChange, deviceEndpoints, type Device } from '#/contract/devices.ts';
import { offerEditUndo } from '#/features/undo/undo-device.ts';
import { FormDialog } from '#/ui/dialog/form-dialog.tsx';
import { DeviceNameInput } from './device-name-input.tsx';
import { FIELD_LABELS, changedFields, editableValues } from '#/features/device-fields/changed-fields.ts';
import { useKnownValues } from './use-known-values.ts';
import { GroupInput } from './group-input.tsx';

const RULES = formRules(deviceChange, FIELD_LABELS);
const UNREAD = 'Not reported by this service. Leave empty to keep the stored value.';
const TEXT = { maxLength: 255, autoComplete: 'off', spellCheck: false } as const;

export function EditDeviceDialog({ device, onClose }: { device: Device; onClose: () => void }) {
  // The list may be read again while the dialog is open; a change is what differs from its first values.
  const [before] = useState(device);
  const groups = useKnownValues('DeviceGroup');
  const { DeviceId, DeviceName } = before;
  return (
    <FormDialog
      onClose={onClose}
      title={`Edit ${DeviceName}`}
      rules={RULES}
      initial={editableValues(before)}
      bodyOf={(values) => changedFields(before, values)}
      notReady={(change) => (Object.keys(change).length === 0 ? 'No changes yet.' : undefined)}
      write={deviceMutations.update(DeviceId)}
      request={(body) => requestOf(deviceEndpoints.update, { params: { device_id: DeviceId }, body })}
      submitLabel="Save"
      onDone={(_, change) => {
        onClose();
        offerEditUndo(before, change, `${change.DeviceName ?? DeviceName} saved`);
      }}
    >
      {({ field }) => (
        <>
          <DeviceNameInput own={DeviceId} {...field('DeviceName')} />
          <GroupInput data={groups} {...field('DeviceGroup')} />
          {(['CustomerName', 'CustomerSite'] as const).map((name) => (
            <TextField
              key={name}
              description={before[name] === undefined ? UNREAD : undefined}
              {...TEXT}
              {...field(name)}
            />
          ))}
        </>
      )}
    </FormDialog>
  );
}
