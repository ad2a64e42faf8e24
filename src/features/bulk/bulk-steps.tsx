// The steps of an action on many devices: some of those that were selected are skipped, or gone.
import type { ReactNode } from 'react';
import type { Device } from '#/contract/devices.ts';
import type { BulkWrite } from '#/api/bulk.ts';
import { bulkPlanOf, bulkPlanText } from './bulk-plan.ts';
import type { Keep } from './bulk-plan.ts';
import type { ResultRow } from './bulk-results.ts';
import { RunSteps } from './run-steps.tsx';
import type { BulkKind, RunningBulk } from './use-bulk-run.ts';
import type { CurlRequest } from '#/ui/curl/curl-text.ts';

export const DEVICE_KIND: BulkKind<Device> = {
  keyOf: ({ DeviceId }) => DeviceId,
  nameOf: ({ DeviceName, DeviceId }) => DeviceName || DeviceId,
  noun: 'device',
};

export interface BulkActionProps {
  devices: Device[];
  gone: string[];
  run: RunningBulk<Device>;
  onClose: () => void;
}

export interface BulkAction {
  /** What is done, for the progress and the name of the file: "Set group". */
  what: string;
  keep: Keep;
  /** The verb in the plan: "changes", "change". */
  does?: [one: string, many: string];
  /** Why it cannot begin yet. */
  fault: string | undefined;
  button: (count: number) => string;
  /** The count must be typed. */
  typed?: boolean;
  danger?: boolean;
  write: BulkWrite | (() => Promise<BulkWrite>);
  /** What is sent for these devices, to be shown, where `write` is made later. */
  requests?: (change: readonly Device[]) => readonly CurlRequest[];
}

interface BulkStepsProps extends BulkActionProps {
  action: BulkAction;
  children?: ReactNode;
  note?: (change: Device[]) => ReactNode;
  onward?: ReactNode;
}

const skippedRow = (id: string, name: string, reason: string): ResultRow => ({ id, name, outcome: 'skipped', reason });

export function BulkSteps({ devices, gone, run, action, children, note, onward, onClose }: BulkStepsProps) {
  const { results } = run;
  const { keep, what, does, fault, button, requests, write, typed = false, danger = false } = action;
  // What was sent stays in the plan, whatever the device is now.
  const plan = bulkPlanOf(devices, (device) => (results.has(device.DeviceId) ? undefined : keep(device)));
  const { change, skip } = plan;
  const skipped = [
    ...skip.map(({ device, reason }) => skippedRow(device.DeviceId, DEVICE_KIND.nameOf(device), reason)),
    ...gone.map((id) => skippedRow(id, id, 'Not there any more')),
  ];
  return (
    <RunSteps
      run={run}
      items={change}
      skipped={skipped}
      what={what}
      fault={fault}
      button={button(fault === undefined ? change.length : devices.length)}
      typed={typed}
      danger={danger}
      fields={children}
      plan={
        fault === undefined || children === undefined ? (
          <>
            {bulkPlanText(plan, gone.length, does).map((line, index) => (
              <p key={line}>{index === 0 ? <strong>{line}</strong> : line}</p>
            ))}
            {change.length > 0 && note?.(change)}
          </>
        ) : (
          <p className="dim">{fault}</p>
        )
      }
      requests={requests && (() => requests(change))}
      write={write}
      onward={onward}
      onClose={onClose}
    />
  );
}
