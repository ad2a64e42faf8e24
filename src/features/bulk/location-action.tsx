// Sets the location of many devices.
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { devicesText } from '#/lib/format.ts';
import { bulkLocate } from '#/api/bulk.ts';
import { deviceQueries } from '#/api/devices.ts';
import { checkedBy } from '#/api/form-rules.ts';
import { position } from '#/contract/devices.ts';
import { skipLocated } from './bulk-plan.ts';
import { BulkSteps, type BulkActionProps } from './bulk-steps.tsx';
import { readDegrees } from '#/lib/coordinates.ts';
import { DegreeFields } from '#/ui/form/degree-fields.tsx';

const LABELS = { Lat: 'Latitude', Lng: 'Longitude' };
const check = checkedBy(position, LABELS);

export function LocationAction(frame: BulkActionProps) {
  const [typed, setTyped] = useState({ Lat: '', Lng: '' });
  // Only used to skip devices that are already there, so the dialog also works without it.
  const { data: locations = [] } = useQuery({ ...deviceQueries.locations(), enabled: frame.run.phase === 'planned' });
  const location = { Lat: readDegrees(typed.Lat), Lng: readDegrees(typed.Lng) };
  const faults = check(location);
  const begun = typed.Lat !== '' && typed.Lng !== '';
  const unset = location.Lat === 0 && location.Lng === 0;
  return (
    <BulkSteps
      {...frame}
      what="Set location"
      whySkipped={skipLocated(location, locations)}
      does={['is placed there', 'are placed there']}
      fault={
        !begun
          ? 'Type a latitude and a longitude first.'
          : Object.keys(faults).length > 0
            ? 'The coordinates cannot be used.'
            : undefined
      }
      button={(count) => `Place ${devicesText(count)}`}
      write={bulkLocate(location)}
      note={() => unset && <p>0, 0 means “not set”: the map does not show the devices.</p>}
    >
      <p className="dim">
        All devices get the same location, in decimal degrees. You can paste a pair such as “52.52, 13.405” into either
        field.
      </p>
      <DegreeFields
        values={typed}
        onPair={setTyped}
        field={(name) => ({
          label: LABELS[name],
          value: typed[name],
          onChange: (event) => setTyped({ ...typed, [name]: event.currentTarget.value }),
          error: typed[name] !== '' && faults[name],
        })}
      />
    </BulkSteps>
  );
}
