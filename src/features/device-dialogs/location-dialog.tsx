// Sets the location of a device: typed, pasted as "lat, lng", picked on a small map, or taken from the user's own
// position.
import { useState } from 'react';
import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconCurrentLocation } from '@tabler/icons-react';
import { deviceMutations } from '#/api/devices.ts';
import { formRules } from '#/api/form-rules.ts';
import { requestOf } from '#/api/request-of.ts';
import { deviceEndpoints, position, type Device, type Position } from '#/contract/devices.ts';
import { NO_POSITION, offerMoveUndo } from '#/features/undo/undo-device.ts';
import { lazyPart } from '#/ui/late/lazy-dialog.tsx';
import { DegreeFields } from '#/ui/form/degree-fields.tsx';
import { FormDialog, type FormFields } from '#/ui/dialog/form-dialog.tsx';
import { readDegrees, rounded } from '#/lib/coordinates.ts';
import { useDeviceLocation } from './use-device-location.ts';
import classes from './location-dialog.module.css';

// The map is heavy; typing the degrees should not wait for it.
const LocationPicker = lazyPart(() => import('#/features/base-map/location-picker.tsx'), 'LocationPicker');

const RULES = formRules(position, { Lat: 'Latitude', Lng: 'Longitude' });

export function LocationDialog({ device, onClose }: { device: Device; onClose: () => void }) {
  const { DeviceId, DeviceName } = device;
  const { data: location, isFetching } = useDeviceLocation(DeviceId);
  // Undo goes back to the location as the dialog read it, not to one from memory that somebody has changed since.
  const [before, setBefore] = useState<Position | null>();
  if (before === undefined && location !== undefined && !isFetching) setBefore(location);
  return (
    <FormDialog
      onClose={onClose}
      title={`Location of ${DeviceName}`}
      rules={RULES}
      initial={{ Lat: String(location?.Lat ?? ''), Lng: String(location?.Lng ?? '') }}
      bodyOf={({ Lat, Lng }) => ({ Lat: readDegrees(Lat), Lng: readDegrees(Lng) })}
      write={deviceMutations.locate(DeviceId)}
      request={(body) =>
        position.safeParse(body).success
          ? requestOf(deviceEndpoints.locate, { params: { device_id: DeviceId }, body })
          : undefined
      }
      submitLabel="Set location"
      onDone={(_, to) => {
        onClose();
        const plainly = `Location of ${DeviceName} saved`;
        if (before === undefined) notifications.show({ message: plainly });
        else offerMoveUndo({ id: DeviceId, name: DeviceName || DeviceId, from: before ?? NO_POSITION, to, plainly });
      }}
    >
      {(form) => <PositionFields {...form} />}
    </FormDialog>
  );
}

function PositionFields({ values, field, fill }: FormFields<'Lat' | 'Lng'>) {
  /** The position of the user's own device. */
  const [fix, setFix] = useState<Position>();
  const typed = { Lat: readDegrees(values.Lat), Lng: readDegrees(values.Lng) };
  const take = ({ Lat, Lng }: Position) => fill({ Lat: String(Lat), Lng: String(Lng) });
  return (
    <>
      <p className="dim">Decimal degrees. You can paste a pair such as “52.52, 13.405” into either field.</p>
      <DegreeFields values={values} onPair={fill} field={(name) => ({ required: true, ...field(name) })} />
      <OwnPosition
        onPosition={(found) => {
          take(found);
          setFix(found);
        }}
      />
      <LocationPicker
        open={{ at: position.safeParse(typed).data, fix, onPick: take }}
        fallback={<div className={classes.placeholder} />}
      />
      {typed.Lat === 0 && typed.Lng === 0 && (
        <p className="dim">0, 0 means “not set”: the map does not show the device.</p>
      )}
    </>
  );
}

const REFUSALS: Record<number, string> = {
  1: 'Location access is blocked. Allow it for this site and try again.',
  2: 'Position unavailable. Try again.',
  3: 'Finding the position took too long. Try again.',
};

/** For a person at the device with a phone. Browsers only give the position over https. */
function OwnPosition({ onPosition }: { onPosition: (position: Position) => void }) {
  const [busy, setBusy] = useState(false);
  const [status, setStatus] = useState('');
  const reason = !window.isSecureContext
    ? 'Location access needs HTTPS.'
    : 'geolocation' in navigator
      ? ''
      : 'This browser has no location access.';
  const ask = () => {
    setBusy(true);
    setStatus('');
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        setBusy(false);
        onPosition(rounded({ Lat: coords.latitude, Lng: coords.longitude }));
        setStatus(`Accurate to ${Math.ceil(coords.accuracy)} m.`);
      },
      ({ code }) => {
        setBusy(false);
        setStatus(REFUSALS[code] ?? 'Position unavailable.');
      },
      { enableHighAccuracy: true, timeout: 15_000 },
    );
  };
  return (
    <Group gap="sm">
      <Button
        size="xs"
        leftSection={<IconCurrentLocation size={16} stroke={1.6} aria-hidden />}
        loading={busy}
        disabled={reason !== ''}
        aria-describedby="own-position"
        onClick={ask}
      >
        Use my current location
      </Button>
      <span id="own-position" role="status" className="dim" style={{ fontSize: 13 }}>
        {reason || status}
      </span>
    </Group>
  );
}
