// The name of a device, with a hint if another device already has it, which is allowed but rarely intended.
import type { ComponentProps } from 'react';
import { useQuery } from '@tanstack/react-query';
import { TextField } from '#/ui/form/text-field.tsx';
import { useDebouncedValue } from '@mantine/hooks';
import { deviceQueries } from '#/api/devices.ts';
import { polled } from '#/api/query.ts';

/** Milliseconds after the last keystroke until it is looked up. */
const PAUSE = 300;

/** `own`: id of the device that is edited. */
export function DeviceNameInput({ own, ...input }: ComponentProps<typeof TextField> & { own?: string }) {
  const name = String(input.value ?? '').trim();
  const [typed] = useDebouncedValue(name, PAUSE);
  const { data } = useQuery({
    ...polled(deviceQueries.page(1, 25, { device_name: typed }), false),
    enabled: typed !== '',
  });
  const isTaken = data?.rows.some(({ DeviceId, DeviceName }) => DeviceName === name && DeviceId !== own);
  return (
    <TextField
      required
      maxLength={255}
      autoComplete="off"
      spellCheck={false}
      data-autofocus
      description={isTaken ? 'Another device has this name.' : undefined}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      {...input}
    />
  );
}
