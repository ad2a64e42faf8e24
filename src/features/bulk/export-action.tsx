// Saves the selected devices as a CSV file.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { deviceQueries } from '#/api/devices.ts';
import type { BulkActionProps } from './bulk-steps.tsx';
import { deviceColumns } from '#/features/device-filters/device-columns.ts';
import { useDeviceExport } from './export-devices.ts';
import { devicesText, formatCount } from '#/lib/format.ts';
import { Failure } from '#/ui/page/view.tsx';
import classes from './bulk-dialog.module.css';

export function ExportAction({ devices, gone, onClose }: BulkActionProps) {
  const locations = useQuery(deviceQueries.locations());
  const { written, start } = useDeviceExport();
  const busy = written !== undefined;
  const save = () =>
    void start({
      columns: deviceColumns(devices, locations.data ?? []),
      count: devices.length,
      at: (index) => devices[index]!,
    }).then((done) => done && onClose());
  return (
    <div className={classes.steps}>
      <section aria-label="Plan" className={classes.plan}>
        <p>
          <strong>{devicesText(devices.length)} in one file.</strong>
        </p>
        {gone.length > 0 && <p>{formatCount(gone.length)} skipped: not there any more.</p>}
        <p>Id, name, group, status, customer, site, tags, address, times, location, and the inventory there is.</p>
        <p>Text that a spreadsheet would take for a formula gets an apostrophe before it. No keys are in the file.</p>
      </section>
      {locations.error && !locations.data && (
        <Failure
          what="the locations (without them the file has none)"
          error={locations.error}
          busy={locations.isFetching}
          onRetry={locations.refetch}
        />
      )}
      {busy && (
        <progress className={classes.bar} aria-label="Rows written" max={Math.max(1, devices.length)} value={written} />
      )}
      <div className={classes.buttons}>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          data-autofocus
          loading={busy || locations.isLoading}
          disabled={devices.length === 0}
          title={devices.length === 0 ? 'None of the selected devices is there any more' : ''}
          onClick={save}
        >
          Download CSV
        </Button>
      </div>
    </div>
  );
}
