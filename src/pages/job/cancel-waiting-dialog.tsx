// Takes a job back from the devices where it still waits. Where it has begun, it goes on.
import { useMemo, useState } from 'react';
import { devicesText } from '#/lib/format.ts';
import type { Job } from '#/contract/jobs.ts';
import { device } from '#/contract/devices.ts';
import { bulkCancel } from '#/api/bulk-cancel.ts';
import { canStop } from '#/api/job-state.ts';
import { BulkFrame } from '#/features/bulk/bulk-frame.tsx';
import { BulkSteps } from '#/features/bulk/bulk-steps.tsx';
import { visible } from '#/lib/glyphs.ts';
import classes from './job-page.module.css';

const STALE = [['jobs'], ['devices', 'jobs']];
const nothing = () => undefined;

interface CancelWaitingDialogProps {
  parent: Job;
  waiting: readonly Job[];
  onClose: () => void;
}

export function CancelWaitingDialog({ parent, waiting, onClose }: CancelWaitingDialogProps) {
  const [jobs] = useState(waiting);
  const write = useMemo(
    () => bulkCancel(jobs.map((job) => ({ JobId: job.JobId, ParentJobId: parent.JobId, canStop: canStop(job) }))),
    [jobs, parent.JobId],
  );
  const stay = jobs.every(canStop);
  // What is worked on are the jobs: their ids stand where a device's would.
  const read = () =>
    Promise.resolve(
      jobs.map(({ JobId, DeviceName, DeviceId }) =>
        device.parse({ DeviceId: JobId, DeviceName: DeviceName || DeviceId || JobId }),
      ),
    );
  return (
    <BulkFrame
      title={`Cancel where it waits: ${devicesText(jobs.length)}`}
      ids={jobs.map(({ JobId }) => JobId)}
      read={read}
      stale={STALE}
      onClose={onClose}
    >
      {(frame) => (
        <BulkSteps
          {...frame}
          order={{
            what: 'Cancel',
            keep: nothing,
            does: ['does not run it any more', 'do not run it any more'],
            fault: undefined,
            button: (count) => `Cancel on ${devicesText(count)}`,
            typed: jobs.length > 1,
            danger: true,
            requests: (change) => change.map(write.request),
            prepare: () => Promise.resolve(write),
          }}
          note={(change) => (
            <>
              <p>
                {stay
                  ? 'It is taken off their queue, and stays here as Cancelled.'
                  : 'It is taken off their queue and off this list.'}{' '}
                Where it begins meanwhile, it goes on.
              </p>
              <div role="region" aria-label="Devices where it waits" tabIndex={0} className={classes.names}>
                <ul>
                  {change.map(({ DeviceId, DeviceName }) => (
                    <li key={DeviceId}>{visible(DeviceName)}</li>
                  ))}
                </ul>
              </div>
            </>
          )}
        />
      )}
    </BulkFrame>
  );
}
