// The panel beside the map: the devices in view and those without a location, with all actions of the map.
import { useDeferredValue, useMemo, useState } from 'react';
import { Button, NativeSelect } from '@mantine/core';
import { useRows } from '#/fleet/use-rows.ts';
import { useSelection } from '#/features/bulk/selection.ts';
import { paths } from '#/paths.ts';
import { formatCount } from '#/lib/format.ts';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import { Link } from '#/ui/url/link.tsx';
import { DeviceList, RowWords } from './device-list.tsx';
import { DRAGGED } from './map-events.tsx';
import { byLocation, deviceNameAt, rowsIn } from './map-fleet.ts';
import type { FleetMapModel } from './use-fleet-map.ts';
import type { ToPlace } from './use-placing.ts';
import classes from './map-page.module.css';
import { deviceEndpoints } from '#/contract/devices.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

/** On touch screens dragging scrolls the list. */
const CAN_DRAG = window.matchMedia('(pointer: fine)').matches;

const SORTS = {
  name: { label: 'Name', sort: { by: 'DeviceName' } },
  state: { label: 'State', sort: { by: 'DeviceStatus' } },
  group: { label: 'Group', sort: { by: 'DeviceGroup' } },
  seen: { label: 'Last seen', sort: { by: 'LastSeenTime', down: true } },
} as const;
type SortName = keyof typeof SORTS;

/** The rows with a location, those of them in view, and those without one. */
function useListed({ places, state }: FleetMapModel, rows: Uint32Array) {
  // The list can wait for the map.
  const box = useDeferredValue(state.view?.box);
  const { placed, other } = useMemo(() => byLocation(places, rows), [places, rows]);
  const inView = useMemo(() => (box ? rowsIn(places, placed, box) : placed), [places, placed, box]);
  return { placed, other, inView };
}

export function SidePanel({ model }: { model: FleetMapModel }) {
  const { fleet, shown } = model;
  const [sort, setSort] = useState<SortName>('name');
  const { rows } = useRows(fleet, { filter: shown.filter, sort: SORTS[sort].sort });
  // A separate component, because sorting a million rows and finding those in view should be two tasks.
  return <SortedPanel model={model} rows={rows} sort={sort} onSort={setSort} />;
}

interface SortedPanelProps {
  model: FleetMapModel;
  rows: Uint32Array;
  sort: SortName;
  onSort: (sort: SortName) => void;
}

function SortedPanel({ model, rows, sort, onSort }: SortedPanelProps) {
  const { fleet, places } = model;
  const hover = (hovered: number | undefined) => model.change({ hovered });
  const [tab, setTab] = useState('view');
  const selection = useSelection();
  const noPlacing = useMay(deviceEndpoints.locate, 'Setting a location');
  const { placed, other, inView } = useListed(model, rows);
  const shown = tab === 'view' ? inView : other;
  return (
    <aside className={classes.side} aria-label="Devices beside the map">
      <SegmentedControl
        fullWidth
        aria-label="Which devices to list"
        value={tab}
        onChange={setTab}
        data={[
          { value: 'view', label: `In view ${formatCount(inView.length)}` },
          { value: 'unplaced', label: `No location ${formatCount(other.length)}` },
        ]}
      />
      <div className={classes.sideBar}>
        <Gate why={shown.length === 0 ? 'There is nothing to select' : undefined}>
          <Button size="xs" variant="default" onClick={() => selection.add(fleet.ids(shown))}>
            {tab === 'view' ? 'Select all in view' : 'Select all'}
          </Button>
        </Gate>
        <NativeSelect
          size="xs"
          aria-label="Sort the list by"
          value={sort}
          onChange={(event) => onSort(event.currentTarget.value as SortName)}
          data={Object.entries(SORTS).map(([value, { label }]) => ({ value, label }))}
        />
      </div>
      {tab === 'view' ? (
        <DeviceList
          model={model}
          name="Devices in view"
          rows={inView}
          none={placed.length === 0 ? 'No matching device has a location.' : 'No device in this part of the map.'}
          renderRow={(device, row) => (
            <button
              type="button"
              className={classes.rowMain}
              onClick={({ detail }) => model.choose(row, detail === 0)}
              onMouseEnter={() => hover(row)}
              onMouseLeave={() => hover(undefined)}
              onFocus={() => hover(row)}
              onBlur={() => hover(undefined)}
            >
              <RowWords device={device} second={device.DeviceGroup} />
            </button>
          )}
        />
      ) : (
        <DeviceList
          model={model}
          name="Devices without a location"
          rows={other}
          none="Every device has a location."
          renderRow={(device, row) => {
            const toPlace: ToPlace = { id: device.DeviceId, name: deviceNameAt(fleet, row), old: undefined };
            return (
              <>
                <Link
                  to={paths.device(device.DeviceId)}
                  className={classes.rowMain}
                  onDragStart={(event) => {
                    if (noPlacing !== undefined) return event.preventDefault();
                    event.dataTransfer.setData(DRAGGED, JSON.stringify(toPlace));
                    event.dataTransfer.effectAllowed = 'move';
                  }}
                >
                  <RowWords
                    device={device}
                    second={
                      places.kind[row] === 2
                        ? `Out of range: ${places.lat[row]}, ${places.lng[row]}`
                        : CAN_DRAG && noPlacing === undefined
                          ? 'Drag it onto the map'
                          : 'Not placed yet'
                    }
                  />
                </Link>
                <Gate why={noPlacing}>
                  <Button
                    size="compact-xs"
                    variant="default"
                    aria-label={`Place ${toPlace.name}`}
                    onClick={() => model.startPlacing(toPlace)}
                  >
                    Place
                  </Button>
                </Gate>
              </>
            );
          }}
        />
      )}
      <p className={classes.foot} role="status">
        {formatCount(placed.length)} on the map
        {other.length > 0 && ` · ${formatCount(other.length)} without a location`}
      </p>
    </aside>
  );
}
