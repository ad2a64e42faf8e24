// The steps of a bulk action on devices, some of which may be skipped or no longer exist.
import type { ReactNode } from 'react';
import type { Device } from '#/contract/devices.ts';
import { bulkPlanOf, bulkPlanText, type WhySkipped } from './bulk-plan.ts';
import type { ResultRow } from './bulk-results.ts';
import { RunSteps, type RunStepsProps } from './run-steps.tsx';
import type { BulkKind, RunningBulk } from './use-bulk-run.ts';
import type { CurlRequest } from '#/ui/curl/curl-text.ts';

export const DEVICE_KIND: BulkKind<Device> = {
  keyOf: ({ DeviceId }) => DeviceId,
  nameOf: ({ DeviceName, DeviceId }) => DeviceName || DeviceId,
  noun: 'device',
};

export interface BulkActionProps {
  devices: Device[];
  /** Ids of devices that no longer exist. */
  gone: string[];
  run: RunningBulk<Device>;
  onClose: () => void;
}

type ForwardedProps = 'what' | 'fault' | 'typed' | 'danger' | 'write' | 'onward';

interface BulkStepsProps extends BulkActionProps, Pick<RunStepsProps<Device>, ForwardedProps> {
  whySkipped?: WhySkipped;
  /** The verb in the plan: "changes", "change". */
  does?: [one: string, many: string];
  button: (count: number) => string;
  /** The requests for these devices, for display, if `write` is created later. */
  requests?: (change: readonly Device[], inService: boolean) => readonly CurlRequest[];
  /** A consequence of the plan, shown below it. */
  note?: (change: Device[]) => ReactNode;
  /** Fields above the plan, which waits until they are valid. */
  children?: ReactNode;
}

const skippedRow = (id: string, name: string, reason: string): ResultRow => ({ id, name, outcome: 'skipped', reason });

export function BulkSteps(props: BulkStepsProps) {
  const { devices, gone, run, whySkipped, does, button, requests, note, children, ...steps } = props;
  // Devices with a result stay in the plan, whatever their current state.
  const plan = bulkPlanOf(devices, (device) => (run.results.has(device.DeviceId) ? undefined : whySkipped?.(device)));
  const { change, skip } = plan;
  const skipped = [
    ...skip.map(({ device, reason }) => skippedRow(device.DeviceId, DEVICE_KIND.nameOf(device), reason)),
    ...gone.map((id) => skippedRow(id, id, 'No longer exists')),
  ];
  return (
    <RunSteps
      {...steps}
      run={run}
      items={change}
      skipped={skipped}
      button={button(steps.fault === undefined ? change.length : devices.length)}
      fields={children}
      plan={
        steps.fault === undefined || children === undefined ? (
          <>
            {bulkPlanText(plan, gone.length, does).map((line, index) => (
              <p key={line}>{index === 0 ? <strong>{line}</strong> : line}</p>
            ))}
            {change.length > 0 && note?.(change)}
          </>
        ) : (
          <p className="dim">{steps.fault}</p>
        )
      }
      requests={requests && ((inService) => requests(change, inService))}
    />
  );
}
