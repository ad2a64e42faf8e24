// One action on many devices, from the plan to the results. Its devices are read anew first: what was selected on a page
// some time ago may have changed since, or may be gone.
import { useState } from 'react';
import { Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { QueryKey } from '@tanstack/react-query';
import { readSelected } from '#/api/selected.ts';
import { BULK_ACTIONS } from '#/fleet/bulk-actions.ts';
import type { BulkActionName } from '#/fleet/bulk-actions.ts';
import { devicesText } from '#/fleet/bulk-plan.ts';
import type { BulkActionProps } from '#/fleet/bulk-steps.tsx';
import { DeleteAction } from '#/fleet/delete-action.tsx';
import { DeployAction } from '#/fleet/deploy-action.tsx';
import { ExportAction } from '#/fleet/export-action.tsx';
import { FieldAction } from '#/fleet/field-action.tsx';
import { LocationAction } from '#/fleet/location-action.tsx';
import { RunGuard } from '#/fleet/run-guard.tsx';
import { selection } from '#/fleet/selection.ts';
import { TagAction } from '#/fleet/tag-actions.tsx';
import { useBulkRun } from '#/fleet/use-bulk-run.ts';
import { formatCount } from '#/ui/format.ts';
import { Failure } from '#/ui/view.tsx';
import classes from './bulk-dialog.module.css';

interface BulkDialogProps {
  action: BulkActionName;
  ids: string[];
  onClose: () => void;
}

const DEVICES: QueryKey[] = [['devices']];
const STALE: Record<BulkActionName, QueryKey[]> = {
  deploy: [['jobs'], ['devices', 'jobs']],
  group: DEVICES,
  customer: DEVICES,
  site: DEVICES,
  location: DEVICES,
  'add-tag': [['tags'], ['devices']],
  'remove-tag': [['tags'], ['devices']],
  export: [],
  delete: [['devices'], ['account'], ['jobs'], ['tunnels']],
};

let opened = 0;

export function BulkDialog({ action, ids, onClose }: BulkDialogProps) {
  // Not under ['devices']: the plan must not change while it is carried out.
  const [key] = useState(() => ['selected', ++opened]);
  const [found, setFound] = useState(0);
  const read = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => readSelected(ids, signal, setFound),
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const run = useBulkRun(STALE[action]);
  const close = () => {
    if (run.busy) return;
    // What is deleted can't stay selected.
    if (action === 'delete')
      selection.remove(Array.from(run.results).flatMap(([id, { outcome }]) => (outcome === 'done' ? id : [])));
    onClose();
  };
  const there = new Set(read.data?.map(({ DeviceId }) => DeviceId));
  const frame = read.data && {
    devices: read.data,
    gone: ids.filter((id) => !there.has(id)),
    run,
    onClose: close,
  };
  return (
    <Modal
      opened
      onClose={close}
      title={`${BULK_ACTIONS[action]}: ${devicesText(ids.length)}`}
      size="lg"
      centered
      closeOnClickOutside={false}
      withCloseButton={!run.busy}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <RunGuard active={run.busy} />
      {frame ? (
        <Action action={action} frame={frame} />
      ) : read.error ? (
        <Failure what="the selected devices" error={read.error} busy={read.isFetching} onRetry={read.refetch} />
      ) : (
        <div role="status" className={classes['steps']}>
          <p>
            Reading the selected devices: {formatCount(found)} of {formatCount(ids.length)}
          </p>
          <progress className={classes['bar']} aria-label="Devices read" max={ids.length} value={found} />
        </div>
      )}
    </Modal>
  );
}

function Action({ action, frame }: { action: BulkActionName; frame: BulkActionProps }) {
  switch (action) {
    case 'deploy':
      return <DeployAction {...frame} />;
    case 'group':
    case 'customer':
    case 'site':
      return <FieldAction {...frame} name={action} />;
    case 'location':
      return <LocationAction {...frame} />;
    case 'add-tag':
      return <TagAction {...frame} on />;
    case 'remove-tag':
      return <TagAction {...frame} on={false} />;
    case 'export':
      return <ExportAction {...frame} />;
    case 'delete':
      return <DeleteAction {...frame} />;
  }
}
