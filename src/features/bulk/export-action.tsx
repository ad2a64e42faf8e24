// Saves devices as CSV: the selected ones here, and all that the table shows in a dialog of its page.
import type { ReactNode } from 'react';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { deviceQueries } from '#/api/devices.ts';
import type { Device } from '#/contract/devices.ts';
import type { BulkActionProps } from './bulk-steps.tsx';
import { deviceColumns, type DeviceColumns } from '#/features/device-filters/device-columns.ts';
import { useDeviceExport } from './export-devices.ts';
import { devicesText, formatCount } from '#/lib/format.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { DialogButtons } from '#/ui/dialog/dialog-buttons.tsx';
import { Failure, FormError } from '#/ui/page/view.tsx';
import classes from './bulk-dialog.module.css';

interface ExportStepsProps {
  count: number;
  columns: () => DeviceColumns;
  at: (index: number) => Device;
  /** Why there is nothing to save. */
  fault: string | undefined;
  loading?: boolean;
  children: ReactNode;
  onClose: () => void;
}

export function ExportSteps({ count, columns, at, fault, loading = false, children, onClose }: ExportStepsProps) {
  const { written, error, start } = useDeviceExport();
  const save = () => void start({ columns: columns(), count, at }).then((done) => done && onClose());
  return (
    <div className={classes.steps}>
      {children}
      {written !== undefined && <progress aria-label="Rows written" max={Math.max(1, count)} value={written} />}
      <FormError error={error} />
      <DialogButtons onCancel={onClose}>
        <Gate why={fault}>
          <Button variant="filled" data-autofocus loading={loading || written !== undefined} onClick={save}>
            Download CSV
          </Button>
        </Gate>
      </DialogButtons>
    </div>
  );
}

export function ExportPlan({ count, children }: { count: number; children: ReactNode }) {
  return (
    <section aria-label="Plan" className={classes.plan}>
      <p>
        <strong>{devicesText(count)} in one file.</strong>
      </p>
      {children}
    </section>
  );
}

export function ExportAction({ devices, gone, onClose }: BulkActionProps) {
  const locations = useQuery(deviceQueries.locations());
  return (
    <ExportSteps
      count={devices.length}
      columns={() => deviceColumns(devices, locations.data ?? [])}
      at={(index) => devices[index]!}
      fault={devices.length === 0 ? 'The selected devices no longer exist' : undefined}
      loading={locations.isLoading}
      onClose={onClose}
    >
      <ExportPlan count={devices.length}>
        {gone.length > 0 && <p>{formatCount(gone.length)} skipped: no longer exist.</p>}
        <p>ID, name, group, status, customer, site, tags, address, times, location and inventory.</p>
        <p>Text that a spreadsheet would read as a formula gets an apostrophe in front. The file holds no keys.</p>
        <p>“Add many” reads the file back: rows that were edited change their devices.</p>
      </ExportPlan>
      {locations.error && !locations.data && (
        <Failure
          what="the locations (without them the file has none)"
          error={locations.error}
          busy={locations.isFetching}
          onRetry={locations.refetch}
        />
      )}
    </ExportSteps>
  );
}
