// The dialog around a bulk action on devices. It reads them again first: devices that were selected some time ago may have
// changed or been deleted since.
import { useState, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { memberQueries } from '#/fleet/members.ts';
import type { Device } from '#/contract/devices.ts';
import { DEVICE_KIND, type BulkActionProps } from './bulk-steps.tsx';
import { useBulkRun, type RunningBulk } from './use-bulk-run.ts';
import { formatCount } from '#/lib/format.ts';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import { NoDataYet } from '#/ui/page/view.tsx';
import { Status } from '#/ui/controls/status.tsx';
import classes from './bulk-dialog.module.css';

interface BulkFrameProps {
  title: string;
  ids: readonly string[];
  stale: readonly string[];
  /** Why the action is not permitted. */
  why?: string | undefined;
  onClose: (run: RunningBulk<Device>) => void;
  children: (frame: BulkActionProps) => ReactNode;
}

let opened = 0;

export function BulkFrame({ title, ids, stale, why, onClose, children }: BulkFrameProps) {
  // A key of its own, so that the devices do not change while the action runs.
  const [key] = useState(() => `action ${++opened}`);
  const [found, setFound] = useState(0);
  const reading = useQuery(memberQueries.of({ ids, key }, setFound));
  const run = useBulkRun(DEVICE_KIND, stale);
  const close = () => onClose(run);
  const there = new Set(reading.data?.map(({ DeviceId }) => DeviceId));
  return (
    <BaseDialog why={why} title={title} size="lg" closeOnClickOutside={false} busy={run.needsPage} onClose={close}>
      <Status className={classes.steps}>
        {!reading.data && !reading.error && (
          <>
            <span>
              Reading the selected devices: {formatCount(found)} of {formatCount(ids.length)}
            </span>
            <progress aria-label="Devices read" max={ids.length} value={found} />
          </>
        )}
      </Status>
      {reading.data
        ? children({ devices: reading.data, gone: ids.filter((id) => !there.has(id)), run, onClose: close })
        : reading.error && <NoDataYet query={reading} name="the selected devices" />}
    </BaseDialog>
  );
}
