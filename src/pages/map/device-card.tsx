// What opens on a click: a device with its actions, or the devices that share a spot. React nodes, never HTML text.
import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import type { Device } from '#/contract/devices.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { problemText } from '#/fleet/agent-words.ts';
import { useSelection } from '#/features/bulk/selection.ts';
import { paths } from '#/paths.ts';
import { formatCount } from '#/lib/format.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { Time } from '#/ui/controls/time.tsx';
import classes from './map-page.module.css';

interface DeviceCardProps {
  device: Device;
  /** Takes the focus when it opens. */
  focus: boolean;
  onMove: () => void;
}

export function DeviceCard({ device, focus, onMove }: DeviceCardProps) {
  const selection = useSelection();
  const problem = problemText(device);
  const isSelected = selection.ids.has(device.DeviceId);
  const name = useRef<HTMLAnchorElement>(null);
  // Not in a ref callback: the router's link calls that at each drawing, which would take the focus from the actions.
  useEffect(() => {
    if (focus) name.current?.focus({ preventScroll: true });
  }, [focus]);
  return (
    <div className={classes.card}>
      <Link ref={name} to={paths.device(device.DeviceId)} className={classes.cardName}>
        {device.DeviceName || device.DeviceId}
      </Link>
      <div className={classes.cardRow}>
        <StateMark state={device.DeviceStatus} />
        {device.LastSeenTime && (
          <span className="dim">
            seen <Time at={parseTimestamp(device.LastSeenTime)} raw={device.LastSeenTime} />
          </span>
        )}
      </div>
      {problem && <div>{problem}</div>}
      {device.DeviceGroup && <div className="dim">Group {device.DeviceGroup}</div>}
      {device.LocalAddr && <div className="mono dim">{device.LocalAddr}</div>}
      <div className={classes.cardRow}>
        <Link to={paths.device(device.DeviceId)}>Open</Link>
        <Link to={paths.deploy({ device: device.DeviceId })}>Deploy</Link>
        <button type="button" className={classes.textButton} onClick={() => selection.toggle(device.DeviceId)}>
          {isSelected ? 'Unselect' : 'Select'}
        </button>
        <button type="button" className={classes.textButton} onClick={onMove}>
          Move
        </button>
      </div>
    </div>
  );
}

/** `rows`: those that are listed of the `count` on the spot. */
export function SpotCard({ fleet, rows, count }: { fleet: FleetIndex; rows: number[]; count: number }) {
  const selection = useSelection();
  return (
    <div className={classes.card}>
      <strong>{formatCount(count)} devices on this spot</strong>
      <ul className={classes.spot}>
        {rows.map((row) => {
          const device = fleet.device(row);
          const name = device.DeviceName || device.DeviceId;
          return (
            <li key={device.DeviceId}>
              <input
                type="checkbox"
                aria-label={`Select ${name}`}
                checked={selection.ids.has(device.DeviceId)}
                onChange={() => selection.toggle(device.DeviceId)}
              />
              <Link to={paths.device(device.DeviceId)}>{name}</Link>
              <StateMark state={device.DeviceStatus} />
            </li>
          );
        })}
      </ul>
      {count > rows.length && <span className="dim">And {formatCount(count - rows.length)} more, in the list.</span>}
    </div>
  );
}
