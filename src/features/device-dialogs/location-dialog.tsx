// Sets where a device is: typed, pasted as "lat, lng", picked on a small map, or taken from the position of the reader's
// own device.
import { useState } from 'react';
import type { ClipboardEvent } from 'react';
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { FormErrors } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { IconCurrentLocation } from '@tabler/icons-react';
import { deviceMutations } from '#/api/devices.ts';
import { checkedBy, refusedFields, unplacedError } from '#/api/form-rules.ts';
import { requestOf } from '#/api/request-of.ts';
import { deviceEndpoints, position } from '#/contract/devices.ts';
import type { Device } from '#/contract/devices.ts';
import { lazyPart } from '#/ui/late/lazy-dialog.tsx';
import { ShowAsCurl } from '#/ui/curl/show-as-curl.tsx';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { FormError } from '#/ui/page/view.tsx';
import { readDegrees, readPair, rounded } from '#/lib/coordinates.ts';
import { usePlace } from './use-place.ts';
import classes from './location-dialog.module.css';

// The map is heavy, and nobody who types the degrees should wait for it.
const PlacePicker = lazyPart(() => import('#/features/base-map/place-picker.tsx'), 'PlacePicker');

const LABELS = { Lat: 'Latitude', Lng: 'Longitude' };
const check = checkedBy(position, LABELS);
const numbersOf = ({ Lat, Lng }: { Lat: string; Lng: string }) => ({ Lat: readDegrees(Lat), Lng: readDegrees(Lng) });

export function LocationDialog({ device, onClose }: { device: Device; onClose: () => void }) {
  const { DeviceId, DeviceName } = device;
  const { data: place } = usePlace(DeviceId);
  const locate = useWrite(deviceMutations.locate(DeviceId));
  const form = useForm({
    initialValues: { Lat: place ? String(place.Lat) : '', Lng: place ? String(place.Lng) : '' },
    validate: (values) => check(numbersOf(values)),
  });
  const numbers = numbersOf(form.values);
  const picked = position.safeParse(numbers).data;
  const unset = numbers.Lat === 0 && numbers.Lng === 0;

  const fill = ({ Lat, Lng }: { Lat: number; Lng: number }) => {
    form.setValues({ Lat: String(Lat), Lng: String(Lng) });
    form.clearErrors();
  };
  const spread = (text: string): boolean => {
    const pair = readPair(text);
    if (pair) fill(pair);
    return pair !== undefined;
  };
  const field = (name: 'Lat' | 'Lng') => {
    const input = form.getInputProps(name);
    return {
      label: LABELS[name],
      required: true,
      inputMode: 'text' as const,
      autoComplete: 'off',
      ...input,
      onPaste: (event: ClipboardEvent) => {
        if (spread(event.clipboardData.getData('text'))) event.preventDefault();
      },
      onBlur: () => void spread(form.values[name]),
    };
  };
  const focusFirst = (faults: FormErrors) => form.getInputNode(Object.keys(faults)[0] ?? '')?.focus();
  const submit = form.onSubmit((values) => {
    if (locate.isPending) return;
    locate.mutate(numbersOf(values), {
      onError: (error) => form.setErrors(refusedFields(error, LABELS)),
      onSuccess: () => {
        notifications.show({ message: `The location of ${DeviceName} is set` });
        onClose();
      },
    });
  }, focusFirst);

  return (
    <Modal
      opened
      onClose={locate.isPending ? () => undefined : onClose}
      title={`Location of ${DeviceName}`}
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <p className="dim">Degrees as on most maps. A pair like “52.52, 13.405” can be pasted into either field.</p>
          <Group grow align="flex-start" gap="sm">
            <TextInput data-autofocus placeholder="52.52" {...field('Lat')} />
            <TextInput placeholder="13.405" {...field('Lng')} />
          </Group>
          <PlacePicker open={{ place: picked, onPick: fill }} fallback={<div className={classes.toBe} />} />
          <OwnPosition onPosition={fill} />
          {unset && <p className="dim">0, 0 stands for “never set”: the map will not show the device.</p>}
          {picked && (
            <ShowAsCurl
              request={requestOf(deviceEndpoints.locate, { params: { device_id: DeviceId }, body: picked })}
            />
          )}
          <FormError error={unplacedError(locate.error, LABELS)} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose} disabled={locate.isPending}>
              Cancel
            </Button>
            <Button type="submit" loading={locate.isPending}>
              Set location
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

const REFUSALS: Record<number, string> = {
  1: 'The browser may not tell its position: allow it for this address and try again.',
  2: 'The position cannot be found right now.',
  3: 'The position was not found in time.',
};

/** For a person who stands beside the device with a phone. Browsers only tell the position over https. */
function OwnPosition({ onPosition }: { onPosition: (position: { Lat: number; Lng: number }) => void }) {
  const [busy, setBusy] = useState(false);
  const [said, setSaid] = useState('');
  const reason = !window.isSecureContext
    ? 'Needs https: over plain http the browser does not tell the position.'
    : 'geolocation' in navigator
      ? ''
      : 'This browser cannot tell its position.';
  const ask = () => {
    setBusy(true);
    setSaid('');
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        setBusy(false);
        onPosition(rounded({ Lat: coords.latitude, Lng: coords.longitude }));
        setSaid(`Found, to within ${Math.ceil(coords.accuracy)} m.`);
      },
      ({ code }) => {
        setBusy(false);
        setSaid(REFUSALS[code] ?? 'The position cannot be found.');
      },
      { enableHighAccuracy: true, timeout: 15_000 },
    );
  };
  return (
    <Group gap="sm">
      <Button
        variant="default"
        size="xs"
        leftSection={<IconCurrentLocation size={16} stroke={1.6} aria-hidden />}
        loading={busy}
        disabled={reason !== ''}
        aria-describedby="own-position"
        onClick={ask}
      >
        Use this device's position
      </Button>
      <span id="own-position" role="status" className="dim" style={{ fontSize: 13 }}>
        {reason || said}
      </span>
    </Group>
  );
}
