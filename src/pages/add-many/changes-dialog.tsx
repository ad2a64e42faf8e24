// The changes of the rows to existing devices, with old and new values side by side, and the run that applies them.
import { useMemo, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { tagQueries } from '#/api/tags.ts';
import { RunSteps } from '#/features/bulk/run-steps.tsx';
import { useBulkRun, type BulkKind } from '#/features/bulk/use-bulk-run.ts';
import { provisioned } from '#/fleet/provisioning.ts';
import { devicesText } from '#/lib/format.ts';
import { visible } from '#/lib/glyphs.ts';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import type { Column } from '#/ui/table/table.tsx';
import { VirtualTable } from '#/ui/table/virtual-table.tsx';
import { changeRequests, changesWrite } from './changes-write.ts';
import { changedColumns, type RowChange } from './row-changes.ts';
import type { ColumnName } from './rows.ts';
import { deviceEndpoints } from '#/contract/devices.ts';
import { useMay } from '#/api/people.ts';

interface Line {
  key: string;
  name: string;
  id: string;
  field: string;
  before: string;
  after: string;
}

const KIND: BulkKind<RowChange> = {
  keyOf: ({ device }) => device.DeviceId,
  nameOf: ({ device }) => device.DeviceName || device.DeviceId,
  noun: 'device',
};
const STALE = ['devices', 'tags'];

const value = (text: string) => (text === '' ? <span className="dim">empty</span> : <bdi>{visible(text)}</bdi>);

const COLUMNS: Column<Line>[] = [
  { header: 'Device', width: '28%', cell: ({ name, id }) => <span title={id}>{visible(name)}</span> },
  { header: 'Field', width: '14%', phone: 'second', cell: ({ field }) => field },
  { header: 'Now', phone: 'wide', cell: ({ before }) => value(before) },
  {
    header: 'New',
    phone: 'wide',
    cell: ({ after }) => (
      <>
        <span aria-hidden className="dim">
          →{' '}
        </span>
        {value(after)}
      </>
    ),
  },
];

const LABELS: Record<ColumnName, string> = {
  name: 'Name',
  group: 'Group',
  customer: 'Customer',
  site: 'Site',
  lat: 'Latitude',
  lng: 'Longitude',
  tags: 'Tags',
};

const linesOf = (changes: readonly RowChange[]): Line[] =>
  changes.flatMap((change) =>
    changedColumns(change).map((column) => ({
      key: `${change.device.DeviceId} ${column}`,
      name: KIND.nameOf(change),
      id: change.device.DeviceId,
      field: LABELS[column],
      before: change.was[column] ?? '',
      after: change.row.cells[column],
    })),
  );

export function ChangesDialog({ changes: given, onClose }: { changes: readonly RowChange[]; onClose: () => void }) {
  // Fixed when the dialog opens: the page's plan follows the fleet, which the run changes.
  const [changes] = useState(given);
  const [write] = useState(changesWrite);
  const lines = useMemo(() => linesOf(changes), [changes]);
  const run = useBulkRun(KIND, STALE);
  const client = useQueryClient();
  const close = () => {
    if (run.phase !== 'planned') provisioned();
    onClose();
  };
  const noEdit = useMay(deviceEndpoints.update, 'Editing devices');
  const count = devicesText(changes.length);
  return (
    <BaseDialog
      why={noEdit}
      title={`Change ${count}`}
      size="xl"
      closeOnClickOutside={false}
      busy={run.needsPage}
      onClose={close}
    >
      <RunSteps
        run={run}
        items={changes}
        what="Change devices"
        button={`Change ${count}`}
        typed={changes.length > 1}
        plan={<p>Columns that are not in the list stay as they are.</p>}
        list={<VirtualTable name="Changes" bounded columns={COLUMNS} rows={lines} rowKey={({ key }) => key} />}
        write={write}
        requests={(inService) =>
          changeRequests(changes, client.getQueryData(tagQueries.list().queryKey) ?? [], inService)
        }
        onClose={close}
      />
    </BaseDialog>
  );
}
