// Beside the map: the devices in view and those without a location, with everything that can be done on the map itself.
import { useMemo, useState } from 'react';
import { Link } from 'react-router';
import { Button, NativeSelect } from '@mantine/core';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import type { RowFilter } from '#/fleet/filter.ts';
import type { Places } from '#/fleet/columns.ts';
import { useRows } from '#/fleet/use-rows.ts';
import { useSelection } from '#/features/bulk/selection.ts';
import { paths } from '#/paths.ts';
import { formatCount } from '#/lib/format.ts';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import { DeviceList, RowWords } from './device-list.tsx';
import { DRAGGED } from './map-events.tsx';
import { byPlace, deviceNameAt, rowsIn } from './map-fleet.ts';
import type { Box } from './map-fleet.ts';
import type { ToPlace } from './use-placing.ts';
import classes from './map-page.module.css';

interface SidePanelProps {
  fleet: FleetIndex;
  places: Places;
  filter: RowFilter;
  /** What the map shows. */
  view: Box | undefined;
  chosen: number | undefined;
  /** The row that the map points at. */
  pointed: number | undefined;
  onChoose: (row: number, byKeyboard: boolean) => void;
  onHover: (row: number | undefined) => void;
  onPlace: (device: ToPlace) => void;
}

/** A finger scrolls the list instead. */
const CAN_DRAG = window.matchMedia('(pointer: fine)').matches;

const SORTS = {
  name: { label: 'Name', sort: { by: 'DeviceName' } },
  state: { label: 'State', sort: { by: 'DeviceStatus' } },
  group: { label: 'Group', sort: { by: 'DeviceGroup' } },
  seen: { label: 'Last seen', sort: { by: 'LastSeenTime', down: true } },
} as const;
type SortName = keyof typeof SORTS;

export function SidePanel(props: SidePanelProps) {
  const { fleet, places, filter, view, chosen, pointed, onChoose, onHover, onPlace } = props;
  const [tab, setTab] = useState('view');
  const [sort, setSort] = useState<SortName>('name');
  const selection = useSelection();
  const { rows } = useRows(fleet, { filter, sort: SORTS[sort].sort });
  const { placed, other } = useMemo(() => byPlace(places, rows), [places, rows]);
  const inView = useMemo(() => (view ? rowsIn(places, placed, view) : placed), [places, placed, view]);
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
          { value: 'unplaced', label: `No place ${formatCount(other.length)}` },
        ]}
      />
      <div className={classes.sideBar}>
        <Button
          size="xs"
          variant="default"
          disabled={shown.length === 0}
          title={shown.length === 0 ? 'There is nothing to select' : undefined}
          onClick={() => selection.add(fleet.ids(shown))}
        >
          {tab === 'view' ? 'Select all in view' : 'Select all without a place'}
        </Button>
        <NativeSelect
          size="xs"
          aria-label="Sort the list by"
          value={sort}
          onChange={(event) => setSort(event.currentTarget.value as SortName)}
          data={Object.entries(SORTS).map(([value, { label }]) => ({ value, label }))}
        />
      </div>
      {tab === 'view' ? (
        <DeviceList
          name="Devices in view"
          fleet={fleet}
          rows={inView}
          none={placed.length === 0 ? 'No device of this filter has a place.' : 'No device in this part of the map.'}
          chosen={chosen}
          pointed={pointed}
          renderRow={(device, row) => (
            <button
              type="button"
              className={classes.rowMain}
              onClick={({ detail }) => onChoose(row, detail === 0)}
              onMouseEnter={() => onHover(row)}
              onMouseLeave={() => onHover(undefined)}
              onFocus={() => onHover(row)}
              onBlur={() => onHover(undefined)}
            >
              <RowWords device={device} second={device.DeviceGroup} />
            </button>
          )}
        />
      ) : (
        <DeviceList
          name="Devices without a place"
          fleet={fleet}
          rows={other}
          none="Every device has a place."
          chosen={chosen}
          renderRow={(device, row) => {
            const toPlace: ToPlace = { id: device.DeviceId, name: deviceNameAt(fleet, row), old: undefined };
            const isInvalid = places.kind[row] === 2;
            return (
              <>
                <Link
                  to={paths.device(device.DeviceId)}
                  className={classes.rowMain}
                  onDragStart={(event) => {
                    event.dataTransfer.setData(DRAGGED, JSON.stringify(toPlace));
                    event.dataTransfer.effectAllowed = 'move';
                  }}
                >
                  <RowWords
                    device={device}
                    second={
                      isInvalid
                        ? `Out of range: ${places.lat[row]}, ${places.lng[row]}`
                        : CAN_DRAG
                          ? 'Drag it onto the map'
                          : 'Not placed yet'
                    }
                  />
                </Link>
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={`Place ${toPlace.name}`}
                  onClick={() => onPlace(toPlace)}
                >
                  Place
                </Button>
              </>
            );
          }}
        />
      )}
      <p className={classes.foot} role="status">
        {formatCount(placed.length)} on the map{other.length > 0 && ` · ${formatCount(other.length)} without a place`}
      </p>
    </aside>
  );
}
