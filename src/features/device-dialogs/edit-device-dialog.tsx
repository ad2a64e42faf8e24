// Changes a device's name, group, customer and site; only what was changed is sent.
import { useState } from 'react';
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { FormErrors } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { deviceMutations } from '#/api/devices.ts';
import { checkedBy, refusedFields, unplacedError } from '#/api/form-rules.ts';
import { requestOf } from '#/api/request-of.ts';
import { deviceChange, deviceEndpoints } from '#/contract/devices.ts';
import type { Device } from '#/contract/devices.ts';
import { ShowAsCurl } from '#/ui/curl/show-as-curl.tsx';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { FormError } from '#/ui/page/view.tsx';
import { FIELD_LABELS, changedFields, editableValues } from './changed-fields.ts';
import { GroupInput } from './group-input.tsx';

const UNREAD = 'Not readable here: leave it empty to keep what is stored.';

export function EditDeviceDialog({ device, onClose }: { device: Device; onClose: () => void }) {
  // The list is read again meanwhile; a change is what differs from what stood here at first.
  const [before] = useState(device);
  const update = useWrite(deviceMutations.update(before.DeviceId));
  const form = useForm({ initialValues: editableValues(before), validate: checkedBy(deviceChange, FIELD_LABELS) });
  const change = changedFields(before, form.values);
  const unchanged = Object.keys(change).length === 0;

  const focusFirst = (faults: FormErrors) => form.getInputNode(Object.keys(faults)[0] ?? '')?.focus();
  const submit = form.onSubmit(() => {
    if (unchanged || update.isPending) return;
    update.mutate(change, {
      onError: (error) => form.setErrors(refusedFields(error, FIELD_LABELS)),
      onSuccess: () => {
        notifications.show({ message: `${change.DeviceName ?? before.DeviceName} is saved` });
        onClose();
      },
    });
  }, focusFirst);
  const text = { maxLength: 255, autoComplete: 'off', spellCheck: false } as const;
  return (
    <Modal
      opened
      onClose={update.isPending ? () => undefined : onClose}
      title={`Edit ${before.DeviceName}`}
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <TextInput label="Name" required data-autofocus {...text} {...form.getInputProps('DeviceName')} />
          <GroupInput {...form.getInputProps('DeviceGroup')} />
          <TextInput
            label="Customer"
            description={before.CustomerName === undefined ? UNREAD : undefined}
            {...text}
            {...form.getInputProps('CustomerName')}
          />
          <TextInput
            label="Site"
            description={before.CustomerSite === undefined ? UNREAD : undefined}
            {...text}
            {...form.getInputProps('CustomerSite')}
          />
          {!unchanged && (
            <ShowAsCurl
              request={requestOf(deviceEndpoints.update, { params: { device_id: before.DeviceId }, body: change })}
            />
          )}
          <FormError error={unplacedError(update.error, FIELD_LABELS)} />
          <Group justify="flex-end" gap="sm">
            {unchanged && (
              <span id="edit-unchanged" className="dim">
                Nothing is changed yet.
              </span>
            )}
            <Button variant="default" onClick={onClose} disabled={update.isPending}>
              Cancel
            </Button>
            <Button type="submit" loading={update.isPending} disabled={unchanged} aria-describedby="edit-unchanged">
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
