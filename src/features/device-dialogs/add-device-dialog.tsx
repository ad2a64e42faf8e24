// Creates a device: first its name and group, then its key and commands, shown once, until it connects.
import { useEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import { useMutation, useQuery } from '@tanstack/react-query';
import { ApiError } from '#/api/api-error.ts';
import { unconfirmed } from '#/api/unconfirmed.ts';
import { useOffered } from '#/api/capabilities.ts';
import { deviceMutations, deviceQueries } from '#/api/devices.ts';
import { formRules } from '#/api/form-rules.ts';
import { RequestKeys } from '#/api/request-keys.ts';
import { requestOf } from '#/api/request-of.ts';
import { deviceDraft, deviceEndpoints, type NewDevice } from '#/contract/devices.ts';
import { paths } from '#/paths.ts';
import { Link } from '#/ui/url/link.tsx';
import { FormDialog } from '#/ui/dialog/form-dialog.tsx';
import { DeviceNameInput } from './device-name-input.tsx';
import { DeviceKeyDialog } from './device-key-dialog.tsx';
import { FIELD_LABELS } from '#/features/device-fields/changed-fields.ts';
import { useKnownValues } from './use-known-values.ts';
import { forgetPress, isToAddAtOnce } from '#/features/install/at-once.ts';
import { useInstall } from '#/features/install/use-install.ts';
import { FormError } from '#/ui/page/view.tsx';
import { GroupInput } from './group-input.tsx';
import { useMay, useOwnGroups } from '#/api/people.ts';

interface AddDeviceDialogProps {
  /** The device will be the machine that the person is at. */
  thisMachine: boolean;
  onClose: () => void;
}

const { DeviceName, DeviceGroup } = FIELD_LABELS;
const RULES = formRules(deviceDraft, { DeviceName, DeviceGroup });

/** Explains the device limit, and that a device may exist although no answer arrived. */
function explained(error: Error): Error {
  if (!(error instanceof ApiError)) return error;
  const { kind, status, detail } = error;
  if (status === 403 && error.permission === undefined)
    return new ApiError(kind, 'Device limit reached', {
      status,
      detail: detail || 'Delete a device you no longer need, or raise your plan’s limit.',
    });
  return unconfirmed('device', { label: 'See the devices', to: paths.devices() })(error);
}

const THIS_MACHINE = { DeviceName: 'this-machine', DeviceGroup: '' };

interface CreateAtOnceProps {
  keys: RequestKeys;
  onMade: (made: NewDevice) => void;
  onFailed: (error: Error) => void;
}

/** Creates the device for this machine without a form. */
function CreateAtOnce({ keys, onMade, onFailed }: CreateAtOnceProps) {
  const { mutate } = useMutation(deviceMutations.create(keys));
  useEffect(() => {
    forgetPress();
    mutate(THIS_MACHINE, { onSuccess: onMade, onError: onFailed });
    // Runs once: both callbacks only set state.
  }, [mutate]); // oxlint-disable-line react/exhaustive-deps
  return null;
}

export function AddDeviceDialog({ thisMachine: here, onClose }: AddDeviceDialogProps) {
  const { command, host } = useInstall();
  // A link to it may come from a dashboard whose devices run our agent.
  const thisMachine = here && host === undefined;
  const navigate = useNavigate();
  const groups = useKnownValues('DeviceGroup');
  const pairs = useOffered('enrolment') === true;
  const noAdding = useMay(deviceEndpoints.create, 'Adding devices');
  // Somebody with a limited role must say in which of their groups. They may become known after the form is there.
  const [firstGroup = ''] = useOwnGroups() ?? [];
  const known = useQuery({ ...deviceQueries.page(1, 25), enabled: thisMachine }).data;
  const hasDevices = known !== undefined && known.rows.length > 0;
  const [keys] = useState(() => new RequestKeys());
  const [made, setMade] = useState<{ id: string; name: string; secret: string }>();
  const [atOnce, setAtOnce] = useState<boolean | Error>(isToAddAtOnce);
  const show = ({ DeviceId, DeviceKey }: NewDevice, name: string) => setMade({ id: DeviceId, name, secret: DeviceKey });
  if (made)
    return (
      <DeviceKeyDialog
        {...made}
        kind={thisMachine ? 'this machine' : 'device'}
        nameAfterHost={thisMachine && made.name === THIS_MACHINE.DeviceName}
        onDone={() => void navigate(paths.device(made.id), { replace: true })}
      />
    );
  if (thisMachine && atOnce === true && noAdding === undefined && firstGroup === '')
    return (
      <CreateAtOnce
        keys={keys}
        onMade={(answer) => show(answer, THIS_MACHINE.DeviceName)}
        onFailed={(error) => setAtOnce(explained(error))}
      />
    );
  return (
    <FormDialog
      onClose={onClose}
      title={thisMachine ? 'Add this machine' : 'Add a device'}
      rules={RULES}
      initial={{ ...(thisMachine ? THIS_MACHINE : { DeviceName: '' }), DeviceGroup: '' }}
      bodyOf={({ DeviceName: name, DeviceGroup: group }) => ({
        DeviceName: name.trim(),
        DeviceGroup: group.trim() || firstGroup,
      })}
      write={deviceMutations.create(keys)}
      request={(body) => requestOf(deviceEndpoints.create, { body })}
      explain={explained}
      submitLabel={thisMachine ? 'Add this machine' : 'Add device'}
      onDone={(answer, body) => show(answer, body.DeviceName)}
    >
      {({ field, values, error }) => (
        <>
          {atOnce instanceof Error && !error && <FormError error={atOnce} />}
          <p className="dim">
            {thisMachine
              ? hasDevices
                ? 'Creates another device, for the machine you are using: give it a name that tells it apart. If this machine is a device already, open that one and create a new key for it instead.'
                : 'Creates a device for the machine you are using. The next step shows the command that connects it. Unless you choose a name, it is named after its host.'
              : `The next step shows the device key once${command ? ', and the command that connects it' : ''}.`}
          </p>
          {!thisMachine && pairs && (
            <p>
              <Link to={paths.enrolment('pair')} className="reach">
                Pair a device that shows a code
              </Link>
            </p>
          )}
          <DeviceNameInput {...field('DeviceName')} />
          <GroupInput
            data={groups}
            description="Optional. A job can go to all devices of a group."
            {...field('DeviceGroup')}
            value={values.DeviceGroup || firstGroup}
          />
        </>
      )}
    </FormDialog>
  );
}
