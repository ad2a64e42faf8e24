// First step of a deploy: one device, a group, a tag, or a selection made elsewhere.
import { polled } from '#/api/query.ts';
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Autocomplete, Button } from '@mantine/core';
import { TextField, hiddenNote } from '#/ui/form/text-field.tsx';
import { useDebouncedCallback, useDebouncedValue } from '@mantine/hooks';
import { devicesText } from '#/lib/format.ts';
import { deviceEndpoints, type Device } from '#/contract/devices.ts';
import { useOffered } from '#/api/capabilities.ts';
import { deviceQueries } from '#/api/devices.ts';
import { tagQueries } from '#/api/tags.ts';
import { NO_SELECTION, transferDevices, transferredDevices } from '#/features/bulk/device-transfer.ts';
import { useSelection } from '#/features/bulk/selection.ts';
import { paths } from '#/paths.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { Empty, Failure } from '#/ui/page/view.tsx';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import { Link } from '#/ui/url/link.tsx';
import { TARGETS, type DeployChoice, type TargetKind } from './deploy-choice.ts';
import { Picker, type PickerProps } from './picker.tsx';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import classes from './deploy.module.css';
import { useMay } from '#/api/people.ts';

/** Reads a list only once, because it must not change while the user picks from it. */
const still = <Options extends object>(options: Options) => polled(options, false);
const nameOf = ({ DeviceName, DeviceId }: Device) => DeviceName || DeviceId;
/** A filter that keeps all options, because the service has already searched. */
const asFound = <Input extends { options: unknown }>({ options }: Input): Input['options'] => options;

function DevicePicker({ value, onPick }: PickerProps) {
  const [typed, setTyped] = useState('');
  const [settled] = useDebouncedValue(typed, 200);
  const chosen = useQuery({ ...still(deviceQueries.one(value)), enabled: value !== '', retry: false });
  // The field shows the name of the chosen device, which is not a search.
  const search = chosen.data && settled === nameOf(chosen.data) ? '' : settled.trim();
  const found = useQuery(still(deviceQueries.page(1, 25, { device_name: search })));
  const devices = new Map<string, Device>();
  if (chosen.data) devices.set(chosen.data.DeviceId, chosen.data);
  for (const device of found.data?.rows ?? []) devices.set(device.DeviceId, device);
  if (found.error)
    return <Failure what="devices" error={found.error} busy={found.isFetching} onRetry={found.refetch} />;
  return (
    <Picker
      label="Device"
      placeholder="Search by name"
      value={value}
      onPick={onPick}
      onSearchChange={setTyped}
      data={[...devices.values()].map((device) => ({ value: device.DeviceId, label: nameOf(device) }))}
      filter={asFound}
      renderOption={({ option }) => <DeviceOption device={devices.get(option.value)} />}
      {...(found.isFetching && { nothingFoundMessage: 'Searching' })}
      error={chosen.error?.message}
    />
  );
}

function DeviceOption({ device }: { device: Device | undefined }) {
  if (!device) return null;
  return (
    <span className={classes.option}>
      <MiddleEllipsis className={classes.optionName} text={nameOf(device)} />
      <StateMark state={device.DeviceStatus} />
      <span className={classes.optionMore}>
        {device.DeviceGroup ? `${device.DeviceGroup} · ` : ''}
        <span className="mono">{device.DeviceId}</span>
      </span>
    </span>
  );
}

function GroupPicker({ value, onPick }: PickerProps) {
  const [text, setText] = useState(value);
  const commit = useDebouncedCallback(onPick, 400);
  const page = useQuery(still(deviceQueries.page(1, 100)));
  const groups = [...new Set(page.data?.rows.map(({ DeviceGroup }) => DeviceGroup).filter(Boolean))].sort();
  const pick = (group: string) => {
    commit.cancel();
    onPick(group);
  };
  return (
    <Autocomplete
      label="Group"
      {...hiddenNote(text)}
      placeholder="Name of a group"
      value={text}
      onChange={(group) => {
        setText(group);
        commit(group.trim());
      }}
      onOptionSubmit={pick}
      onBlur={() => pick(text.trim())}
      onKeyDown={({ key }) => key === 'Enter' && pick(text.trim())}
      data={groups}
      maxDropdownHeight={320}
    />
  );
}

function TagIdField({ value, onPick }: PickerProps) {
  const [text, setText] = useState(value);
  const commit = useDebouncedCallback(onPick, 400);
  return (
    <TextField
      label="Tag ID"
      description="This service has no list of tags"
      classNames={{ input: 'mono' }}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        commit(event.currentTarget.value.trim());
      }}
      spellCheck={false}
    />
  );
}

function TagPicker({ value, onPick }: PickerProps) {
  const hasTags = useOffered('tags');
  const tags = useQuery({ ...tagQueries.list(), retry: false, enabled: hasTags === true });
  if (hasTags === false) return <TagIdField value={value} onPick={onPick} />;
  if (tags.error) return <Failure what="tags" error={tags.error} busy={tags.isFetching} onRetry={tags.refetch} />;
  const known = tags.data ?? [];
  const options = known.map(({ TagId, TagName }) => ({ value: TagId, label: TagName || TagId }));
  const missing = value !== '' && tags.data && !known.some(({ TagId }) => TagId === value);
  return (
    <Picker
      label="Tag"
      placeholder={tags.data?.length === 0 ? 'There are no tags yet' : 'Choose a tag'}
      description={tags.data?.length === 0 && 'Tags are put on devices on the page of a device'}
      value={value}
      onPick={onPick}
      data={missing ? [...options, { value, label: value }] : options}
      error={missing && 'This tag no longer exists'}
    />
  );
}

/** Devices selected in the table or on the map; they are only shown here. */
function SelectionPanel({ value, onPick }: PickerProps) {
  const { ids } = useSelection();
  const transferred = value === '' ? undefined : transferredDevices(value);
  const choose = (
    <Button component={Link} to={paths.devices()}>
      Select devices
    </Button>
  );
  if (transferred)
    return (
      <div className={classes.selection}>
        <span>
          <strong>{devicesText(transferred.length)}</strong>, as they were selected.
        </span>
        {choose}
      </div>
    );
  return (
    <Empty
      title={value === '' ? 'No devices selected' : 'This link’s selection has expired'}
      action={
        <>
          {ids.size > 0 && (
            <Button variant="filled" onClick={() => onPick(transferDevices([...ids]))}>
              Take the {devicesText(ids.size)} selected now
            </Button>
          )}
          {choose}
        </>
      }
    >
      Select devices in the table or on the map, then choose Deploy.
    </Empty>
  );
}

const LABELS: Record<TargetKind, string> = { device: 'Device', group: 'Group', tag: 'Tag', selection: 'Selection' };

interface TargetStepProps {
  target: DeployChoice['target'];
  onChoose: (kind: TargetKind, value: string) => void;
}

export function TargetStep({ target: { kind, value }, onChoose }: TargetStepProps) {
  const takesSelection = useOffered('jobs') !== false;
  const noAdding = useMay(deviceEndpoints.create, 'Adding devices');
  const fleet = useQuery(still(deviceQueries.page(1, 25, { device_name: '' })));
  if (fleet.data?.rows.length === 0)
    return (
      <Empty title="No devices yet" scoped next={{ label: 'Add a device', to: paths.addDevice(), why: noAdding }}>
        A deploy needs at least one device.
      </Empty>
    );
  const onPick = (next: string) => onChoose(kind, next);
  return (
    <>
      <SegmentedControl
        aria-label="Kind of target"
        value={kind}
        onChange={(next) => onChoose(next, '')}
        data={TARGETS.filter((each) => takesSelection || each !== 'selection').map((each) => ({
          value: each,
          label: LABELS[each],
        }))}
      />
      {kind === 'device' && <DevicePicker value={value} onPick={onPick} />}
      {kind === 'group' && <GroupPicker value={value} onPick={onPick} />}
      {kind === 'tag' && <TagPicker value={value} onPick={onPick} />}
      {kind === 'selection' &&
        (takesSelection ? <SelectionPanel value={value} onPick={onPick} /> : <p className="dim">{NO_SELECTION}.</p>)}
    </>
  );
}
