// The fields that people give a device, each edited in place, and the few facts beside them.
import { parseTimestamp } from '#/contract/timestamps.ts';
import type { Device } from '#/contract/devices.ts';
import { Section } from '#/ui/page/page.tsx';
import { Time } from '#/ui/controls/time.tsx';
import { EDITABLE } from '#/features/device-dialogs/changed-fields.ts';
import { EditableFact } from './editable-fact.tsx';
import { addressOf } from '#/features/device-filters/inventory.ts';
import classes from './device-page.module.css';

export function DeviceDetails({ device }: { device: Device }) {
  const { CreatedTime } = device;
  const address = addressOf(device);
  return (
    <Section title="Details">
      <dl className={classes.facts}>
        {EDITABLE.map((field) => (
          <EditableFact key={field} device={device} field={field} />
        ))}
        <dt>Address</dt>
        <dd className={address ? 'mono' : 'dim'}>{address || 'Not known yet'}</dd>
        {CreatedTime && (
          <>
            <dt>Added</dt>
            <dd>
              <Time at={parseTimestamp(CreatedTime)} raw={CreatedTime} />
            </dd>
          </>
        )}
      </dl>
    </Section>
  );
}
