// Latitude and longitude side by side. A pair that is pasted or typed into one field fills both.
import type { ClipboardEvent, ComponentProps } from 'react';
import { Group, TextInput } from '@mantine/core';
import { readPair } from '#/lib/coordinates.ts';

type Degrees = Record<'Lat' | 'Lng', string>;

interface DegreeFieldsProps {
  values: Degrees;
  /** The props of each input. */
  field: (name: 'Lat' | 'Lng') => ComponentProps<typeof TextInput>;
  onPair: (pair: Degrees) => void;
}

export function DegreeFields({ values, field, onPair }: DegreeFieldsProps) {
  const spread = (text: string): boolean => {
    const pair = readPair(text);
    if (pair) onPair({ Lat: String(pair.Lat), Lng: String(pair.Lng) });
    return pair !== undefined;
  };
  const input = (name: 'Lat' | 'Lng') => ({
    autoComplete: 'off',
    ...field(name),
    onPaste: (event: ClipboardEvent) => {
      if (spread(event.clipboardData.getData('text'))) event.preventDefault();
    },
    onBlur: () => void spread(values[name]),
  });
  return (
    <Group grow align="flex-start" gap="sm">
      <TextInput data-autofocus placeholder="52.52" {...input('Lat')} />
      <TextInput placeholder="13.405" {...input('Lng')} />
    </Group>
  );
}
