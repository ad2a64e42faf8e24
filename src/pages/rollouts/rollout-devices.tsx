// The devices of a rollout by wave, with their states and the reasons.
import { useInfiniteQuery } from '@tanstack/react-query';
import { Button, NativeSelect } from '@mantine/core';
import {
  isOver,
  ROLLOUT_DEVICE_STATES,
  rolloutEndpoints,
  type Rollout,
  type RolloutDevice,
} from '#/contract/rollouts.ts';
import { rolloutQueries, type RolloutAction, type RolloutDeviceFilter } from '#/api/rollouts.ts';
import { spanPart } from '#/features/job-picture/brush-url.ts';
import { isBrushed } from '#/features/job-picture/runs.ts';
import { counted, formatCount } from '#/lib/format.ts';
import { paths } from '#/paths.ts';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import { StateOf } from '#/ui/controls/state-mark.tsx';
import { useDialog, type Dialog } from '#/ui/dialog/use-dialog.ts';
import { Section } from '#/ui/page/page.tsx';
import { lazyPart } from '#/ui/late/lazy-dialog.tsx';
import { Skeleton, View } from '#/ui/page/view.tsx';
import { chosenFilter } from '#/ui/table/active-filters.tsx';
import { NextPage } from '#/ui/table/more-rows.tsx';
import { FilterBar } from '#/ui/table/filter-bar.tsx';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { rowName, type Column } from '#/ui/table/table.tsx';
import { VirtualTable } from '#/ui/table/virtual-table.tsx';
import { Link } from '#/ui/url/link.tsx';
import { oneOf, optional, positive, urlSchema } from '#/ui/url/url-schema.ts';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { useSnapshot } from '#/ui/use-snapshot.ts';
import { ActionDialog } from './rollout-actions.tsx';
import { deviceWords, stateCounts } from './rollout-words.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

const RolloutMap = lazyPart(() => import('./rollout-map.tsx'), 'RolloutMap');

export const rolloutUrl = urlSchema({
  state: oneOf(ROLLOUT_DEVICE_STATES),
  wave: positive,
  view: oneOf(['list', 'map'], 'list'),
  /** The selected parts of the picture's axes: when devices ran, and how long they took. */
  time: spanPart,
  took: spanPart,
  /** The open group of failures, and the log shown as its example. */
  failures: optional,
  example: oneOf(['end']),
});

interface RolloutDevicesProps {
  rollout: Rollout;
  dialog: Dialog<RolloutAction>;
}

/** Opens its dialog by itself, so that the columns, and with them the rows, do not change whenever the rollout does. */
function SkipButton({ device: { DeviceId, DeviceName } }: { device: RolloutDevice }) {
  const dialog = useDialog<RolloutAction>('device');
  const noSkip = useMay(rolloutEndpoints.skip, 'Leaving out devices');
  return (
    <Gate why={noSkip}>
      <Button size="xs" aria-label={`Leave out ${DeviceName}`} onClick={() => dialog.open('skip', DeviceId)}>
        Leave out
      </Button>
    </Gate>
  );
}

const columnsOf = (canSkip: boolean): Column<RolloutDevice>[] => [
  {
    header: 'Device',
    cell: ({ DeviceId, DeviceName }) => (
      <Link to={paths.device(DeviceId)} className={rowName}>
        <MiddleEllipsis text={DeviceName || DeviceId} />
      </Link>
    ),
  },
  {
    header: 'Wave',
    width: '70px',
    align: 'end',
    phone: 'second',
    cell: ({ Wave }) => (
      <>
        <span className="on-phone">wave </span>
        {formatCount(Wave)}
      </>
    ),
  },
  {
    header: 'State',
    width: '140px',
    phone: 'second',
    cell: ({ State }) => <StateOf words={deviceWords(State)} />,
  },
  {
    header: 'Attempt',
    width: '80px',
    align: 'end',
    phone: 'second',
    cell: ({ Attempt }) =>
      Attempt > 0 && (
        <>
          <span className="on-phone">attempt </span>
          {formatCount(Attempt)}
        </>
      ),
  },
  { header: 'Reason', phone: 'wide', cell: ({ Because }) => <span className="dim">{Because}</span> },
  {
    header: 'Actions',
    tools: true,
    cell: (device) => (
      <span className="snug">
        {device.JobId && (
          <Button component={Link} to={paths.job(device.JobId)} size="xs" aria-label={`Log of ${device.DeviceName}`}>
            Log
          </Button>
        )}
        {canSkip && device.State !== 'Skipped' && device.State !== 'Succeeded' && <SkipButton device={device} />}
      </span>
    ),
  },
];
const COLUMNS = { open: columnsOf(true), over: columnsOf(false) };

export function RolloutDevices({ rollout, dialog }: RolloutDevicesProps) {
  const { RolloutId: id, Waves, Counts, Devices } = rollout;
  const [{ state, wave, time, took, view }, url] = useUrlState(rolloutUrl);
  const filter = { state, wave, time, took };
  const counts = wave === undefined ? Counts : (Waves[wave - 1]?.Counts ?? {});
  const shown = state ? (counts[state] ?? 0) : Object.values(counts).reduce((sum, count) => sum + count, 0);
  const waves = Waves.map((each) => ({ value: String(each.Number), label: `Wave ${each.Number}` }));
  const states = stateCounts(Counts).map((each) => ({ value: each.state, label: deviceWords(each.state).label }));
  return (
    <Section title="Devices">
      <div className="stack">
        <FilterBar
          label="Devices of the rollout"
          count={
            isBrushed(filter)
              ? `of ${counted(Devices, 'device')}`
              : `${formatCount(shown)} of ${counted(Devices, 'device')}`
          }
          filtered={wave !== undefined || state !== undefined}
          onClear={() => url.set({ wave: undefined, state: undefined })}
          active={[
            ...chosenFilter('Wave', wave, [], () => url.set({ wave: undefined })),
            ...chosenFilter('State', state, states, () => url.set({ state: undefined })),
          ]}
          filters={
            <>
              <NativeSelect
                aria-label="Wave"
                value={String(wave ?? '')}
                onChange={({ currentTarget: { value } }) => url.set({ wave: Number(value) || undefined })}
                data={[{ value: '', label: 'All waves' }, ...waves]}
              />
              <NativeSelect
                aria-label="State"
                value={state ?? ''}
                onChange={({ currentTarget: { value } }) =>
                  url.set({ state: ROLLOUT_DEVICE_STATES.find((each) => each === value) })
                }
                data={[{ value: '', label: 'All states' }, ...states]}
              />
            </>
          }
        >
          <SegmentedControl
            size="xs"
            aria-label="View of the devices"
            value={view}
            onChange={(next) => url.set({ view: next })}
            data={[
              { value: 'list', label: 'List' },
              { value: 'map', label: 'Map' },
            ]}
          />
        </FilterBar>
        {view === 'list' && <DeviceList rollout={rollout} dialog={dialog} filter={filter} />}
        <RolloutMap open={view === 'map' && { id, filter }} fallback={<Skeleton name="the map" rows={5} />} />
      </div>
    </Section>
  );
}

function DeviceList({ rollout, dialog, filter }: RolloutDevicesProps & { filter: RolloutDeviceFilter }) {
  const reading = useInfiniteQuery(rolloutQueries.devices(rollout.RolloutId, filter));
  const skipped = useSnapshot(dialog.name === 'skip' && dialog.subject !== null, () =>
    reading.data?.find(({ DeviceId }) => DeviceId === dialog.subject),
  );
  return (
    <>
      <View query={reading} name="the devices" empty={null} rows={4}>
        {(rows) => (
          <>
            <VirtualTable
              name="Devices of the rollout"
              columns={isOver(rollout.State) ? COLUMNS.over : COLUMNS.open}
              rows={rows}
              rowKey={({ DeviceId }) => DeviceId}
            />
            <NextPage reading={reading} label="Show more devices" />
          </>
        )}
      </View>
      {skipped && (
        <ActionDialog
          rollout={rollout}
          action="skip"
          deviceIds={[skipped.DeviceId]}
          name={skipped.DeviceName || skipped.DeviceId}
          words={SKIP_ONE}
          onClose={dialog.close}
        />
      )}
    </>
  );
}

const SKIP_ONE = {
  label: 'Leave out',
  title: 'Leave out a device',
  text: 'The wave’s gate no longer counts it. Its job is cancelled if it is still waiting.',
};
