// Exports the device table as CSV: its columns, filters and sort, with all matching devices.
import type { Device } from '#/contract/devices.ts';
import { tagsCell, type DeviceColumns } from '#/features/device-filters/device-columns.ts';
import { addressOf, valueText } from '#/features/device-filters/inventory.ts';
import { ExportPlan, ExportSteps } from '#/features/bulk/export-action.tsx';
import { formatCount } from '#/lib/format.ts';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import { Failure } from '#/ui/page/view.tsx';
import type { Listing } from '#/pages/devices/view/use-listing.ts';
import type { TableColumn } from '#/pages/devices/table/table-columns.tsx';
import { Status } from '#/ui/controls/status.tsx';

function cellText({ id, field }: TableColumn, device: Device): string {
  if (id === 'tags') return tagsCell(device);
  return id === 'address' ? addressOf(device) : valueText(device[field]);
}

/** Full ids, times as the service wrote them, and an empty cell for no value. */
const viewColumns = (columns: readonly TableColumn[]): DeviceColumns => ({
  head: columns.map(({ label }) => label),
  row: (device) => columns.map((column) => cellText(column, device)),
});

interface ExportViewDialogProps {
  listing: Listing;
  columns: readonly TableColumn[];
  filtered: boolean;
  sorted: boolean;
  onClose: () => void;
}

export function ExportViewDialog({ listing, columns: all, filtered, sorted, onClose }: ExportViewDialogProps) {
  const columns = all.filter(({ isApart = false }) => !isApart);
  const { index, found, fleet, busy } = listing;
  const isReady = index !== undefined && found !== undefined && !busy;
  const count = found?.length ?? 0;
  const { read = 0, total } = fleet?.progress ?? {};
  const failed = !isReady && fleet && !fleet.isReading ? fleet.error : undefined;
  return (
    <BaseDialog onClose={onClose} title="Export CSV" size="lg">
      <ExportSteps
        count={count}
        columns={() => viewColumns(columns)}
        at={(row) => index!.uncachedDevice(found![row]!)}
        fault={!isReady ? 'The fleet is still loading' : count === 0 ? 'No device matches' : undefined}
        onClose={onClose}
      >
        {isReady ? (
          <ExportPlan count={count}>
            <p>
              {filtered ? 'Devices that match the filters' : 'The whole fleet'}
              {sorted && ', sorted as on the table'}. Columns: {columns.map(({ label }) => label).join(', ')}.
            </p>
            <p>
              Text that a spreadsheet would read as a formula gets an apostrophe in front. To export every field, with
              locations, select the devices and export the selection.
            </p>
          </ExportPlan>
        ) : (
          fleet && failed && <Failure what="the fleet" error={failed} busy={false} onRetry={fleet.retry} />
        )}
        <Status>
          {!isReady && !failed && (
            <>
              Loading the fleet first: {formatCount(read)}
              {total !== undefined && ` of ${formatCount(total)}`}
              <progress
                aria-label="Devices loaded"
                {...(total !== undefined && { max: Math.max(1, total), value: read })}
              />
            </>
          )}
        </Status>
      </ExportSteps>
    </BaseDialog>
  );
}
