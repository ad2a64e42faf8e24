// What opens on a click: a device with its actions, or the devices that share a spot. React nodes, never HTML text.
import { Link } from 'react-router';
import type { Device } from '#/contract/devices.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { paths } from '#/paths.ts';
import { StateMark } from '#/ui/state-mark.tsx';
import { Time } from '#/ui/time.tsx';
import type { MapDevice } from './placed-devices.ts';
import classes from './map-page.module.css';

export function DeviceCard({ device }: { device: Device }) {
  return (
    <div className={classes['card']}>
      <Link to={paths.device(device.DeviceId)} className={classes['cardName'] ?? ''}>
        {device.DeviceName || device.DeviceId}
      </Link>
      <div className={classes['cardRow']}>
        <StateMark state={device.DeviceStatus} />
        {device.LastSeenTime && (
          <span className="dim">
            seen <Time at={parseTimestamp(device.LastSeenTime)} raw={device.LastSeenTime} />
          </span>
        )}
      </div>
      {device.DeviceGroup && <div className="dim">Group {device.DeviceGroup}</div>}
      {device.LocalAddr && <div className="mono dim">{device.LocalAddr}</div>}
      <div className={classes['cardRow']}>
        <Link to={paths.device(device.DeviceId)}>Open</Link>
        <Link to={paths.deploy({ device: device.DeviceId })}>Deploy</Link>
      </div>
    </div>
  );
}

export function SpotCard({ devices }: { devices: MapDevice[] }) {
  return (
    <div className={classes['card']}>
      <strong>{devices.length} devices on this spot</strong>
      <ul className={classes['spot']}>
        {devices.map(({ device }) => (
          <li key={device.DeviceId}>
            <Link to={paths.device(device.DeviceId)}>{device.DeviceName || device.DeviceId}</Link>
            <StateMark state={device.DeviceStatus} />
          </li>
        ))}
      </ul>
    </div>
  );
}
