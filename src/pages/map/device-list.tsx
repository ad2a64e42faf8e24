// The list of devices beside the map, which makes all of them reachable by keyboard.
import { useEffect, useState, type ReactNode } from 'react';
import type { Device } from '#/contract/devices.ts';
import { formatCount } from '#/lib/format.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { SelectBox } from './device-card.tsx';
import { useDeviceThen } from './shown-past.ts';
import type { FleetMapModel } from './use-fleet-map.ts';
import classes from './map-page.module.css';

const ROW = 46;
/** Browsers lay out no more than about 17 million pixels of height. */
const MOST = 200_000;

/** Rows rendered above and below the visible ones. */
const BEYOND = 8;

interface DeviceListProps {
  model: FleetMapModel;
  /** For example "Devices in view". */
  name: string;
  rows: Uint32Array;
  none: string;
  /** What is shown beside the checkbox of a row, including {@link RowWords}. */
  renderRow: (device: Device, row: number) => ReactNode;
}

export function DeviceList({ model: { fleet, chosen, state, past }, name, rows, none, renderRow }: DeviceListProps) {
  const count = Math.min(rows.length, MOST);
  const { setBox, first, end } = useSeen(count);
  const deviceThen = useDeviceThen(past);
  if (rows.length === 0) return <p className={classes.none}>{none}</p>;
  return (
    <>
      <div ref={setBox} className={classes.rows} tabIndex={0} role="region" aria-label={name}>
        <ul style={{ height: count * ROW }} aria-label={`${name}, ${formatCount(rows.length)}`}>
          {Array.from(rows.subarray(first, end), (row, offset) => {
            const index = first + offset;
            if (!fleet.has(row)) return null;
            const device = deviceThen(fleet.device(row), row);
            return (
              <li
                key={device.DeviceId}
                style={{ transform: `translateY(${index * ROW}px)` }}
                data-chosen={row === chosen}
                data-pointed={row === state.pointed}
                aria-setsize={rows.length}
                aria-posinset={index + 1}
              >
                <SelectBox device={device} />
                {renderRow(device, row)}
              </li>
            );
          })}
        </ul>
      </div>
      {rows.length > MOST && (
        <p className={classes.foot}>The first {formatCount(MOST)} are listed. Zoom in or filter to see the rest.</p>
      )}
    </>
  );
}

/**
 * The rows near the visible part of the list. All have the same height, so finding them costs the same for a hundred
 * thousand: the list changes with every move of the map.
 */
function useSeen(count: number) {
  const [box, setBox] = useState<HTMLDivElement | null>(null);
  const [seen, setSeen] = useState({ first: 0, end: 24 });
  useEffect(() => {
    if (!box) return;
    const look = () => {
      const first = Math.floor(box.scrollTop / ROW);
      const end = Math.ceil((box.scrollTop + box.clientHeight) / ROW);
      setSeen((now) => (now.first === first && now.end === end ? now : { first, end }));
    };
    box.addEventListener('scroll', look, { passive: true });
    const observer = new ResizeObserver(look);
    observer.observe(box);
    return () => {
      box.removeEventListener('scroll', look);
      observer.disconnect();
    };
  }, [box]);
  return { setBox, first: Math.max(0, seen.first - BEYOND), end: Math.min(count, seen.end + BEYOND) };
}

export function RowWords({ device, second }: { device: Device; second: string }) {
  return (
    <>
      <MiddleEllipsis className={classes.rowName} text={device.DeviceName || device.DeviceId} />
      <StateMark state={device.DeviceStatus} />
      <span className={classes.rowSecond}>{second}</span>
    </>
  );
}
