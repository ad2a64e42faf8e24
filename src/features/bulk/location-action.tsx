// Puts many devices on one spot of the map.
import { useState } from 'react';
import type { ClipboardEvent } from 'react';
import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { devicesText } from '#/lib/format.ts';
import { bulkLocate } from '#/api/bulk.ts';
import { deviceQueries } from '#/api/devices.ts';
import { checkedBy } from '#/api/form-rules.ts';
import { position } from '#/contract/devices.ts';
import { keepPlaced } from './bulk-plan.ts';
import { BulkSteps } from './bulk-steps.tsx';
import type { BulkActionProps } from './bulk-steps.tsx';
import { readDegrees, readPair } from '#/lib/coordinates.ts';
import classes from './bulk-dialog.module.css';

const LABELS = { Lat: 'Latitude', Lng: 'Longitude' };
const check = checkedBy(position, LABELS);

export function LocationAction(frame: BulkActionProps) {
  const [typed, setTyped] = useState({ Lat: '', Lng: '' });
  // Only to skip those that are there already: it goes without.
  const { data: locations = [] } = useQuery({ ...deviceQueries.locations(), enabled: frame.run.phase === 'planned' });
  const location = { Lat: readDegrees(typed.Lat), Lng: readDegrees(typed.Lng) };
  const faults = check(location);
  const begun = typed.Lat !== '' && typed.Lng !== '';
  const spread = (text: string): boolean => {
    const pair = readPair(text);
    if (pair) setTyped({ Lat: String(pair.Lat), Lng: String(pair.Lng) });
    return pair !== undefined;
  };
  const field = (name: 'Lat' | 'Lng') => ({
    label: LABELS[name],
    value: typed[name],
    onChange: (event: { currentTarget: { value: string } }) =>
      setTyped({ ...typed, [name]: event.currentTarget.value }),
    onPaste: (event: ClipboardEvent) => {
      if (spread(event.clipboardData.getData('text'))) event.preventDefault();
    },
    onBlur: () => void spread(typed[name]),
    error: typed[name] !== '' && faults[name],
    autoComplete: 'off',
  });
  const unset = location.Lat === 0 && location.Lng === 0;
  return (
    <BulkSteps
      {...frame}
      action={{
        what: 'Set location',
        keep: keepPlaced(location, locations),
        does: ['is placed there', 'are placed there'],
        fault: !begun
          ? 'Type a latitude and a longitude first.'
          : Object.keys(faults).length > 0
            ? 'The coordinates cannot be used.'
            : undefined,
        button: (count) => `Place ${devicesText(count)}`,
        requests: (change) => change.map(bulkLocate(location).request),
        prepare: () => Promise.resolve(bulkLocate(location)),
      }}
      note={() => unset && <p>0, 0 stands for “never set”: the map will not show the devices.</p>}
    >
      <p className="dim">
        All of them on one spot, in degrees as on most maps. A pair like “52.52, 13.405” can be pasted into either
        field.
      </p>
      <div className={classes.pair}>
        <TextInput data-autofocus placeholder="52.52" {...field('Lat')} />
        <TextInput placeholder="13.405" {...field('Lng')} />
      </div>
    </BulkSteps>
  );
}
