// Sets or clears the group, customer or site of many devices.
import { useState } from 'react';
import { devicesText } from '#/lib/format.ts';
import { bulkChange } from '#/api/bulk.ts';
import { useKnownValues } from '#/features/device-dialogs/use-known-values.ts';
import { SuggestInput } from '#/ui/form/suggest-input.tsx';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import { skipEqual } from './bulk-plan.ts';
import { BulkSteps, type BulkActionProps } from './bulk-steps.tsx';
import { GroupInput } from '#/features/device-dialogs/group-input.tsx';
import { useOwnGroups } from '#/api/people.ts';

const FIELDS = {
  group: { field: 'DeviceGroup', label: 'Group', none: 'in no group' },
  customer: { field: 'CustomerName', label: 'Customer', none: 'without a customer' },
  site: { field: 'CustomerSite', label: 'Site', none: 'without a site' },
} as const;

export function FieldAction({ name, ...frame }: BulkActionProps & { name: keyof typeof FIELDS }) {
  const { field, label, none } = FIELDS[name];
  const [clears, setClears] = useState(false);
  const [typed, setTyped] = useState('');
  // Without a group the devices would be outside a limited role.
  const isLimited = useOwnGroups() !== undefined && name === 'group';
  const known = useKnownValues(field, frame.devices);
  const value = clears ? '' : typed.trim();
  return (
    <BulkSteps
      {...frame}
      what={`Set ${name}`}
      whySkipped={skipEqual(field, value)}
      fault={clears || value !== '' ? undefined : `Type a ${name} first.`}
      button={(count) => `${clears ? 'Clear' : 'Set'} the ${name} of ${devicesText(count)}`}
      write={bulkChange({ [field]: value })}
      note={(change) => {
        const unknown = change.filter((device) => device[field] === undefined).length;
        return (
          <>
            {clears && <p>They will be {none}.</p>}
            {unknown > 0 && (
              <p>
                Of {devicesText(unknown)} the service does not report the {name}: it is set again there.
              </p>
            )}
          </>
        );
      }}
    >
      {!isLimited && (
        <SegmentedControl
          aria-label={`What to do with the ${name}`}
          value={clears ? 'clear' : 'set'}
          onChange={(next) => setClears(next === 'clear')}
          data={[
            { value: 'set', label: `Set a ${name}` },
            { value: 'clear', label: 'Leave it empty' },
          ]}
        />
      )}
      {clears ? null : name === 'group' ? (
        <GroupInput label={label} data={known} value={typed} onChange={setTyped} />
      ) : (
        <SuggestInput label={label} data-autofocus data={known} value={typed} onChange={setTyped} />
      )}
    </BulkSteps>
  );
}
