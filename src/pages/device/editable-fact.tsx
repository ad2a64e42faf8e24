// A field of a device, edited in place: the pencil opens it, Enter saves, Escape cancels.
import { useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { TextField } from '#/ui/form/text-field.tsx';
import { IconCheck, IconPencil, IconX } from '@tabler/icons-react';
import { deviceMutations, deviceQueries } from '#/api/devices.ts';
import { errorLine } from '#/api/api-error.ts';
import { checkedBy, refusedFields } from '#/api/form-rules.ts';
import { requestOf } from '#/api/request-of.ts';
import { deviceChange, deviceEndpoints, type Device } from '#/contract/devices.ts';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import { ShowAsCurl } from '#/ui/curl/show-as-curl.tsx';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { offerEditUndo } from '#/features/undo/undo-device.ts';
import { FIELD_LABELS, type EditableField } from '#/features/device-fields/changed-fields.ts';
import classes from './editable-fact.module.css';
import { Gate } from '#/ui/controls/gate.tsx';
import { groupsText, useMay, useOwnGroups } from '#/api/people.ts';
import { GroupInput } from '#/features/device-dialogs/group-input.tsx';

const check = checkedBy(deviceChange, FIELD_LABELS);

export function EditableFact({ device, field }: { device: Device; field: EditableField }) {
  const [editing, setEditing] = useState(false);
  const noEdit = useMay(deviceEndpoints.update, 'Editing devices');
  const own = useOwnGroups();
  const noMove = field === 'DeviceGroup' && own?.length === 1 ? `Your role covers ${groupsText(own)} only.` : undefined;
  const pencil = useRef<HTMLButtonElement>(null);
  const label = FIELD_LABELS[field];
  const value = device[field];
  const close = () => {
    setEditing(false);
    // The field that had the focus is gone.
    setTimeout(() => pencil.current?.focus());
  };
  return (
    <>
      <dt>{label}</dt>
      <dd>
        {editing ? (
          <Editor device={device} field={field} onClose={close} />
        ) : (
          <span className={classes.fact}>
            <span className={value ? undefined : 'dim'}>
              {value || (value === undefined ? 'Not reported' : 'None')}
            </span>
            <Gate why={noEdit ?? noMove}>
              <IconButton
                icon={IconPencil}
                ref={pencil}
                className={classes.pencil}
                size="sm"
                label={`Edit ${label.toLowerCase()}`}
                onClick={() => setEditing(true)}
              />
            </Gate>
          </span>
        )}
      </dd>
    </>
  );
}

function Editor({ device, field, onClose }: { device: Device; field: EditableField; onClose: () => void }) {
  const { DeviceId } = device;
  const [start] = useState(device);
  const before = start[field] ?? '';
  const [typed, setTyped] = useState(before);
  const [refused, setRefused] = useState('');
  const client = useQueryClient();
  const own = useOwnGroups();
  const update = useWrite(deviceMutations.update(DeviceId));
  const label = FIELD_LABELS[field];

  const save = () => {
    const value = typed.trim();
    if (update.isPending) return;
    if (value === before.trim()) return onClose();
    const fault = check({ [field]: value })[field] ?? '';
    setRefused(fault);
    if (fault) return;
    update.mutate(
      { [field]: value },
      {
        onError: (error) => setRefused(refusedFields(error, FIELD_LABELS)[field] ?? errorLine(error)),
        onSuccess: () => {
          // Shown at once, while the device is read again.
          offerEditUndo(start, { [field]: value });
          client.setQueryData(deviceQueries.one(DeviceId).queryKey, (now) => now && { ...now, [field]: value });
          onClose();
        },
      },
    );
  };
  return (
    <form
      className={classes.editor}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      {field === 'DeviceGroup' && own ? (
        <GroupInput data={[]} value={typed} onChange={setTyped} error={refused} />
      ) : (
        <TextField
          ref={focusIn}
          size="xs"
          aria-label={label}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          error={refused}
          maxLength={255}
          autoComplete="off"
          spellCheck={false}
          onKeyDown={(event) => {
            if (event.key === 'Escape' && !update.isPending) onClose();
          }}
        />
      )}
      <IconButton
        icon={IconCheck}
        type="submit"
        variant="default"
        size={30}
        label={`Save ${label.toLowerCase()}`}
        loading={update.isPending}
      />
      <IconButton
        icon={IconX}
        size={30}
        label={`Cancel editing ${label.toLowerCase()}`}
        disabled={update.isPending}
        onClick={onClose}
      />
      {typed.trim() !== before.trim() && (
        <div className={classes.curl}>
          <ShowAsCurl
            request={requestOf(deviceEndpoints.update, {
              params: { device_id: DeviceId },
              body: { [field]: typed.trim() },
            })}
          />
        </div>
      )}
    </form>
  );
}

/** The pencil opened the field, so it takes the focus. */
function focusIn(input: HTMLInputElement | null) {
  input?.focus();
  input?.select();
}
