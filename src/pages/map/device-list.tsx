// The list beside the map: what is in view, what has no place, and the way to all of it by keyboard.
import { useRef } from 'react';
import type { ReactNode } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import type { FleetIndex } from '#/api/fleet/fleet-index.ts';
import type { Device } from '#/contract/devices.ts';
import { useSelection } from '#/fleet/selection.ts';
import { formatCount } from '#/ui/format.ts';
import { StateMark } from '#/ui/state-mark.tsx';
import classes from './map-page.module.css';

const ROW = 46;
/** Browsers lay out no more than about 17 million pixels of height. */
const MOST = 200_000;

interface DeviceListProps {
  /** What the rows are: "Devices in view". */
  name: string;
  fleet: FleetIndex;
  rows: Uint32Array;
  none: string;
  chosen: number | undefined;
  /** What stands beside the checkbox of a row, {@link RowWords} among it. */
  renderRow: (device: Device, row: number) => ReactNode;
}

export function DeviceList({ name, fleet, rows, none, chosen, renderRow }: DeviceListProps) {
  const scroll = useRef<HTMLDivElement>(null);
  const selection = useSelection();
  const virtual = useVirtualizer({
    count: Math.min(rows.length, MOST),
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW,
    overscan: 8,
  });
  if (rows.length === 0) return <p className={classes['none']}>{none}</p>;
  return (
    <>
      <div ref={scroll} className={classes['rows']} tabIndex={0} role="region" aria-label={name}>
        <ul style={{ height: virtual.getTotalSize() }} aria-label={`${name}, ${formatCount(rows.length)}`}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const row = rows[index];
            if (row === undefined || !fleet.has(row)) return null;
            const device = fleet.device(row);
            return (
              <li
                key={device.DeviceId}
                style={{ transform: `translateY(${start}px)` }}
                data-chosen={row === chosen}
                aria-setsize={rows.length}
                aria-posinset={index + 1}
              >
                <input
                  type="checkbox"
                  aria-label={`Select ${device.DeviceName || device.DeviceId}`}
                  checked={selection.ids.has(device.DeviceId)}
                  onChange={() => selection.toggle(device.DeviceId)}
                />
                {renderRow(device, row)}
              </li>
            );
          })}
        </ul>
      </div>
      {rows.length > MOST && (
        <p className={classes['foot']}>The first {formatCount(MOST)} are listed. Zoom in or filter to see the rest.</p>
      )}
    </>
  );
}

/** Name, state and a second line. */
export function RowWords({ device, second }: { device: Device; second: string }) {
  return (
    <>
      <span className={classes['rowName']}>{device.DeviceName || device.DeviceId}</span>
      <StateMark state={device.DeviceStatus} />
      <span className={classes['rowSecond']}>{second}</span>
    </>
  );
}
