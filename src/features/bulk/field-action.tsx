// Sets the group, customer or site of many devices, or takes it from them.
import { useState } from 'react';
import { Autocomplete } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { devicesText } from '#/lib/format.ts';
import { bulkChange } from '#/api/bulk.ts';
import { deviceQueries } from '#/api/devices.ts';
import type { DeviceRows } from '#/api/devices.ts';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import { keepEqual } from './bulk-plan.ts';
import { BulkSteps } from './bulk-steps.tsx';
import type { BulkActionProps } from './bulk-steps.tsx';

const FIELDS = {
  group: { field: 'DeviceGroup', label: 'Group', none: 'in no group' },
  customer: { field: 'CustomerName', label: 'Customer', none: 'without a customer' },
  site: { field: 'CustomerSite', label: 'Site', none: 'without a site' },
} as const;

export function FieldAction({ name, ...frame }: BulkActionProps & { name: keyof typeof FIELDS }) {
  const { field, label, none } = FIELDS[name];
  const [clears, setClears] = useState(false);
  const [typed, setTyped] = useState('');
  const client = useQueryClient();
  const value = clears ? '' : typed.trim();
  const pages = client.getQueriesData<DeviceRows>({ queryKey: deviceQueries.pages });
  const seen = [...frame.devices, ...pages.flatMap(([, page]) => page?.rows ?? [])].map((device) => device[field]);
  const known = [...new Set(seen)].filter((each) => each !== undefined && each !== '');
  // A suggestion that is typed already would only cover the buttons below.
  const others = known.filter((each) => each !== undefined && each !== value) as string[];
  return (
    <BulkSteps
      {...frame}
      action={{
        what: `Set ${name}`,
        keep: keepEqual(field, value),
        fault: clears || value !== '' ? undefined : `Type a ${name} first.`,
        button: (count) =>
          clears ? `Clear the ${name} of ${devicesText(count)}` : `Set the ${name} of ${devicesText(count)}`,
        requests: (change) => change.map(bulkChange({ [field]: value }).request),
        prepare: () => Promise.resolve(bulkChange({ [field]: value })),
      }}
      note={(change) => {
        const unknown = change.filter((device) => device[field] === undefined).length;
        return (
          <>
            {clears && <p>They will be {none}.</p>}
            {unknown > 0 && (
              <p>
                Of {devicesText(unknown)} the service does not tell the {name}: it is set again there.
              </p>
            )}
          </>
        );
      }}
    >
      <SegmentedControl
        aria-label={`What to do with the ${name}`}
        value={clears ? 'clear' : 'set'}
        onChange={(next) => setClears(next === 'clear')}
        data={[
          { value: 'set', label: `Set a ${name}` },
          { value: 'clear', label: 'Leave it empty' },
        ]}
      />
      {!clears && (
        <Autocomplete
          label={label}
          data-autofocus
          maxLength={255}
          data={others.sort((one, two) => one.localeCompare(two))}
          limit={100}
          value={typed}
          onChange={setTyped}
          autoComplete="off"
          spellCheck={false}
        />
      )}
    </BulkSteps>
  );
}
