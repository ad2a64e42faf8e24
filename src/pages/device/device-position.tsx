// The location of the device in degrees, with links to change it and to show it on the map.
import { Button, Group } from '@mantine/core';
import { IconMap2, IconMapPin } from '@tabler/icons-react';
import { deviceEndpoints, position, type Device, type Position } from '#/contract/devices.ts';
import { rounded } from '#/lib/coordinates.ts';
import { paths } from '#/paths.ts';
import { CopyButton } from '#/ui/controls/copy-button.tsx';
import { Section } from '#/ui/page/page.tsx';
import { NoDataYet } from '#/ui/page/view.tsx';
import { useDeviceLocation } from '#/features/device-dialogs/use-device-location.ts';
import { useDeviceDialog } from '#/features/device-dialogs/use-device-dialog.ts';
import { Link } from '#/ui/url/link.tsx';
import classes from './device-page.module.css';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

const icon = { size: 16, stroke: 1.6, 'aria-hidden': true } as const;

const positionText = ({ Lat, Lng }: Position) => `${Lat}, ${Lng}`;
/** Whether it is a point on Earth: a service may report anything. */
const isOnEarth = ({ Lat, Lng }: Position) => position.safeParse({ Lat, Lng }).success;

export function DevicePosition({ device }: { device: Device }) {
  const reading = useDeviceLocation(device.DeviceId);
  const location = reading.data;
  const noPlacing = useMay(deviceEndpoints.locate, 'Setting a location');
  const dialog = useDeviceDialog();
  const button = { component: Link, size: 'xs' } as const;
  return (
    <Section title="Location">
      {location === undefined ? (
        <NoDataYet query={reading} name="the location" rows={1} />
      ) : location === null ? (
        <p className="small dim">Not set.</p>
      ) : (
        <div className="small dim">
          <span className={classes.place}>
            <span className="mono" title={positionText(location)}>
              {positionText(rounded(location))}
            </span>
            <CopyButton value={positionText(location)} what="coordinates" />
          </span>
          {!isOnEarth(location) && <p>Not a valid location, so the map does not show it.</p>}
        </div>
      )}
      <Group gap="xs">
        <Gate why={noPlacing}>
          <Button {...button} {...dialog.link('locate')} leftSection={<IconMapPin {...icon} />}>
            {location ? 'Change location' : 'Set location'}
          </Button>
        </Gate>
        {location && isOnEarth(location) && (
          <Button {...button} to={paths.map({ id: device.DeviceId })} leftSection={<IconMap2 {...icon} />}>
            Show on the map
          </Button>
        )}
      </Group>
    </Section>
  );
}
