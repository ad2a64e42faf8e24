// What the device, or its service, told of itself: whatever came, also fields nobody here has heard of.
import type { Device } from '#/contract/devices.ts';
import { Section } from '#/ui/page/page.tsx';
import { inventoryOf } from '#/features/device-filters/inventory.ts';
import classes from './device-page.module.css';

export function DeviceInventory({ device }: { device: Device }) {
  const rows = inventoryOf(device);
  return (
    <Section title="Inventory">
      {rows.length === 0 ? (
        <p className={classes.quiet}>Nothing is known yet. The agent tells its system when it connects.</p>
      ) : (
        <dl className={classes.facts}>
          {rows.map(({ label, value }) => (
            <Fact key={label} label={label} value={value} />
          ))}
        </dl>
      )}
    </Section>
  );
}

function Fact({ label, value }: { label: string; value: string }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </>
  );
}
