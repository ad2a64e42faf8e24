// Which of the devices of a new job run it now, and which only later.
import type { Device } from '#/contract/devices.ts';
import { formatCount } from '#/lib/format.ts';

export function Readiness({ devices }: { devices: Device[] }) {
  const online = devices.filter(({ DeviceStatus }) => DeviceStatus === 'Online').length;
  const waiting = devices.length - online;
  return (
    <p>
      {online > 0 &&
        `${formatCount(online)} ${online === 1 ? 'is' : 'are'} Online: it runs there after what is queued. `}
      {waiting > 0 &&
        `${formatCount(waiting)} ${waiting === 1 ? 'is' : 'are'} not Online: it waits there until the device comes.`}
    </p>
  );
}
