// Makes a device: its name and group first, then its key and commands, shown once, while it is waited for.
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { FormErrors } from '@mantine/form';
import { deviceMutations } from '#/api/devices.ts';
import { checkedBy, refusedFields } from '#/api/form-rules.ts';
import { OrderKeys } from '#/api/order-keys.ts';
import { requestOf } from '#/api/request-of.ts';
import { deviceDraft, deviceEndpoints } from '#/contract/devices.ts';
import type { DeviceDraft } from '#/contract/devices.ts';
import { paths } from '#/paths.ts';
import { ShowAsCurl } from '#/ui/curl/show-as-curl.tsx';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { FormError } from '#/ui/page/view.tsx';
import { DeviceKeyDialog } from './device-key-dialog.tsx';
import { FIELD_LABELS } from './changed-fields.ts';
import { creationError } from './creation-error.ts';
import { GroupInput } from './group-input.tsx';
import { useInstall } from '#/features/install/use-install.ts';

interface AddDeviceDialogProps {
  /** The device will be the machine that the person is at. */
  thisMachine: boolean;
  onClose: () => void;
}

const bodyOf = ({ DeviceName, DeviceGroup }: DeviceDraft): DeviceDraft => ({
  DeviceName: DeviceName.trim(),
  DeviceGroup: DeviceGroup.trim(),
});

export function AddDeviceDialog({ thisMachine: here, onClose }: AddDeviceDialogProps) {
  const { command, host } = useInstall();
  // A link to it may come from a dashboard whose devices run our agent.
  const thisMachine = here && host === undefined;
  const navigate = useNavigate();
  const [keys] = useState(() => new OrderKeys());
  const create = useWrite(deviceMutations.create(keys));
  const form = useForm({
    initialValues: { DeviceName: thisMachine ? 'this-machine' : '', DeviceGroup: '' },
    validate: checkedBy(deviceDraft, FIELD_LABELS),
  });
  const [name, setName] = useState('');
  const [done, setDone] = useState(false);

  if (done) return null;
  if (create.data) {
    const { DeviceId, DeviceKey } = create.data;
    return (
      <DeviceKeyDialog
        id={DeviceId}
        name={name}
        secret={DeviceKey}
        kind={thisMachine ? 'this machine' : 'device'}
        onDone={() => {
          setDone(true);
          create.reset();
          void navigate(paths.device(DeviceId), { replace: true });
        }}
      />
    );
  }

  const focusFirst = (faults: FormErrors) => form.getInputNode(Object.keys(faults)[0] ?? '')?.focus();
  const submit = form.onSubmit((values) => {
    if (create.isPending) return;
    const body = bodyOf(values);
    setName(body.DeviceName);
    create.mutate(body, { onError: (error) => form.setErrors(refusedFields(error, FIELD_LABELS)) });
  }, focusFirst);
  return (
    <Modal
      opened
      onClose={create.isPending ? () => undefined : onClose}
      title={thisMachine ? 'Add this machine' : 'Add a device'}
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <p className="dim">
            {thisMachine
              ? 'Makes a device for the machine you are at. The next step shows the command that connects it.'
              : `Makes a device. The next step shows its key, once${command ? ', and the command that connects it' : ''}.`}
          </p>
          <TextInput
            label="Name"
            required
            maxLength={255}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
            {...form.getInputProps('DeviceName')}
          />
          <GroupInput
            description="Optional. A job can go to all devices of a group."
            {...form.getInputProps('DeviceGroup')}
          />
          <ShowAsCurl request={requestOf(deviceEndpoints.create, { body: bodyOf(form.values) })} />
          <FormError error={creationError(create.error)} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose} disabled={create.isPending}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isPending}>
              {thisMachine ? 'Add this machine' : 'Add device'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
