// The list beside the map: what is in view, what has no place, and the way to all of it by keyboard.
import { useRef } from 'react';
import { Link } from 'react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { paths } from '#/paths.ts';
import { formatCount } from '#/ui/format.ts';
import { StateMark } from '#/ui/state-mark.tsx';
import type { MapDevice } from './placed-devices.ts';
import classes from './map-page.module.css';

const ROW = 46;

interface DeviceListProps {
  /** What the rows are: "Devices in view". */
  name: string;
  devices: MapDevice[];
  none: string;
  chosen: string | undefined;
  onChoose: (deviceId: string) => void;
  onHover: (deviceId: string | undefined) => void;
}

export function DeviceList({ name, devices, none, chosen, onChoose, onHover }: DeviceListProps) {
  const scroll = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: devices.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW,
    overscan: 8,
  });
  if (devices.length === 0) return <p className={classes['none']}>{none}</p>;
  return (
    <div ref={scroll} className={classes['rows']} tabIndex={0} role="region" aria-label={name}>
      <ul style={{ height: virtual.getTotalSize() }} aria-label={`${name}, ${formatCount(devices.length)}`}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const entry = devices[index];
          if (!entry) return null;
          const { device, placement, lat, lng } = entry;
          return (
            <li
              key={device.DeviceId}
              style={{ transform: `translateY(${start}px)` }}
              data-chosen={device.DeviceId === chosen}
            >
              {placement === 'placed' ? (
                <button
                  type="button"
                  onClick={() => onChoose(device.DeviceId)}
                  onMouseEnter={() => onHover(device.DeviceId)}
                  onMouseLeave={() => onHover(undefined)}
                  onFocus={() => onHover(device.DeviceId)}
                  onBlur={() => onHover(undefined)}
                >
                  <Words device={device} second={device.DeviceGroup} />
                </button>
              ) : (
                <Link to={paths.device(device.DeviceId)}>
                  <Words
                    device={device}
                    second={placement === 'invalid' ? `Out of range: ${lat}, ${lng}` : 'Set its location'}
                  />
                </Link>
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function Words({ device, second }: { device: MapDevice['device']; second: string }) {
  return (
    <>
      <span className={classes['rowName']}>{device.DeviceName || device.DeviceId}</span>
      <StateMark state={device.DeviceStatus} />
      <span className={classes['rowSecond']}>{second}</span>
    </>
  );
}
