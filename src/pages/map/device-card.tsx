// The cards that open on a click: a device with its actions, or the devices at one spot.
import { useEffect, useRef } from 'react';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import { deviceEndpoints, type Device } from '#/contract/devices.ts';
import { problemText } from '#/fleet/agent-words.ts';
import { useSelection } from '#/features/bulk/selection.ts';
import { paths } from '#/paths.ts';
import { formatCount } from '#/lib/format.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { Link } from '#/ui/url/link.tsx';
import classes from './map-page.module.css';
import { jobEndpoints } from '#/contract/jobs.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';
import { useDeviceThen, type ShownPast } from './shown-past.ts';

export function SelectBox({ device: { DeviceId, DeviceName } }: { device: Device }) {
  const { ids, toggle } = useSelection();
  return (
    <input
      type="checkbox"
      aria-label={`Select ${DeviceName || DeviceId}`}
      checked={ids.has(DeviceId)}
      onChange={() => toggle(DeviceId)}
    />
  );
}

/** `focus`: it takes the focus when it opens. */
export function DeviceCard({ device, focus, onMove }: { device: Device; focus: boolean; onMove: () => void }) {
  const selection = useSelection();
  const noDeploy = useMay(jobEndpoints.submit, 'Deploying');
  const noMove = useMay(deviceEndpoints.locate, 'Setting a location');
  const problem = problemText(device);
  const name = useRef<HTMLAnchorElement>(null);
  // Not in a ref callback: the router's link calls that with each render, which would take the focus from the actions.
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
            seen <Timestamp text={device.LastSeenTime} />
          </span>
        )}
      </div>
      {problem && <div>{problem}</div>}
      {device.DeviceGroup && <div className="dim">Group {device.DeviceGroup}</div>}
      {device.LocalAddr && <div className="mono dim">{device.LocalAddr}</div>}
      <div className={classes.cardRow}>
        <Link to={paths.device(device.DeviceId)}>Open</Link>
        <Gate why={noDeploy}>
          <Link to={paths.deploy({ device: device.DeviceId })}>Deploy</Link>
        </Gate>
        <button type="button" className={classes.textButton} onClick={() => selection.toggle(device.DeviceId)}>
          {selection.ids.has(device.DeviceId) ? 'Unselect' : 'Select'}
        </button>
        <Gate why={noMove}>
          <button type="button" className={classes.textButton} onClick={onMove}>
            Move
          </button>
        </Gate>
      </div>
    </div>
  );
}

/** `rows`: those that are listed of the `count` on the spot. */
export function SpotCard(props: { fleet: FleetIndex; past: ShownPast | undefined; rows: number[]; count: number }) {
  const { fleet, past, rows, count } = props;
  const deviceThen = useDeviceThen(past);
  return (
    <div className={classes.card}>
      <strong>{formatCount(count)} devices on this spot</strong>
      <ul className={classes.spot}>
        {rows.map((row) => {
          const device = deviceThen(fleet.device(row), row);
          return (
            <li key={device.DeviceId}>
              <SelectBox device={device} />
              <Link to={paths.device(device.DeviceId)}>{device.DeviceName || device.DeviceId}</Link>
              <StateMark state={device.DeviceStatus} />
            </li>
          );
        })}
      </ul>
      {count > rows.length && <span className="dim">And {formatCount(count - rows.length)} more, in the list.</span>}
    </div>
  );
}
